// SPDX-License-Identifier: MIT
#include "site/template.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/ascii.h"
#include "base/utf8.h"
#include "http/path.h"

namespace quipd::site {
namespace {

using config::Piece;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string_view HtmlOf(char byte) {
  switch (byte) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

void AppendJson(std::string_view text, std::string* out) {
  for (size_t at = 0; at < text.size();) {
    const char byte = text[at];
    if (byte == '"' || byte == '\\') {
      out->push_back('\\');
      out->push_back(byte);
      ++at;
    } else if (static_cast<unsigned char>(byte) < 0x20) {
      out->append("\\u00");
      out->push_back(kHexDigits[static_cast<unsigned char>(byte) >> 4]);
      out->push_back(kHexDigits[byte & 15]);
      ++at;
    } else {
      const size_t length = CharacterLength(text, at);
      out->append(length == 0 ? kReplacement : text.substr(at, length));
      at += std::max<size_t>(length, 1);
    }
  }
}

void AppendHtml(std::string_view text, std::string* out) {
  for (const char byte : text) {
    const std::string_view entity = HtmlOf(byte);
    if (entity.empty()) {
      out->push_back(byte);
    } else {
      out->append(entity);
    }
  }
}

// A NUL that is data, not a slash of data, is %00.
void AppendTarget(std::string_view text, bool keep_slash, bool of_path, std::string* out) {
  while (!of_path && !text.empty()) {
    const size_t nul = std::min(text.find('\0'), text.size());
    http::AppendPercentEncoded(text.substr(0, nul), keep_slash, out);
    if (nul == text.size()) return;
    out->append("%00");
    text.remove_prefix(nul + 1);
  }
  if (of_path) http::AppendPercentEncoded(text, keep_slash, out);
}

bool IsUnreserved(char byte) {
  const int lower = byte | 0x20;
  return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' ||
         byte == '.' || byte == '_' || byte == '~';
}

bool StaysAsItIs(char byte, Escape escape) {
  switch (escape) {
    case Escape::kRaw:
      return true;
    case Escape::kHtml:
      return HtmlOf(byte).empty();
    case Escape::kJson:
      return byte >= 0x20 && byte != '"' && byte != '\\';
    case Escape::kHeader:
      return !IsControl(byte);
    case Escape::kTarget:
      return IsUnreserved(byte);
    case Escape::kTargetPath:
      return IsUnreserved(byte) || byte == '/';
  }
  return false;
}

// The value of the first cookie of that name (RFC 6265 4.2).
std::string_view CookieOf(std::string_view fields, std::string_view name) {
  http::FieldReader reader(fields);
  http::Field field;
  while (reader.Next(&field)) {
    if (!http::EqualsIgnoreCase(field.name, "cookie")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(';'), rest.size());
      std::string_view pair = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      while (!pair.empty() && (pair.front() == ' ' || pair.front() == '\t')) pair.remove_prefix(1);
      while (!pair.empty() && (pair.back() == ' ' || pair.back() == '\t')) pair.remove_suffix(1);
      if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
        return pair.substr(name.size() + 1);
      }
    }
  }
  return {};
}

// Appends the first value of that name in a query, decoded as a form would be.
void AppendQueryValue(std::string_view query, std::string_view name, std::string* out) {
  const size_t begin = out->size();
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const size_t equals = std::min(pair.find('='), pair.size());
    http::AppendPercentDecoded(pair.substr(0, equals), true, out);
    const bool found = std::string_view(*out).substr(begin) == name;
    out->resize(begin);
    if (!found) continue;
    if (equals < pair.size()) http::AppendPercentDecoded(pair.substr(equals + 1), true, out);
    return;
  }
}

void AppendHost(std::string_view authority, std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + authority.size());
  out->resize(begin + http::CanonicalHost(authority, out->data() + begin));
}

