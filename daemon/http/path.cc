// SPDX-License-Identifier: MIT
#include "http/path.h"

#include <cstdint>

#include "base/check.h"

namespace quipd::http {
namespace {

// The value of a hex digit, or -1.
int HexValue(char byte) {
  if (byte >= '0' && byte <= '9') {
    return byte - '0';
  }
  const int lower = byte | 0x20;
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The byte that "%XY" at `index` stands for, or -1.
int DecodedByte(std::string_view text, size_t index) {
  if (text.size() - index < 3) {
    return -1;
  }
  const int high = HexValue(text[index + 1]);
  const int low = HexValue(text[index + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool IsAlphaNumeric(char byte) {
  const int lower = byte | 0x20;
  return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9');
}

bool IsUnreserved(char byte) {
  return IsAlphaNumeric(byte) || byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

// Decodes the segment of `raw` that begins at `*index` to out[*length], up to a '/' or the end.
PathFault DecodeSegment(std::string_view raw, size_t* index, char* out, size_t* length) {
  size_t from = *index;
  size_t to = *length;
  for (; from < raw.size() && raw[from] != '/'; ++from) {
    if (raw[from] != '%') {
      if (raw[from] == '\0') {
        return PathFault::kNul;
      }
      out[to++] = raw[from];
      continue;
    }
    const int byte = DecodedByte(raw, from);
    if (byte < 0) {
      return PathFault::kPercent;
    }
    if (byte == 0) {
      return PathFault::kNul;
    }
    out[to++] = byte == '/' ? kDataSlash : static_cast<char>(byte);
    from += 2;
  }
  *index = from;
  *length = to;
  return PathFault::kNone;
}

// The length of `out` without its last segment, the '/' in front of that kept; "/" stays.
size_t WithoutLastSegment(const char* out, size_t length) {
  if (length == 1) {
    return 1;
  }
  do {
    --length;
  } while (out[length - 1] != '/');
  return length;
}

}  // namespace

PathFault CanonicalPath(std::string_view raw, char* out, size_t* length) {
  Check(!raw.empty() && raw.front() == '/');
  out[0] = '/';
  size_t written = 1;  // out[written - 1] is '/' whenever a segment begins
  for (size_t index = 1; index <= raw.size(); ++index) {
    const size_t start = written;
    if (const PathFault fault = DecodeSegment(raw, &index, out, &written);
        fault != PathFault::kNone) {
      return fault;
    }
    const std::string_view segment(out + start, written - start);
    if (segment.empty() || segment == ".") {
      written = start;
    } else if (segment == "..") {
      written = WithoutLastSegment(out, start);
    } else if (index < raw.size()) {
      out[written++] = '/';
    }
  }
  *length = written;
  return PathFault::kNone;
}

std::string DecodedText(std::string_view canonical) {
  std::string text(canonical);
  for (char& byte : text) {
    if (byte == kDataSlash) {
      byte = '/';
    }
  }
  return text;
}

void AppendPercentEncoded(std::string_view text, bool keep_slash, std::string* out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char byte : text) {
    if (IsUnreserved(byte) || (keep_slash && byte == '/')) {
      out->push_back(byte);
      continue;
    }
    const auto value = static_cast<uint8_t>(byte == kDataSlash ? '/' : byte);
    out->push_back('%');
    out->push_back(kDigits[value >> 4]);
    out->push_back(kDigits[value & 15]);
  }
}

bool AppendPercentDecoded(std::string_view text, bool plus_is_blank, std::string* out) {
  bool clean = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const int decoded = text[i] == '%' ? DecodedByte(text, i) : -1;
    if (decoded >= 0) {
      clean = clean && decoded != 0;
      out->push_back(static_cast<char>(decoded));
      i += 2;
    } else {
      out->push_back(plus_is_blank && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return clean;
}

size_t CanonicalHost(std::string_view authority, char* out) {
  const bool bracketed = authority.starts_with('[');
  const size_t end = bracketed ? authority.find(']') : authority.find(':');
  std::string_view host = authority;
  if (end != std::string_view::npos) {
    host = authority.substr(0, bracketed ? end + 1 : end);
  }
  if (host.ends_with('.')) {
    host.remove_suffix(1);
  }
  for (size_t i = 0; i < host.size(); ++i) {
    const bool upper = host[i] >= 'A' && host[i] <= 'Z';
    out[i] = upper ? static_cast<char>(host[i] | 0x20) : host[i];
  }
  return host.size();
}

}  // namespace quipd::http
