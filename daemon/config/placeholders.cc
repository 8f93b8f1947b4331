// SPDX-License-Identifier: MIT
#include "config/placeholders.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "config/spelling.h"

namespace quipd::config {
namespace {

struct BuiltIn {
  std::string_view name;
  Piece::Kind kind;
};

constexpr BuiltIn kBuiltIns[] = {
    {"host", Piece::Kind::kHost},     {"path", Piece::Kind::kPath},
    {"method", Piece::Kind::kMethod}, {"scheme", Piece::Kind::kScheme},
    {"client", Piece::Kind::kClient},
};

constexpr BuiltIn kFamilies[] = {
    {"query.", Piece::Kind::kQuery},
    {"header.", Piece::Kind::kHeader},
    {"cookie.", Piece::Kind::kCookie},
};

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

bool IsFreeName(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n{}") == text.npos;
}

std::string HintFor(std::string_view name, std::span<const std::string_view> parameters) {
  std::vector<std::string_view> known(parameters.begin(), parameters.end());
  for (const BuiltIn& one : kBuiltIns) known.push_back(one.name);
  std::string hint = DidYouMean(name, known);
  if (!hint.empty()) return hint;
  known.insert(known.end(), {"query.NAME", "header.NAME", "cookie.NAME"});
  return "known are " + Listing(known) + "; {{{{ is a literal {{";
}

Parsed<Piece> PieceNamed(std::string_view name, std::span<const std::string_view> parameters) {
  const auto parameter = std::find(parameters.begin(), parameters.end(), name);
  if (parameter != parameters.end()) {
    return Piece{Piece::Kind::kParam, static_cast<uint16_t>(parameter - parameters.begin()),
                 std::string(name)};
  }
  for (const BuiltIn& one : kBuiltIns) {
    if (one.name == name) return Piece{one.kind, 0, {}};
  }
  for (const BuiltIn& family : kFamilies) {
    if (name.starts_with(family.name) && IsFreeName(name.substr(family.name.size()))) {
      return Piece{family.kind, 0, std::string(name.substr(family.name.size()))};
    }
  }
  return Wrong("unknown placeholder {{" + std::string(name) + "}}", HintFor(name, parameters));
}

}  // namespace

Parsed<Template> ParseTemplate(std::string_view text,
                               std::span<const std::string_view> parameters) {
  Template pieces;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) pieces.push_back({Piece::Kind::kText, 0, std::move(literal)});
    literal.clear();
  };
  for (size_t done = 0;;) {
    const size_t open = std::min(text.find("{{", done), text.size());
    literal.append(text.substr(done, open - done));
    if (open == text.size()) break;
    if (text.substr(open).starts_with("{{{{")) {
      literal.append("{{");
      done = open + 4;
      continue;
    }
    const size_t close = text.find("}}", open);
    if (close == text.npos) {
      return Wrong("a {{ without its }}", "{{{{ is a literal {{", open);
    }
    Parsed<Piece> piece = PieceNamed(Trimmed(text.substr(open + 2, close - open - 2)), parameters);
    if (!piece) {
      piece.error().offset = open;
      return tl::unexpected(std::move(piece.error()));
    }
    flush();
    pieces.push_back(std::move(*piece));
    done = close + 2;
  }
  flush();
  return pieces;
}

std::optional<Problem> FindForgotten(std::string_view text,
                                     std::span<const std::string_view> parameters) {
  if (parameters.empty()) return std::nullopt;
  for (size_t open = text.find("{{"); open != text.npos; open = text.find("{{", open + 2)) {
    const size_t close = text.find("}}", open);
    if (close == text.npos) break;
    const std::string_view name = Trimmed(text.substr(open + 2, close - open - 2));
    if (std::find(parameters.begin(), parameters.end(), name) != parameters.end()) {
      return Problem{"{{" + std::string(name) + "}} is sent as it is written",
                     "to have it replaced, add the option template: on", open};
    }
  }
  return std::nullopt;
}

}  // namespace quipd::config
