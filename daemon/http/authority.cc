// SPDX-License-Identifier: MIT
// IsAuthority of http/request_head.h.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "http/request_head.h"
#include "http/scan.h"

namespace quipd::http {
namespace {

// A port of up to 65535; "" is one (RFC 3986 3.2.3).
bool IsPort(std::string_view text) {
  uint32_t port = 0;
  for (const char byte : text) {
    if (!scan::Is(byte, scan::kDigit)) {
      return false;
    }
    port = std::min(port * 10 + static_cast<uint32_t>(byte - '0'), uint32_t{65536});
  }
  return port <= 65535;
}

// "" or ":port".
bool IsPortPart(std::string_view text) {
  return text.empty() || (text.front() == ':' && IsPort(text.substr(1)));
}

bool IsIpv6(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN> address{};
  const bool plain = std::ranges::all_of(text, [](char byte) {
    return scan::Is(byte, scan::kHex) || byte == ':' || byte == '.';  // no zone, no NUL
  });
  if (!plain || text.size() >= address.size()) {
    return false;
  }
  std::ranges::copy(text, address.begin());
  in6_addr parsed;
  return inet_pton(AF_INET6, address.data(), &parsed) == 1;
}

// The length of the reg-name at the beginning of `text`.
size_t NameLength(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    if (scan::Is(text[i], scan::kHost)) {
      ++i;
    } else if (text[i] == '%' && text.size() - i > 2 &&
               scan::All(text.substr(i + 1, 2), scan::kHex)) {
      i += 3;
    } else {
      break;
    }
  }
  return i;
}

}  // namespace

bool IsAuthority(std::string_view text) {
  if (text.starts_with('[')) {
    const size_t bracket = text.find(']');
    return bracket != std::string_view::npos && IsIpv6(text.substr(1, bracket - 1)) &&
           IsPortPart(text.substr(bracket + 1));
  }
  const size_t length = NameLength(text);
  return text.empty() || (length > 0 && IsPortPart(text.substr(length)));
}

}  // namespace quipd::http
