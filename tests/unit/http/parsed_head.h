// SPDX-License-Identifier: MIT
// A request head out of its first line and fields, parsed. Owns its bytes; moves with them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/request_head.h"

namespace quipd::http {

class ParsedHead {
 public:
  // `fields` are whole lines but for the last CRLF, or empty.
  explicit ParsedHead(std::string_view fields, std::string_view method = "GET")
      : bytes_(std::make_unique<std::string>(method)) {
    bytes_->append(" / HTTP/1.1\r\nHost: h\r\n").append(fields);
    bytes_->append(fields.empty() ? "\r\n" : "\r\n\r\n");
    const HeadResult result = ParseRequestHead(*bytes_, {}, &head_);
    Check(result.state == HeadState::kComplete && result.length == bytes_->size());
  }

  [[nodiscard]] const RequestHead& operator*() const { return head_; }

 private:
  std::unique_ptr<std::string> bytes_;
  RequestHead head_;
};

}  // namespace quipd::http
