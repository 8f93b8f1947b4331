// SPDX-License-Identifier: MIT
// What is sent of a finished response where a condition or a range asks for less than all of it: a
// 304 or a 206 made from the head of the 200 (RFC 9110 15.3.7, 15.4.5). Pure; allocates only where
// the message's memory is cold.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "http/date.h"
#include "http/selection.h"
#include "server/message.h"
#include "site/site.h"

namespace quipd::server {

// `selection` is a 304 or 206 of `response`; the slices of a 206 are of its body.
void ComposePartial(const site::Response& response, const http::Selection& selection,
                    const std::array<char, http::kDateLength>& date, Message* message);

// Appends to a message with a head up to its Date, status line and fields with their CRLF but
// without Content-Type, the rest of a 206 of a body of `size` bytes and that type: Content-Type,
// Content-Range or the boundary, Content-Length, Date and the slices.
void AppendRanges(const http::Ranges& ranges, std::string_view type, uint64_t size,
                  const std::array<char, http::kDateLength>& date, Message* message);

void AppendContentLength(uint64_t size, std::string* out);

// Appends "Date: ", the date and the end of the head.
void EndHead(const std::array<char, http::kDateLength>& date, Message* message);

}  // namespace quipd::server
