// SPDX-License-Identifier: MIT
// Reads one response of the relay's other end, strictly and incrementally: status line, fields, and
// a body framed by Content-Length or the chunked coding. Gives the same however the bytes are
// split. Keeps at most 1 MiB of an unfinished head, and nothing of the body. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/chunked.h"
#include "server/relay.h"

namespace quipd::server {

class ResponseReader {
 public:
  enum class Event : uint8_t {
    kMore,   // wants more bytes
    kHead,   // the head is whole: TakeHead()
    kBody,   // a part of the body
    kEnd,    // the response is whole
    kFault,  // malformed, interim (1xx), or of a length that only the connection's end would tell
  };

  struct Step {
    Event event;
    size_t consumed;        // bytes of the input that are done with
    std::string_view body;  // kBody: decoded, pointing into the input; never empty
  };

  // The reader of the answer to a request; `to_head` where its method was HEAD.
  explicit ResponseReader(bool to_head) : to_head_(to_head) {}

  // Reads until the next event. Call again with the rest of the input until kMore, kEnd or kFault;
  // what is left behind kEnd belongs to no response.
  [[nodiscard]] Step Read(std::string_view input);

  // Once, after kHead.
  [[nodiscard]] RelayedHead TakeHead() { return std::move(head_); }

  // The sender wants to close the connection behind this response. Known after kHead.
  [[nodiscard]] bool close() const { return close_; }

 private:
  enum class Where : uint8_t { kHead, kLength, kChunked, kEnd, kFault };

  Step ReadHead(std::string_view input);
  Step ReadLength(std::string_view input);
  Step ReadChunked(std::string_view input);
  Step Fault();
  bool ParseHead(std::string_view bytes);
  bool ParseStatusLine(std::string_view line);
  bool ParseField(std::string_view line);
  bool TakeFraming(std::string_view name, std::string_view value, bool* framing);
  bool ChooseFraming();

  bool to_head_;  // constant after construction
  bool close_ = false;
  bool chunked_ = false;
  Where where_ = Where::kHead;
  uint64_t left_ = 0;    // of the body, kLength
  std::string partial_;  // of a head that came in pieces
  RelayedHead head_;
  std::optional<http::ChunkedDecoder> decoder_;
};

}  // namespace quipd::server
