// SPDX-License-Identifier: MIT
// Bytes of a client as text for a log: no quote ends what stands in quotes, no line end begins a
// line, no control drives a terminal. Valid UTF-8 stays as it is, but for what moves a cursor,
// ends a line or turns the direction of writing (C1 controls, U+2028 to U+202E, U+2066 to U+2069).
// Pure; thread-safe. Written where the caller has kLongestEscape bytes for each byte of the text.
#pragma once

#include <cstddef>
#include <string_view>

namespace quipd::app {

inline constexpr size_t kLongestEscape = 6;

// Between the quotes of a line of text: \" and \\, else \xHH for each byte. The end of what was
// written.
[[nodiscard]] char* EscapeText(std::string_view text, char* out);

// Between the quotes of JSON: \" and \\, \u00HH or \uHHHH; U+FFFD for a byte that isn't UTF-8.
[[nodiscard]] char* EscapeJson(std::string_view text, char* out);

}  // namespace quipd::app
