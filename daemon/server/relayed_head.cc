// SPDX-License-Identifier: MIT
#include "server/relayed_head.h"

#include <charconv>

#include "http/status.h"

namespace quipd::server {

std::string HeadOf(const RelayedHead& head, bool chunked, Persistence persistence,
                   const std::array<char, http::kDateLength>& date) {
  std::string out = "HTTP/1.1 " + std::to_string(head.status) + ' ';
  out += http::ReasonOf(head.status);
  out += "\r\n";
  out += head.fields;
  if (chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else if (head.has_length) {
    out += "Content-Length: " + std::to_string(head.content_length) + "\r\n";
  }
  out += FieldOf(persistence);
  out += "Date: ";
  out.append(date.data(), date.size());
  out += "\r\n\r\n";
  return out;
}

std::string ChunkSizeLine(size_t size) {
  char digits[18];
  char* const end = std::to_chars(digits, digits + 16, size, 16).ptr;
  return std::string(digits, end) + "\r\n";
}

}  // namespace quipd::server
