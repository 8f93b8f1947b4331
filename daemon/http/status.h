// SPDX-License-Identifier: MIT
// Status codes (RFC 9110 15 and the IANA registry).
#pragma once

#include <string_view>

namespace quipd::http {

// The registered reason phrase; "Unknown" for a code without one.
[[nodiscard]] std::string_view ReasonOf(int status);

// A response with this status has no content by definition: 1xx, 204, 205, 304.
[[nodiscard]] constexpr bool HasNoContent(int status) {
  return status < 200 || status == 204 || status == 205 || status == 304;
}

}  // namespace quipd::http
