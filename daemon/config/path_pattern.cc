// SPDX-License-Identifier: MIT
#include "config/path_pattern.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "config/spelling.h"
#include "http/path.h"

namespace quipd::config {
namespace {

constexpr size_t kMostParameters = 16;

// Bytes that stand for themselves wherever they are in a path.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned byte = 0x21; byte < 256; ++byte) plain[byte] = byte != 0x7F;
  for (const char byte : std::string_view("/.:{}%?#*"))
    plain[static_cast<unsigned char>(byte)] = false;
  return plain;
}();

// Nothing to check, decode or split: nearly every path of a large file.
bool IsPlainPath(std::string_view path) {
  if (path.empty() || path.front() != '/') return false;
  char before = 'a';
  for (const char byte : path) {
    if (!kPlain[static_cast<unsigned char>(byte)]) {
      if (byte != '/' && byte != '.' && byte != ':') return false;
      if (before == '/') return false;  // "//", "/.", "/:" are looked at with care
    }
    before = byte;
  }
  return true;
}

std::optional<Problem> At(size_t offset, std::string message, std::string hint = {}) {
  return Problem{std::move(message), std::move(hint), offset};
}

// A byte that no path may hold as it is, within a segment's literal text.
std::optional<Problem> CheckByte(std::string_view text, size_t i) {
  const char byte = text[i];
  switch (byte) {
    case '?':
      return At(i, "a path has no ?: the query is not part of it", "a literal ? is written %3F");
    case '#':
      return At(i, "a path has no #", "a literal # is written %23");
    case '*':
      return At(
          i, "a path has no *",
          "{rest...} as the last segment matches all that is left; a literal * is written %2A");
    case '}':
      return At(i, "a } without its { in a path", "a parameter is {name}; a literal } is %7D");
    case '%':
      break;
    default:
      if (static_cast<unsigned char>(byte) <= 0x20 || byte == 0x7F) {
        return At(i, "a path has no blanks and controls", "a blank is written %20");
      }
      return std::nullopt;
  }
  if (i + 2 >= text.size() || !IsHexDigit(text[i + 1]) || !IsHexDigit(text[i + 2])) {
    return At(i, "a % without two hexadecimal digits", "a literal % is written %25");
  }
  if (text[i + 1] == '0' && text[i + 2] == '0') return At(i, "a path has no %00");
  return std::nullopt;
}

// Literal text of one segment in canonical form, appended.
std::optional<Problem> Decode(std::string_view text, std::string* out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (auto problem = CheckByte(text, i)) return problem;
  }
  const size_t begin = out->size();
  const bool no_nul = http::AppendPercentDecoded(text, false, out);
  if (!no_nul) return At(0, "a path has no %00");
  std::replace(out->begin() + static_cast<std::ptrdiff_t>(begin), out->end(), '/',
               http::kDataSlash);
  return std::nullopt;
}

std::optional<Problem> CheckName(std::string_view name, size_t offset) {
  if (name.find(':') != std::string_view::npos || name.find('<') != std::string_view::npos) {
    return At(offset,
              "a constraint on a parameter, as in {" + std::string(name) +
                  "}, is reserved and not yet served",
              "write {name}");
  }
  if (IsParameterName(name)) return std::nullopt;
  return At(offset, "{" + std::string(name) + "} holds no name of a parameter",
            "a name begins with a letter or _, then letters, digits, _ and -; a literal { is %7B");
}

// One segment that holds a '{' at `open`.
std::optional<Problem> ParseParameter(std::string_view text, size_t open, bool last, Segment* out) {
  const size_t close = text.find('}', open);
  if (close == std::string_view::npos) {
    return At(open, "a { without its } in a path", "a parameter is {name}; a literal { is %7B");
  }
  std::string_view name = text.substr(open + 1, close - open - 1);
  const bool rest = name.ends_with("...");
  if (rest) name.remove_suffix(3);
  if (auto problem = CheckName(name, open)) return problem;
  const std::string_view after = text.substr(close + 1);
  if (const size_t second = after.find('{'); second != std::string_view::npos) {
    return At(close + 1 + second, "two parameters in one segment of a path",
              "put a / between them");
  }
  if (rest && (open > 0 || !after.empty())) {
    return At(open, "{" + std::string(name) + "...} stands alone in its segment");
  }
  if (rest && !last) {
    return At(open, "{" + std::string(name) + "...} is the last segment of a path");
  }
  out->name = name;
  out->kind = rest                         ? Segment::Kind::kRest
              : open == 0 && after.empty() ? Segment::Kind::kParam
                                           : Segment::Kind::kMixed;
  if (auto problem = Decode(text.substr(0, open), &out->before)) return problem;
  auto problem = Decode(after, &out->after);
  if (problem) problem->offset += close + 1;
  return problem;
}

