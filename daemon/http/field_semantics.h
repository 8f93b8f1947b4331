// SPDX-License-Identifier: MIT
// What the fields of a request head mean for its connection: who is asked, how the body is framed,
// whether the connection stays (RFC 9110 7.2, 8.6, 10.1.1; RFC 9112 6, 9.3). Each value is judged
// when its line ends, what fields say together when the head ends, so that a fault has one place
// in the bytes. Private to http/. Plain state, not thread-safe; values are not kept but Host's.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/request_head.h"

namespace quipd::http {

class FieldSemantics {
 public:
  // One field each, its value without the white space around it. kNone where it is fine.
  // `plain` spares the check of a Host that is known to be an authority.
  [[nodiscard]] HeadFault Host(std::string_view value, bool plain) {
    if ((seen_ & kHost) != 0 || !(plain || IsAuthority(value))) {
      return HeadFault::kHost;
    }
    seen_ |= kHost;
    host_ = value;
    return HeadFault::kNone;
  }
  [[nodiscard]] HeadFault ContentLength(std::string_view value);
  [[nodiscard]] HeadFault Expect(std::string_view value, bool http10);
  void TransferEncoding(std::string_view value);
  void Connection(std::string_view value);

  // Connection: keep-alive, alone.
  void KeepAlive() { seen_ |= kKeepAlive; }

  // The end of the head: writes what the fields mean to `head`, whose request line is known and
  // whose other members are as they were made.
  [[nodiscard]] HeadFault Conclude(RequestHead* head) const {
    if ((seen_ & ~kKeepAlive) != kHost || head->http10) {
      return ConcludeRare(head);
    }
    if (head->authority.empty()) {
      head->authority = host_;
    }
    return HeadFault::kNone;
  }

 private:
  enum Seen : uint32_t {
    kHost = 1,
    kKeepAlive = 2,
    kClose = 4,
    kContentLength = 8,
    kCoding = 16,
    kUnknownCoding = 32,
    kExpectContinue = 64,
  };

  // Of the codings so far.
  enum class Codings : uint8_t { kNone, kChunkedLast, kOtherLast, kBroken };

  void TransferCoding(std::string_view coding);
  [[nodiscard]] HeadFault FramingFault(bool http10) const;
  [[nodiscard]] HeadFault ConcludeRare(RequestHead* head) const;
  [[nodiscard]] bool Saw(Seen what) const { return (seen_ & what) != 0; }

  std::string_view host_;
  uint64_t content_length_ = 0;
  Codings codings_ = Codings::kNone;
  uint32_t seen_ = 0;  // of enum Seen
};

}  // namespace quipd::http
