// SPDX-License-Identifier: MIT
#include "config/redirect_target.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "config/placeholders.h"
#include "config/spelling.h"

namespace quipd::config {
namespace {

constexpr std::string_view kNeverInUri = "\"<>\\^`|";

// The length of `scheme://` at the beginning, or 0. `{{scheme}}` is http or https, so it may stand
// for the scheme.
size_t SchemeLength(std::string_view text) {
  for (const std::string_view filled : {"{{scheme}}://", "{{ scheme }}://"}) {
    if (text.starts_with(filled)) return filled.size();
  }
  size_t i = 0;
  if (text.empty() || !IsLetter(text[0])) return 0;
  while (i < text.size() && (IsLetter(text[i]) || IsDigit(text[i]) || text[i] == '+' ||
                             text[i] == '.' || text[i] == '-')) {
    ++i;
  }
  return text.substr(i).starts_with("://") ? i + 3 : 0;
}

std::optional<Problem> CheckByte(std::string_view text, size_t i) {
  const char byte = text[i];
  const auto code = static_cast<unsigned char>(byte);
  if (code <= 0x20 || code == 0x7F) {
    return Problem{"the target has no blanks and controls", "a blank is written %20", i};
  }
  if (kNeverInUri.find(byte) != kNeverInUri.npos) {
    return Problem{std::string("the target has no ") + byte, "it is written percent-encoded", i};
  }
  if (byte == '%' &&
      (i + 2 >= text.size() || !IsHexDigit(text[i + 1]) || !IsHexDigit(text[i + 2]))) {
    return Problem{"a % without two hexadecimal digits", "a literal % is written %25", i};
  }
  return std::nullopt;
}

// Literal text around placeholders, each byte of it. A placeholder's inside is skipped.
std::optional<Problem> CheckBytes(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("{{") && !text.substr(i).starts_with("{{{")) {
      const size_t close = text.find("}}", i);
      if (close == text.npos) return Problem{"a {{ without its }}", {}, i};
      i = close + 1;
      continue;
    }
    if (text[i] == '{' || text[i] == '}') {
      const size_t close = text.find('}', i);
      const std::string_view inside =
          close == text.npos ? std::string_view() : text.substr(i + 1, close - i - 1);
      return Problem{"a single brace in the target",
                     "a placeholder is written {{" + std::string(inside.empty() ? "name" : inside) +
                         "}}; a literal brace is %7B or %7D",
                     i};
    }
    if (auto problem = CheckByte(text, i)) return problem;
  }
  return std::nullopt;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The host after `scheme://` at `begin`: ends at the path, the query or the fragment.
std::optional<Problem> CheckHost(std::string_view text, size_t begin,
                                 std::span<const std::string_view> parameters) {
  const bool path_is_free =
      std::find(parameters.begin(), parameters.end(), "path") == parameters.end();
  const bool host_is_free =
      std::find(parameters.begin(), parameters.end(), "host") == parameters.end();
  size_t i = begin;
  while (i < text.size() && text[i] != '/' && text[i] != '?' && text[i] != '#') {
    if (!text.substr(i).starts_with("{{")) {
      ++i;
      continue;
    }
    const size_t close = text.find("}}", i);
    const std::string_view name = Trimmed(text.substr(i + 2, close - i - 2));
    if (name == "path" && path_is_free) break;  // it begins with the slash that ends the host
    if (name != "host" || !host_is_free) {
      return Problem{"only {{host}} may stand in the target's host",
                     "else a request could choose where it leads; a path needs its / before {{" +
                         std::string(name) + "}}",
                     i};
    }
    i = close + 2;
  }
  if (i == begin) return Problem{"the target has no host", {}, begin};
  return std::nullopt;
}

std::optional<Problem> CheckShape(std::string_view text,
                                  std::span<const std::string_view> parameters) {
  const size_t scheme = SchemeLength(text);
  if (scheme > 0) return CheckHost(text, scheme, parameters);
  if (text.starts_with("//") || text.starts_with("/\\")) {
    return Problem{"the target never begins with //", "another host is written https://", 0};
  }
  if (text.starts_with('/')) return std::nullopt;
  std::string hint = "write /" + std::string(text) + ", or https:// before a host";
  if (text.starts_with("{{")) hint = "a request could choose where it leads: write a / before it";
  return Problem{"the target begins with / or scheme://", std::move(hint), 0};
}

std::string EncodeHigh(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x80) {
      out.push_back(byte);
    } else {
      out.append({'%', kHex[code >> 4], kHex[code & 15]});
    }
  }
  return out;
}

}  // namespace

Parsed<Target> ParseTarget(std::string_view text, std::span<const std::string_view> parameters) {
  if (auto problem = CheckBytes(text)) return tl::unexpected(std::move(*problem));
  if (auto problem = CheckShape(text, parameters)) return tl::unexpected(std::move(*problem));
  Target target{EncodeHigh(text), {}};
  if (!HasBraces(text)) return target;
  Parsed<Template> pieces = ParseTemplate(text, parameters);
  if (!pieces) return tl::unexpected(std::move(pieces.error()));
  for (Piece& piece : *pieces) {
    if (piece.kind == Piece::Kind::kText) piece.text = EncodeHigh(piece.text);
  }
  target.pieces = std::move(*pieces);
  return target;
}

}  // namespace quipd::config
