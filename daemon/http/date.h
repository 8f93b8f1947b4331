// SPDX-License-Identifier: MIT
// HTTP dates (RFC 9110 5.6.7). Pure; thread-safe; independent of locale and time zone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace quipd::http {

inline constexpr size_t kDateLength = 29;

// IMF-fixdate of seconds since 1970, such as "Sun, 06 Nov 1994 08:49:37 GMT"; no final NUL.
[[nodiscard]] std::array<char, kDateLength> FormatDate(int64_t unix_seconds);

}  // namespace quipd::http