void AppendValue(const Part& part, const Request& request, const Scratch& scratch,
                 std::string* out) {
  const http::RequestHead& head = *request.head;
  const size_t begin = out->size();
  bool of_path = false;
  switch (part.value) {
    case Piece::Kind::kText:
      return;
    case Piece::Kind::kParam: {
      if (part.index >= scratch.param_count) return;
      const Param& param = scratch.params[part.index];
      out->append(param.data, param.size);
      of_path = true;
      break;
    }
    case Piece::Kind::kHost:
      AppendHost(head.authority, out);
      break;
    case Piece::Kind::kPath:
      out->append(scratch.canonical);
      of_path = true;
      break;
    case Piece::Kind::kMethod:
      out->append(head.method);
      break;
    case Piece::Kind::kScheme:
      out->append(request.secure ? "https" : "http");
      break;
    case Piece::Kind::kClient:
      out->append(request.client);
      break;
    case Piece::Kind::kQuery:
      AppendQueryValue(head.query, part.text, out);
      break;
    case Piece::Kind::kHeader:
      out->append(http::FindField(head.fields, part.text));
      break;
    case Piece::Kind::kCookie:
      out->append(CookieOf(head.fields, part.text));
      break;
  }
  EscapeTail(out, begin, part.escape, of_path);
}

// Cuts a target that begins with two slashes, which would name another host, to one.
void CutSlashes(std::string* out, size_t begin) {
  if (begin >= out->size() || (*out)[begin] != '/') return;
  const size_t rest = out->find_first_not_of("/\\", begin + 1);
  out->erase(begin + 1, std::min(rest, out->size()) - begin - 1);
}

void RenderParts(const std::vector<Part>& parts, const Request& request, const Scratch& scratch,
                 std::string* out) {
  size_t target = 0;
  for (const Part& part : parts) {
    switch (part.kind) {
      case Part::Kind::kText:
        out->append(part.text);
        break;
      case Part::Kind::kValue:
        AppendValue(part, request, scratch, out);
        break;
      case Part::Kind::kTargetBegin:
        target = out->size();
        break;
      case Part::Kind::kTargetEnd:
        CutSlashes(out, target);
        break;
      case Part::Kind::kQuery:
        if (request.head->query.empty()) break;
        if (part.separator != 0) out->push_back(part.separator);
        out->append(request.head->query);
        break;
    }
  }
}

struct Digits {
  explicit Digits(size_t number) {
    size = static_cast<size_t>(std::to_chars(text.data(), text.data() + text.size(), number).ptr -
                               text.data());
  }
  std::array<char, 20> text;
  size_t size;
};

// Text of a target: what isn't ASCII is percent-encoded, all else is as written.
std::string TargetText(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      out.push_back(text[i]);
    } else {
      http::AppendPercentEncoded(text.substr(i, 1), false, &out);
    }
  }
  return out;
}

// True where what follows `target` is a part of its host.
bool EndsInHost(std::string_view target) {
  const size_t scheme = target.find("://");
  return scheme != std::string_view::npos &&
         target.find_first_of("/?#", scheme + 3) == std::string_view::npos;
}

}  // namespace

void EscapeTail(std::string* out, size_t begin, Escape escape, bool of_path) {
  const bool target = escape == Escape::kTarget || escape == Escape::kTargetPath;
  if (of_path && !target) {
    std::replace(out->begin() + static_cast<std::ptrdiff_t>(begin), out->end(), http::kDataSlash,
                 '/');
  }
  const std::string_view value = std::string_view(*out).substr(begin);
  const bool ready =
      std::ranges::all_of(value, [escape](char byte) { return StaysAsItIs(byte, escape); });
  if (ready) return;
  if (escape == Escape::kHeader) {
    out->erase(
        std::remove_if(out->begin() + static_cast<std::ptrdiff_t>(begin), out->end(), IsControl),
        out->end());
    return;
  }
  // Escaped behind the value, which then gives way to it. Growth would move what is read, so the
  // room is made first: no escape takes more than 6 bytes a byte.
  const size_t size = value.size();
  out->reserve(begin + size * 7);
  const std::string_view raw(out->data() + begin, size);
  if (escape == Escape::kHtml) AppendHtml(raw, out);
  if (escape == Escape::kJson) AppendJson(raw, out);
  if (target) AppendTarget(raw, escape == Escape::kTargetPath, of_path, out);
  out->erase(begin, size);
}

