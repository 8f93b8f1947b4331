// SPDX-License-Identifier: MIT
#include "server/file_text.h"

#include "base/ascii.h"
#include "base/utf8.h"

namespace quipd::server {
namespace {

constexpr size_t kMostBytes = 200;
constexpr std::string_view kHexDigits = "0123456789abcdef";

bool IsPlain(char byte) { return !IsControl(byte) && byte != '"' && byte != '\\'; }

}  // namespace

std::string QuotedForLog(std::string_view text) {
  std::string quoted = "\"";
  for (size_t at = 0; at < text.size() && at < kMostBytes;) {
    const size_t length = CharacterLength(text, at);
    if (length > 0 && IsPlain(text[at])) {
      quoted.append(text.substr(at, length));
      at += length;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[at++]);
    quoted.append("\\x").append({kHexDigits[byte >> 4], kHexDigits[byte & 15]});
  }
  return quoted.append(text.size() > kMostBytes ? "\"..." : "\"");
}

}  // namespace quipd::server
