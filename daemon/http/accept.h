// SPDX-License-Identifier: MIT
// Negotiation of media types (RFC 9110 12.5.1). Pure; no allocation; thread-safe.
#pragma once

#include <string_view>

namespace quipd::http {

// Whether the Accept fields rather want JSON than HTML (RFC 9110 12.5.1): by weight; of equal ones
// what is named itself, then HTML.
[[nodiscard]] bool PrefersJson(std::string_view fields);

}  // namespace quipd::http
