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
  [[nodiscard]] HeadFault Host(std::string_view value);
  [[nodiscard]] HeadFault ContentLength(std::string_view value);
  [[nodiscard]] HeadFault Expect(std::string_view value, bool http10);
  void TransferEncoding(std::string_view value);
  void Connection(std::string_view value);

  // The end of the head: writes what the fields mean to `head`, whose request line is known.
  [[nodiscard]] HeadFault Conclude(RequestHead* head) const;

 private:
  // Of the codings so far.
  enum class Codings : uint8_t { kNone, kChunkedLast, kOtherLast, kBroken };

  void TransferCoding(std::string_view coding);
  [[nodiscard]] HeadFault FramingFault(bool http10) const;

  std::string_view host_;
  uint64_t content_length_ = 0;
  Codings codings_ = Codings::kNone;
  bool unknown_coding_ = false;
  bool has_host_ = false;
  bool has_content_length_ = false;
  bool close_ = false;
  bool keep_alive_ = false;
  bool expect_continue_ = false;
};

}  // namespace quipd::http
