// SPDX-License-Identifier: MIT
#include "http/ranges.h"

#include <sys/random.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/ascii.h"
#include "base/check.h"
#include "http/request_head.h"

namespace quipd::http {
namespace {

constexpr std::string_view kUnit = "bytes=";
constexpr size_t kMaxOverlapping = 2;

// One member of a set, as it is written.
struct Spec {
  std::optional<uint64_t> first;  // none: the last `last` bytes
  uint64_t last = std::numeric_limits<uint64_t>::max();
};

// Takes the digits at the beginning of *text, false where there are none. A number beyond 64 bits
// is the greatest of them.
bool TakeNumber(std::string_view* text, uint64_t* number) {
  const char* const begin = text->data();
  const char* const end = begin + text->size();
  const auto [stop, error] = std::from_chars(begin, end, *number);
  if (stop == begin) return false;
  if (error == std::errc::result_out_of_range) *number = std::numeric_limits<uint64_t>::max();
  text->remove_prefix(static_cast<size_t>(stop - begin));
  return true;
}

// int-range or suffix-range (RFC 9110 14.1.1).
bool ParseSpec(std::string_view text, Spec* spec) {
  uint64_t number = 0;
  if (TakeNumber(&text, &number)) spec->first = number;
  if (!text.starts_with('-')) return false;
  text.remove_prefix(1);
  const bool has_last = TakeNumber(&text, &spec->last);
  if (!text.empty()) return false;
  return spec->first ? spec->last >= *spec->first : has_last;
}

// The part of `size` bytes that is meant; of size 0 where none is.
ByteRange Resolve(const Spec& spec, uint64_t size) {
  if (!spec.first) {
    const uint64_t suffix = std::min(spec.last, size);
    return {size - suffix, suffix};
  }
  if (*spec.first >= size) return {};
  return {*spec.first, std::min(spec.last, size - 1) - *spec.first + 1};
}

bool Overlap(const ByteRange& a, const ByteRange& b) {
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

size_t CountOverlapping(std::span<const ByteRange> ranges) {
  size_t count = 0;
  for (const ByteRange& range : ranges) {
    const bool overlaps = std::ranges::any_of(ranges, [&range](const ByteRange& other) {
      return &range != &other && Overlap(range, other);
    });
    count += overlaps ? 1 : 0;
  }
  return count;
}

// Reads the members of a set one after the other.
class SetReader {
 public:
  explicit SetReader(uint64_t size) : size_(size) {}

  // False where the set is to be ignored.
  bool Add(std::string_view member) {
    if (member.empty()) return true;  // RFC 9110 5.6.1.2
    Spec spec;
    if (!ParseSpec(member, &spec) || ++members_ > kMaxRanges) return false;
    const ByteRange range = Resolve(spec, size_);
    if (range.size > 0) {
      ranges_.ranges[ranges_.count++] = range;
    } else if (!spec.first && spec.last > 0) {
      return false;  // the end of nothing
    }
    return true;
  }

  Ranges Conclude() {
    if (members_ == 0 || CountOverlapping(ranges_.all()) > kMaxOverlapping) return {};
    ranges_.kind = ranges_.count > 0 ? Ranges::Kind::kSome : Ranges::Kind::kUnsatisfiable;
    return ranges_;
  }

 private:
  const uint64_t size_;
  size_t members_ = 0;
  Ranges ranges_;
};

uint64_t DigitsOf(uint64_t number) {
  uint64_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

constexpr std::string_view kType = "multipart/byteranges; boundary=";
constexpr std::string_view kDelimiter = "\r\n--";
constexpr std::string_view kContentType = "\r\nContent-Type: ";
constexpr std::string_view kContentRange = "\r\nContent-Range: ";
constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kEnd = "--\r\n";

// Random bytes, taken from the kernel many at a time.
class RandomPool {
 public:
  uint8_t Next() {
    if (used_ == bytes_.size()) {
      // Up to 256 bytes come whole and without a signal's interruption.
      const ssize_t got = getrandom(bytes_.data(), bytes_.size(), 0);
      Check(got == static_cast<ssize_t>(bytes_.size()));
      used_ = 0;
    }
    return bytes_[used_++];
  }

 private:
  std::array<uint8_t, 240> bytes_;
  size_t used_ = 240;
};

}  // namespace

Ranges ParseRanges(std::string_view value, uint64_t size) {
  if (!EqualsIgnoreCase(value.substr(0, kUnit.size()), kUnit)) return {};
  value.remove_prefix(kUnit.size());
  SetReader reader(size);
  for (;;) {
    const size_t comma = value.find(',');
    if (!reader.Add(Trimmed(value.substr(0, comma)))) return {};
    if (comma == std::string_view::npos) return reader.Conclude();
    value.remove_prefix(comma + 1);
  }
}

void AppendContentRange(const ByteRange& range, uint64_t size, std::string* out) {
  out->append("bytes ");
  AppendNumber(range.first, out);
  out->push_back('-');
  AppendNumber(range.first + range.size - 1, out);
  out->push_back('/');
  AppendNumber(size, out);
}

void AppendUnsatisfiedRange(uint64_t size, std::string* out) {
  out->append("bytes */");
  AppendNumber(size, out);
}

Multipart::Multipart(std::string_view type, uint64_t size) : type_(type), size_(size) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  static_assert(kAlphabet.size() == 64);
  static thread_local RandomPool pool;
  for (char& byte : boundary_) byte = kAlphabet[pool.Next() % 64];
}

void Multipart::AppendType(std::string* out) const {
  out->append(kType).append(boundary_.data(), boundary_.size());
}

void Multipart::AppendBefore(const ByteRange& range, bool first, std::string* out) const {
  out->append(kDelimiter.substr(first ? 2 : 0)).append(boundary_.data(), boundary_.size());
  if (!type_.empty()) out->append(kContentType).append(type_);
  out->append(kContentRange);
  AppendContentRange(range, size_, out);
  out->append(kEndOfHead);
}

void Multipart::AppendEnd(std::string* out) const {
  out->append(kDelimiter).append(boundary_.data(), boundary_.size()).append(kEnd);
}

uint64_t Multipart::LengthOf(std::span<const ByteRange> ranges) const {
  static constexpr std::string_view kPunctuation = "bytes -/";
  const uint64_t each = kDelimiter.size() + boundary_.size() +
                        (type_.empty() ? 0 : kContentType.size() + type_.size()) +
                        kContentRange.size() + kPunctuation.size() + DigitsOf(size_) +
                        kEndOfHead.size();
  uint64_t length = kDelimiter.size() + boundary_.size() + kEnd.size();
  for (const ByteRange& range : ranges) {
    length += each + range.size + DigitsOf(range.first) + DigitsOf(range.first + range.size - 1);
  }
  return ranges.empty() ? length : length - 2;  // no CRLF in front of the first
}

}  // namespace quipd::http
