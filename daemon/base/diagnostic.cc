// SPDX-License-Identifier: MIT
#include "base/diagnostic.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"

namespace quipd {
namespace {

constexpr size_t kShownCharacters = 120;
constexpr size_t kBeforeCaret = 60;

// The bytes of the characters [first, first + count).
std::string_view Characters(std::string_view text, size_t first, size_t count) {
  size_t character = 0;
  size_t begin = text.size();
  size_t end = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    if (!StartsCharacter(text[i])) continue;
    if (character == first) begin = i;
    if (character == first + count) {
      end = i;
      break;
    }
    ++character;
  }
  return text.substr(begin, end - std::min(begin, end));
}

std::string Printable(std::string_view text) {
  std::string out(text);
  for (char& byte : out) {
    if (byte == '\t') byte = ' ';
    if (IsControl(byte)) byte = '.';
  }
  return out;
}

// The source line and the caret under its place, each behind four blanks.
std::string Excerpt(const Diagnostic& diagnostic) {
  const size_t caret = diagnostic.column > 0 ? static_cast<size_t>(diagnostic.column) - 1 : 0;
  const size_t first = caret > kShownCharacters - 20 ? caret - kBeforeCaret : 0;
  std::string out = "    ";
  out += Printable(Characters(diagnostic.source, first, kShownCharacters));
  out += '\n';
  if (diagnostic.column > 0) {
    out.append(4 + caret - first, ' ');
    out += "^\n";
  }
  return out;
}

}  // namespace

Diagnostic Fault(std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

tl::unexpected<Diagnostics> Fail(std::string message, std::string hint) {
  return tl::unexpected(Diagnostics{Fault(std::move(message), std::move(hint))});
}

bool HasErrors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Diagnostic::Severity::kError;
  });
}

std::string ToLine(const Diagnostic& diagnostic) {
  std::string out;
  if (!diagnostic.file.empty()) {
    out += Printable(diagnostic.file);
    if (diagnostic.line > 0) out += ':' + std::to_string(diagnostic.line);
    if (diagnostic.line > 0 && diagnostic.column > 0) {
      out += ':' + std::to_string(diagnostic.column);
    }
    out += ": ";
  }
  out += diagnostic.severity == Diagnostic::Severity::kError ? "error: " : "warning: ";
  out += Printable(diagnostic.message);
  return out;
}

std::string ToText(const Diagnostic& diagnostic) {
  std::string out = ToLine(diagnostic) + '\n';
  if (!diagnostic.source.empty()) out += Excerpt(diagnostic);
  if (!diagnostic.hint.empty()) out += "  hint: " + Printable(diagnostic.hint) + '\n';
  return out;
}

std::string ToText(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += ToText(diagnostic);
  return out;
}

}  // namespace quipd
