// SPDX-License-Identifier: MIT
#include "http/chunked.h"

#include <algorithm>

#include "base/ascii.h"
#include "http/scan.h"

namespace quipd::http {
namespace {

constexpr uint32_t kSizeLineBytes = 256;
constexpr uint8_t kSizeDigits = 16;  // what 64 bits hold
constexpr uint32_t kTrailerBytes = 8 * 1024;
constexpr uint16_t kTrailerLines = 100;

uint64_t HexValue(char digit) {
  const int value = scan::Is(digit, scan::kDigit) ? digit - '0' : (digit | 0x20) - 'a' + 10;
  return static_cast<uint64_t>(value);
}

}  // namespace

ChunkedDecoder::Step ChunkedDecoder::Decode(std::string_view input) {
  size_t at = 0;
  while (at < input.size() && StateOf() == State::kMore) {
    if (where_ == Where::kData) {
      const size_t length = std::min<uint64_t>(chunk_left_, input.size() - at);
      chunk_left_ -= length;
      decoded_ += length;
      where_ = chunk_left_ == 0 ? Where::kDataCr : Where::kData;
      return {State::kMore, at + length, input.substr(at, length)};
    }
    TakeFraming(input[at]);
    ++at;
  }
  return {StateOf(), at, {}};
}

ChunkedDecoder::State ChunkedDecoder::StateOf() const {
  switch (where_) {
    case Where::kEnd:
      return State::kDone;
    case Where::kBroken:
      return State::kInvalid;
    case Where::kOverLimit:
      return State::kTooLarge;
    default:
      return State::kMore;
  }
}

void ChunkedDecoder::TakeFraming(char byte) {
  switch (where_) {
    case Where::kSize:
    case Where::kSizeBlank:
    case Where::kExtensionStart:
    case Where::kExtension:
    case Where::kSizeLf:
      where_ = ++line_bytes_ > kSizeLineBytes ? Where::kBroken : AfterSizeByte(byte);
      return;
    case Where::kDataCr:
      where_ = byte == '\r' ? Where::kDataLf : Where::kBroken;
      return;
    case Where::kDataLf:
      where_ = byte == '\n' ? Where::kSize : Where::kBroken;
      return;
    case Where::kTrailerStart:
    case Where::kTrailerName:
    case Where::kTrailerValue:
    case Where::kTrailerLf:
    case Where::kFinalLf:
      where_ = ++trailer_bytes_ > kTrailerBytes ? Where::kBroken : AfterTrailerByte(byte);
      return;
    case Where::kData:
    case Where::kEnd:
    case Where::kBroken:
    case Where::kOverLimit:
      return;
  }
}

// chunk-size [ chunk-ext ] CRLF (RFC 9112 7.1), where an extension is ignored but for its bytes.
ChunkedDecoder::Where ChunkedDecoder::AfterSizeByte(char byte) {
  switch (where_) {
    case Where::kSize:
      return AfterSizeDigit(byte);
    case Where::kSizeBlank:
      if (byte == ';') {
        return Where::kExtensionStart;
      }
      return IsBlank(byte) ? Where::kSizeBlank : Where::kBroken;
    case Where::kExtensionStart:
      if (IsBlank(byte)) {
        return Where::kExtensionStart;
      }
      return scan::Is(byte, scan::kToken) ? Where::kExtension : Where::kBroken;
    case Where::kExtension:
      if (byte == '\r') {
        return Where::kSizeLf;
      }
      return scan::Is(byte, scan::kValue) ? Where::kExtension : Where::kBroken;
    default:
      return byte == '\n' ? AfterSizeLine() : Where::kBroken;
  }
}

ChunkedDecoder::Where ChunkedDecoder::AfterSizeDigit(char byte) {
  if (scan::Is(byte, scan::kHex)) {
    chunk_left_ = chunk_left_ << 4 | HexValue(byte);
    return ++size_digits_ > kSizeDigits ? Where::kBroken : Where::kSize;
  }
  if (size_digits_ == 0) {
    return Where::kBroken;
  }
  if (byte == '\r') {
    return Where::kSizeLf;
  }
  if (byte == ';') {
    return Where::kExtensionStart;
  }
  return IsBlank(byte) ? Where::kSizeBlank : Where::kBroken;
}

ChunkedDecoder::Where ChunkedDecoder::AfterSizeLine() {
  line_bytes_ = 0;
  size_digits_ = 0;
  if (chunk_left_ > limit_ - decoded_) {
    return Where::kOverLimit;
  }
  return chunk_left_ > 0 ? Where::kData : Where::kTrailerStart;
}

// The field lines behind the last chunk and the empty line that ends the body.
ChunkedDecoder::Where ChunkedDecoder::AfterTrailerByte(char byte) {
  switch (where_) {
    case Where::kTrailerStart:
      if (byte == '\r') {
        return Where::kFinalLf;
      }
      if (!scan::Is(byte, scan::kToken)) {
        return Where::kBroken;
      }
      return ++trailer_lines_ > kTrailerLines ? Where::kBroken : Where::kTrailerName;
    case Where::kTrailerName:
      if (byte == ':') {
        return Where::kTrailerValue;
      }
      return scan::Is(byte, scan::kToken) ? Where::kTrailerName : Where::kBroken;
    case Where::kTrailerValue:
      if (byte == '\r') {
        return Where::kTrailerLf;
      }
      return scan::Is(byte, scan::kValue) ? Where::kTrailerValue : Where::kBroken;
    case Where::kTrailerLf:
      return byte == '\n' ? Where::kTrailerStart : Where::kBroken;
    default:
      return byte == '\n' ? Where::kEnd : Where::kBroken;
  }
}

}  // namespace quipd::http
