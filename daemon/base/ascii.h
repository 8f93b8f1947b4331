// SPDX-License-Identifier: MIT
// Classes of ASCII bytes, whatever the locale. Every byte above 0x7F is in none of them. Pure;
// thread-safe.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quipd {

[[nodiscard]] constexpr bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }

[[nodiscard]] constexpr bool IsLetter(char byte) {
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

[[nodiscard]] constexpr bool IsHexDigit(char byte) {
  return IsDigit(byte) || (byte >= 'A' && byte <= 'F') || (byte >= 'a' && byte <= 'f');
}

[[nodiscard]] constexpr bool IsBlank(char byte) { return byte == ' ' || byte == '\t'; }

[[nodiscard]] constexpr bool IsControl(char byte) {
  return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
}

[[nodiscard]] constexpr char Lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
}

[[nodiscard]] inline std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& byte : lower) byte = Lower(byte);
  return lower;
}

// Without the blanks (IsBlank) around it.
[[nodiscard]] constexpr std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Appends the number in decimal digits.
inline void AppendNumber(uint64_t number, std::string* out) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out->append(digits.data(), end);
}

}  // namespace quipd
