// SPDX-License-Identifier: MIT
// HTTP dates (RFC 9110 5.6.7). Pure; thread-safe; independent of locale and time zone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quipd::http {

inline constexpr size_t kDateLength = 29;

// IMF-fixdate of seconds since 1970, such as "Sun, 06 Nov 1994 08:49:37 GMT"; no final NUL.
[[nodiscard]] std::array<char, kDateLength> FormatDate(int64_t unix_seconds);

// Seconds since 1970 of a date in any of the three forms (IMF-fixdate, RFC 850, asctime); none
// where it is no date. Whether the day of the week is the date's isn't looked at. Two digits of a
// year are of the century that puts them at most 50 years after `now` (RFC 9110 5.6.7).
[[nodiscard]] std::optional<int64_t> ParseDate(std::string_view text, int64_t now);

}  // namespace quipd::http
