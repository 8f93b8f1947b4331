// SPDX-License-Identifier: MIT
#include "answer_head.h"

#include <strings.h>

#include <algorithm>
#include <charconv>

namespace quipd::bench {
namespace {

bool IsName(std::string_view name, std::string_view wanted) {
  return name.size() == wanted.size() && strncasecmp(name.data(), wanted.data(), name.size()) == 0;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

}  // namespace

bool AnswerHead::Parse(std::string_view input) {
  const size_t end = input.find("\r\n\r\n");
  if (end == std::string_view::npos) return false;
  size = end + 4;
  if (input.size() > 12) std::from_chars(input.data() + 9, input.data() + 12, status);
  size_t at = input.find("\r\n") + 2;
  while (at < end + 2) {
    const size_t line_end = input.find("\r\n", at);
    const std::string_view line = input.substr(at, line_end - at);
    const size_t colon = std::min(line.find(':'), line.size() - 1);
    const std::string_view value = Trim(line.substr(colon + 1));
    Take(line.substr(0, colon), value, static_cast<size_t>(value.data() - input.data()));
    at = line_end + 2;
  }
  return true;
}

void AnswerHead::Take(std::string_view name, std::string_view value, size_t value_offset) {
  if (IsName(name, "content-length")) {
    size_t length = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), length);
    if (parsed.ec == std::errc()) content_length = length;
  } else if (IsName(name, "date") && value.size() == kDateBytes) {
    date = value_offset;
  } else if (IsName(name, "connection")) {
    closes = IsName(value, "close");
  } else if (IsName(name, "transfer-encoding")) {
    chunked = true;
  }
}

}  // namespace quipd::bench
