// SPDX-License-Identifier: MIT
#include "app/escape.h"

#include <cstdint>
#include <cstring>

#include "base/ascii.h"
#include "base/utf8.h"

namespace quipd::app {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kTops = 0x8080808080808080;

// Bits of `kTops` are set for bytes of `word` that are below `limit` and have no top bit. Above a
// byte that is, one that isn't may be named as well.
constexpr uint64_t Below(uint64_t word, uint8_t limit) {
  return (word - kOnes * limit) & ~word & kTops;
}

constexpr uint64_t Equal(uint64_t word, char byte) {
  return Below(word ^ (kOnes * static_cast<unsigned char>(byte)), 1);
}

// Each of the eight bytes is printable ASCII and no quote or backslash.
constexpr bool IsPlain(uint64_t word) {
  return ((word & kTops) | Below(word, 0x20) | Equal(word, '"') | Equal(word, '\\') |
          Equal(word, 0x7F)) == 0;
}

constexpr bool IsPlain(char byte) {
  return static_cast<unsigned char>(byte) < 0x80 && !IsControl(byte) && byte != '"' && byte != '\\';
}

// How many bytes from `at` on need no escape.
size_t PlainLength(std::string_view text, size_t at) {
  const size_t begin = at;
  for (uint64_t word; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (!IsPlain(word)) break;
  }
  while (at < text.size() && IsPlain(text[at])) ++at;
  return at - begin;
}

char* Copy(std::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

char* Hex(unsigned value, int digits, char* out) {
  for (int i = digits - 1; i >= 0; --i) {
    out[i] = "0123456789abcdef"[value & 0xF];
    value >>= 4;
  }
  return out + digits;
}

// The code point of a whole character of two or three bytes; 0 of any other.
unsigned CodePoint(std::string_view character) {
  const auto low = [&](size_t i) { return static_cast<unsigned char>(character[i]) & 0x3FU; };
  const unsigned lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 2) return (lead & 0x1F) << 6 | low(1);
  if (character.size() == 3) return (lead & 0x0F) << 12 | low(1) << 6 | low(2);
  return 0;
}

bool Misleads(unsigned code_point) {
  return (code_point >= 0x80 && code_point < 0xA0) ||
         (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

char* HexBytes(std::string_view bytes, char* out) {
  for (const char byte : bytes) {
    out = Hex(static_cast<unsigned char>(byte), 2, Copy("\\x", out));
  }
  return out;
}

// Copies what is plain; `escape` writes the others: a quote or backslash, a control, a character of
// more bytes, or a byte (valid: false) that is none.
template <typename Escape>
char* Write(std::string_view text, char* out, Escape escape) {
  for (size_t at = 0; at < text.size();) {
    const size_t plain = PlainLength(text, at);
    out = Copy(text.substr(at, plain), out);
    at += plain;
    if (at == text.size()) break;
    const size_t length = CharacterLength(text, at);
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    if (length > 1 && !Misleads(CodePoint(character))) {
      out = Copy(character, out);
    } else if (*character.data() == '"' || *character.data() == '\\') {
      *out++ = '\\';
      *out++ = *character.data();
    } else {
      out = escape(character, length != 0, out);
    }
    at += character.size();
  }
  return out;
}

}  // namespace

char* EscapeText(std::string_view text, char* out) {
  return Write(text, out,
               [](std::string_view bytes, bool, char* to) { return HexBytes(bytes, to); });
}

char* EscapeJson(std::string_view text, char* out) {
  return Write(text, out, [](std::string_view bytes, bool valid, char* to) {
    if (!valid) return Copy("\xEF\xBF\xBD", to);
    const unsigned code =
        bytes.size() == 1 ? static_cast<unsigned char>(bytes[0]) : CodePoint(bytes);
    return Hex(code, 4, Copy("\\u", to));
  });
}

}  // namespace quipd::app