std::optional<Problem> ParseSegment(std::string_view text, bool first, bool last, Segment* out) {
  if (text.empty()) {
    if (last) return std::nullopt;
    return At(0, first ? "a path begins with one /" : "a path has no //",
              "empty segments of a request are left out before it is matched");
  }
  if (text.front() == ':') {
    return At(0, "a segment that begins with :",
              "a parameter is written {" + std::string(text.substr(1)) +
                  "}; a literal : at the beginning is written %3A");
  }
  const size_t open = text.find('{');
  if (open != std::string_view::npos) return ParseParameter(text, open, last, out);
  if (auto problem = Decode(text, &out->before)) return problem;
  if (out->before == "." || out->before == "..") {
    return At(0, "a path has no dot segments",
              "they are resolved in a request before it is matched");
  }
  return std::nullopt;
}

std::optional<Problem> Split(std::string_view path, std::vector<Segment>* out) {
  if (path.empty() || path.front() != '/') {
    std::string hint;
    if (path.find("://") != std::string_view::npos) hint = "a host is given by the option host";
    return At(0, "a path begins with /", std::move(hint));
  }
  for (size_t begin = 1; begin <= path.size();) {
    const size_t slash = std::min(path.find('/', begin), path.size());
    Segment& segment = out->emplace_back();
    auto problem =
        ParseSegment(path.substr(begin, slash - begin), begin == 1, slash == path.size(), &segment);
    if (problem) {
      problem->offset += begin;
      return problem;
    }
    begin = slash + 1;
  }
  return std::nullopt;
}

std::string Join(const std::vector<Segment>& segments) {
  std::string canonical;
  for (const Segment& segment : segments) canonical.append("/").append(segment.before);
  return canonical;
}

// What the parameters of the joined path do to each other; `own` is the first of the path's own.
std::optional<Problem> CheckNames(const Path& path, std::string_view written) {
  const std::vector<std::string_view> names = ParametersOf(path);
  if (names.size() > kMostParameters) {
    return At(0, "a path has at most 16 parameters, not " + std::to_string(names.size()));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) ==
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    const size_t place = written.rfind("{" + std::string(names[i]));
    return At(place == std::string_view::npos ? 0 : place,
              "the parameter " + Quoted(names[i]) + " is in this path twice",
              "the prefix of a group is a part of the path");
  }
  return std::nullopt;
}

bool HasParameters(const std::vector<Segment>& segments) {
  return std::any_of(segments.begin(), segments.end(), [](const Segment& segment) {
    return segment.kind != Segment::Kind::kLiteral;
  });
}

std::optional<Problem> ParseWithCare(std::string_view prefix, std::string_view path, Path* out) {
  if (auto problem = Split(path, &out->segments)) return problem;
  if (!prefix.empty()) {
    out->segments.clear();
    if (auto problem = Split(out->written, &out->segments)) {
      problem->offset = 0;
      return problem;
    }
  }
  if (HasParameters(out->segments)) return CheckNames(*out, path);
  out->canonical = Join(out->segments);
  out->segments.clear();
  return std::nullopt;
}

}  // namespace

std::optional<Problem> ParsePath(std::string_view prefix, std::string_view path, Path* out) {
  out->written.reserve(prefix.size() + path.size());
  out->written.append(prefix).append(path);
  if (IsPlainPath(prefix.empty() ? path : out->written)) {
    out->canonical = out->written;
    return std::nullopt;
  }
  return ParseWithCare(prefix, path, out);
}

std::optional<Problem> ParsePrefix(std::string_view outer, std::string_view prefix, Path* out) {
  if (auto problem = ParsePath(outer, prefix, out)) return problem;
  if (prefix.ends_with('/')) {
    return At(prefix.size() - 1, "a prefix never ends in /",
              "it is joined with the paths of its rules, which begin with /");
  }
  if (!out->segments.empty() && out->segments.back().kind == Segment::Kind::kRest) {
    return At(0, "a prefix takes no {name...}");
  }
  return std::nullopt;
}

void MatchAllBelow(Path* path) {
  std::string_view left = path->canonical;
  while (!left.empty()) {
    left.remove_prefix(1);
    path->segments.emplace_back().before = left.substr(0, left.find('/'));
    left.remove_prefix(path->segments.back().before.size());
  }
  path->canonical.clear();
  path->segments.back().kind = Segment::Kind::kRest;
}

std::vector<std::string_view> ParametersOf(const Path& path) {
  std::vector<std::string_view> names;
  for (const Segment& segment : path.segments) {
    if (!segment.name.empty()) names.push_back(segment.name);
  }
  return names;
}

bool IsParameterName(std::string_view text) {
  if (text.empty() || (!IsLetter(text.front()) && text.front() != '_')) return false;
  return std::all_of(text.begin(), text.end(), [](char byte) {
    return IsLetter(byte) || IsDigit(byte) || byte == '_' || byte == '-';
  });
}

}  // namespace quipd::config
