// SPDX-License-Identifier: MIT
// The content that follows a request head, framed whatever the method (RFC 9112 6): by
// Content-Length or chunked, never above its limit. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/chunked.h"
#include "http/request_head.h"

namespace quipd::server {

class BodyReader {
 public:
  enum class State : uint8_t { kMore, kDone, kInvalid, kTooLarge };

  BodyReader(const http::RequestHead& head, uint64_t limit)
      : chunked_(head.chunked),
        left_(head.content_length),
        too_large_(!head.chunked && head.content_length > limit),
        decoder_(limit) {}

  // Takes the body's bytes from the front of `input` and adds the content to `content`, unless that
  // is null. `taken` says how many were taken; what is behind them is the next request's.
  [[nodiscard]] State Read(std::string_view input, std::string* content, size_t* taken);

  // Its Content-Length alone is above the limit: Read says kTooLarge.
  [[nodiscard]] bool is_too_large() const { return too_large_; }

  // The bytes that have come in, framing included.
  [[nodiscard]] uint64_t received() const { return received_; }

 private:
  State ReadSized(std::string_view input, std::string* content, size_t* taken);
  State ReadChunked(std::string_view input, std::string* content, size_t* taken);

  bool chunked_;
  uint64_t left_;
  uint64_t received_ = 0;
  bool too_large_;
  http::ChunkedDecoder decoder_;
};

}  // namespace quipd::server
