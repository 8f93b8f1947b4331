// SPDX-License-Identifier: MIT
// The chunked transfer coding (RFC 9112 7.1), decoded strictly and incrementally. The decoder keeps
// a fixed number of bytes whatever the client sends, and gives the same result however the bytes
// are split. Trailers are checked, bounded and dropped. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quipd::http {

class ChunkedDecoder {
 public:
  enum class State : uint8_t {
    kMore,      // wants more bytes
    kDone,      // the last CRLF of the body was read
    kInvalid,   // 400: the framing is broken
    kTooLarge,  // 413: the body is above the limit, or a chunk size that can't be below it
  };

  struct Step {
    State state;
    size_t consumed;        // bytes of the input that belong to the body, framing included
    std::string_view data;  // a part of the decoded body, pointing into the input; may be empty
  };

  // `body_limit` counts decoded bytes. A size line with its extensions and CRLF is at most 256
  // bytes, the trailer section at most 8 KiB and 100 lines; more of them is kInvalid.
  explicit ChunkedDecoder(uint64_t body_limit) : limit_(body_limit) {}

  // Decodes until a part of the data was met, the input is used up, or the end. Call again with the
  // rest of the input while kMore is returned and consumed < input.size(). A state other than kMore
  // is final.
  [[nodiscard]] Step Decode(std::string_view input);

  [[nodiscard]] uint64_t decoded_bytes() const { return decoded_; }

 private:
  // What the next byte belongs to.
  enum class Where : uint8_t {
    kSize,
    kSizeBlank,       // white space between the size and the ';' of an extension
    kExtensionStart,  // behind the ';'
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailerName,
    kTrailerValue,
    kTrailerLf,
    kFinalLf,
    kEnd,
    kBroken,
    kOverLimit,
  };

  void TakeFraming(char byte);
  Where AfterSizeByte(char byte);
  Where AfterSizeDigit(char byte);
  Where AfterSizeLine();
  Where AfterTrailerByte(char byte);
  [[nodiscard]] State StateOf() const;

  uint64_t limit_;
  uint64_t decoded_ = 0;
  uint64_t chunk_left_ = 0;
  uint32_t line_bytes_ = 0;
  uint32_t trailer_bytes_ = 0;
  uint16_t trailer_lines_ = 0;
  uint8_t size_digits_ = 0;
  Where where_ = Where::kSize;
};

}  // namespace quipd::http