void CompiledTemplate::AddTextTo(std::vector<Part>* parts, std::string_view text) {
  if (text.empty()) return;
  if (parts->empty() || parts->back().kind != Part::Kind::kText) parts->emplace_back();
  parts->back().text.append(text);
}

void CompiledTemplate::AddPiecesTo(std::vector<Part>* parts, const config::Template& pieces,
                                   Escape escape) {
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::kText) {
      AddTextTo(parts, piece.text);
      continue;
    }
    Part part;
    part.kind = Part::Kind::kValue;
    part.value = piece.kind;
    part.escape = escape;
    part.index = piece.index;
    part.text = piece.text;
    parts->push_back(std::move(part));
  }
}

void CompiledTemplate::AddTarget(const config::Representation& redirect, bool keep_query) {
  config::Template pieces = redirect.pieces;
  if (pieces.empty()) pieces.push_back({Piece::Kind::kText, 0, redirect.payload});
  head_.emplace_back().kind = Part::Kind::kTargetBegin;
  std::string written;  // before a fragment, values left out
  bool query_due = keep_query;
  const auto add_query = [&] {
    if (!query_due) return;
    Part part;
    part.kind = Part::Kind::kQuery;
    const bool open = written.ends_with('?') || written.ends_with('&');
    part.separator = written.find('?') == std::string::npos ? '?' : open ? '\0' : '&';
    head_.push_back(std::move(part));
    query_due = false;
  };
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::kText) {
      const std::string text = TargetText(piece.text);
      const size_t fragment = std::min(text.find('#'), text.size());
      AddText(std::string_view(text).substr(0, fragment));
      written.append(text, 0, fragment);
      if (fragment == text.size()) continue;
      add_query();
      AddText(std::string_view(text).substr(fragment));
      continue;
    }
    const bool host = piece.kind == Piece::Kind::kHost;
    wants_host_ = wants_host_ || host;
    Escape escape = host && EndsInHost(written) ? Escape::kHeader : Escape::kTarget;
    if (piece.kind == Piece::Kind::kPath || piece.kind == Piece::Kind::kParam) {
      escape = Escape::kTargetPath;  // a segment's own '/' is no '/' there (http/path.h)
    }
    AddPieces({piece}, escape);
    if (query_due) written.push_back('x');
  }
  add_query();
  head_.emplace_back().kind = Part::Kind::kTargetEnd;
}

CompiledTemplate::Needs CompiledTemplate::needs() const {
  Needs needs = Needs::kNothing;
  for (const std::vector<Part>* parts : {&head_, &body_}) {
    for (const Part& part : *parts) {
      if (part.kind == Part::Kind::kValue) return Needs::kRequest;
      if (part.kind == Part::Kind::kQuery) needs = Needs::kQuery;
    }
  }
  return needs;
}

size_t CompiledTemplate::Render(const Request& request, const Scratch& scratch,
                                std::string_view date, bool head_only, std::string* out,
                                size_t* head_size) const {
  constexpr std::string_view kLength = "Content-Length: ";
  const size_t begin = out->size();
  RenderParts(head_, request, scratch, out);
  // The body's length is known once it is there; its digits are made room for by a guess, which is
  // mended where it was wrong.
  size_t literal = 0;
  for (const Part& part : body_) literal += part.kind == Part::Kind::kText ? part.text.size() : 16;
  const Digits guess(literal);
  size_t length_at = 0;
  if (has_length_) {
    out->append(kLength);
    length_at = out->size();
    out->append(guess.text.data(), guess.size).append("\r\n");
  }
  size_t date_at = out->size();
  out->append("Date: ").append(date).append("\r\n\r\n");
  size_t body_at = out->size();
  if (has_length_) {
    RenderParts(body_, request, scratch, out);
    const Digits length(out->size() - body_at);
    out->replace(length_at, guess.size, length.text.data(), length.size);
    date_at += length.size - guess.size;
    body_at += length.size - guess.size;
    if (head_only) out->resize(body_at);
  }
  *head_size = body_at - begin;
  return date_at;
}

}  // namespace quipd::site
