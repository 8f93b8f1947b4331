// SPDX-License-Identifier: MIT
#include "config/yaml_reader_bytes.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "base/utf8.h"

namespace quipd::config {
namespace {

using Byte = unsigned char;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Byte At(std::string_view bytes, size_t index) {
  return index < bytes.size() ? static_cast<Byte>(bytes[index]) : Byte{0};
}

// Whether the eight bytes are printable ASCII: none below 0x20, none above 0x7E.
bool AllPrintable(const char* bytes) {
  constexpr uint64_t kEach = 0x0101010101010101;
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  const uint64_t high = word & (kEach * 0x80);
  const uint64_t below_blank = (word - kEach * 0x20) & ~word & (kEach * 0x80);
  const uint64_t is_delete = word ^ (kEach * 0x7F);
  const uint64_t has_delete = (is_delete - kEach) & ~is_delete & (kEach * 0x80);
  return (high | below_blank | has_delete) == 0;
}

std::string Hex(Byte byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

// The index of the first byte that is not allowed, or the size.
size_t FirstBad(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    while (bytes.size() - at >= 8 && AllPrintable(bytes.data() + at)) at += 8;
    if (at == bytes.size()) break;
    const Byte byte = At(bytes, at);
    if (byte > 0x7F) {
      const size_t length = CharacterLength(bytes, at);
      if (length == 0 || bytes.substr(at, 3) == kByteOrderMark) return at;
      at += length;
      continue;
    }
    const bool line_end = byte == '\n' || (byte == '\r' && At(bytes, at + 1) == '\n');
    if ((byte < 0x20 && byte != '\t' && !line_end) || byte == 0x7F) return at;
    ++at;
  }
  return bytes.size();
}

bool LooksLikeUtf16(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return true;
  return bytes.size() >= 2 && (bytes[0] == '\0') != (bytes[1] == '\0');
}

// The diagnostic with '?' for each byte of its line that no terminal should get.
Diagnostic Shown(Diagnostic diagnostic, size_t bytes_before) {
  for (size_t i = bytes_before; i < diagnostic.source.size(); ++i) {
    if (At(diagnostic.source, i) > 0x7F) diagnostic.source[i] = '?';
  }
  return diagnostic;
}

}  // namespace

std::optional<Diagnostic> FindBadByte(const Source& source) {
  const std::string_view bytes = source.bytes();
  const size_t at = FirstBad(bytes);
  if (at == bytes.size()) return std::nullopt;
  const Mark mark = source.MarkAt(at);
  const Byte byte = At(bytes, at);
  if (at < 2 && LooksLikeUtf16(bytes)) {
    return Shown(source.Error(mark, "the file is UTF-16, not UTF-8", "save it as UTF-8"), 0);
  }
  if (bytes.substr(at, 3) == kByteOrderMark) {
    return source.Error(mark, "a byte order mark (U+FEFF) stands inside the file", "delete it");
  }
  if (byte > 0x7F) {
    return Shown(
        source.Error(mark, "byte " + Hex(byte) + " is not valid UTF-8", "save it as UTF-8"),
        mark.column);
  }
  if (byte == '\r') {
    return source.Error(mark, "a carriage return (0x0D) without a line feed ends this line",
                        "save it with LF or CR LF line ends");
  }
  return source.Error(mark, "control character " + Hex(byte) + " has no place in a configuration");
}

}  // namespace quipd::config
