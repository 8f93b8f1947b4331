// SPDX-License-Identifier: MIT
// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. Pure
// functions over bytes; thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace quipd {

// The length of the character that begins at `at`, which lies within the text; 0 where none does.
[[nodiscard]] size_t CharacterLength(std::string_view text, size_t at);

// The text is characters from its beginning to its end.
[[nodiscard]] bool IsUtf8(std::string_view text);

// The byte isn't one that continues a character.
[[nodiscard]] constexpr bool StartsCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

}  // namespace quipd
