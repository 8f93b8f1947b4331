// SPDX-License-Identifier: MIT
// The head of an answer from a file, and which bytes of the file follow: what conditions and ranges
// ask of it. Pure; takes no memory where the message's is warm and there is one slice.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/content_coding.h"
#include "http/date.h"
#include "http/request_head.h"
#include "server/message.h"
#include "server/open_file.h"
#include "site/site.h"

namespace quipd::server {

// A file as it is shown.
struct ShownFile {
  FileState state;
  std::string_view type;
  http::Coding coding = http::Coding::kIdentity;
  bool is_negotiated = false;  // other codings of it may be there: Vary
};

// Now, as a worker knows it.
struct Moment {
  int64_t unix_seconds;
  const std::array<char, http::kDateLength>& date;
};

// Composes the answer to a request for the file of a rule. 0, or 412 or 416: then the message's
// text is the fields that go with that.
[[nodiscard]] uint16_t ComposeFile(const site::FileRule& rule, const ShownFile& file,
                                   const http::RequestHead& request, const Moment& now,
                                   Message* message);

// Appends the status line and the fields of the rule.
void BeginFileHead(const site::FileRule& rule, uint16_t status, std::string* out);

// Appends Vary with what the rule's headers have for it and, unless it is empty, `name`; nothing
// where there is neither.
void AppendVary(const site::FileRule& rule, std::string_view name, std::string* out);

}  // namespace quipd::server
