// SPDX-License-Identifier: MIT
// Range requests (RFC 9110 14). Pure functions; no allocation but what a caller's string takes;
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quipd::http {

inline constexpr size_t kMaxRanges = 16;  // more are ignored as a whole: the answer is 200

struct ByteRange {
  uint64_t first = 0;
  uint64_t size = 0;  // never 0
};

struct Ranges {
  enum class Kind : uint8_t {
    kIgnored,        // malformed, another unit, too many, or more than two that overlap: 200
    kUnsatisfiable,  // 416
    kSome,           // 206
  };
  Kind kind = Kind::kIgnored;
  uint8_t count = 0;
  std::array<ByteRange, kMaxRanges> ranges;  // clamped, in the order of the request

  [[nodiscard]] std::span<const ByteRange> all() const { return {ranges.data(), count}; }
};

// The ranges that the value of a Range field asks of `size` bytes. Ranges that can't be satisfied
// are left out where others can. The last bytes of nothing are nothing, which no 206 can say:
// kIgnored.
[[nodiscard]] Ranges ParseRanges(std::string_view value, uint64_t size);

// Appends "bytes 0-4/10", the value of Content-Range.
void AppendContentRange(const ByteRange& range, uint64_t size, std::string* out);
// Appends "bytes */10", that of a 416.
void AppendUnsatisfiedRange(uint64_t size, std::string* out);

// The frame of multipart/byteranges (RFC 9110 14.6, RFC 2046 5.1): what stands before each part and
// behind the last. The boundary is this object's, hard to guess, different each time.
class Multipart {
 public:
  // `type` is the Content-Type of the whole, empty for none; it must outlive this.
  Multipart(std::string_view type, uint64_t size);

  // "multipart/byteranges; boundary=..."
  void AppendType(std::string* out) const;
  void AppendBefore(const ByteRange& range, bool first, std::string* out) const;
  void AppendEnd(std::string* out) const;
  // The Content-Length of all parts together.
  [[nodiscard]] uint64_t LengthOf(std::span<const ByteRange> ranges) const;

 private:
  std::string_view type_;
  uint64_t size_;
  std::array<char, 24> boundary_;
};

}  // namespace quipd::http
