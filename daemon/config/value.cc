// SPDX-License-Identifier: MIT
#include "config/value.h"

#include <algorithm>

#include "base/ascii.h"

namespace quipd::config {
namespace {

bool IsBlankOrEnd(char byte) { return IsBlank(byte) || byte == '\n' || byte == '\r'; }

// Behind the last character of a plain scalar. Its text differs from what is written in white space
// alone: lines are folded.
size_t EndOfPlain(std::string_view bytes, size_t offset, std::string_view text) {
  size_t end = offset;
  for (const char byte : text) {
    if (IsBlankOrEnd(byte)) continue;
    size_t at = end;
    while (at < bytes.size() && IsBlankOrEnd(bytes[at])) ++at;
    if (at == bytes.size() || bytes[at] != byte) break;
    end = at + 1;
  }
  return end;
}

// Behind the closing quote of the scalar whose opening quote is at `offset`.
size_t EndOfQuoted(std::string_view bytes, size_t offset) {
  const char quote = bytes[offset];
  for (size_t at = offset + 1; at < bytes.size(); ++at) {
    if (quote == '"' && bytes[at] == '\\') {
      ++at;
    } else if (bytes[at] == quote) {
      if (quote == '"' || at + 1 == bytes.size() || bytes[at + 1] != quote) return at + 1;
      ++at;  // '' is a quote in single quotes
    }
  }
  return bytes.size();
}

// The place of a later byte.
Mark Advance(std::string_view bytes, Mark mark, size_t offset) {
  for (size_t at = mark.offset; at < offset; ++at) {
    ++mark.column;
    if (bytes[at] == '\n') {
      ++mark.line;
      mark.column = 0;
    }
  }
  mark.offset = static_cast<uint32_t>(offset);
  return mark;
}

}  // namespace

const Value* Value::Find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [key](const Member& member) { return member.key.text == key; });
  return found == members.end() ? nullptr : &found->value;
}

Mark EndOf(const Source& source, const Value& scalar) {
  const std::string_view bytes = source.bytes();
  if (scalar.kind != Value::Kind::kScalar && scalar.kind != Value::Kind::kNull) return scalar.mark;
  if (scalar.mark.offset >= bytes.size()) return scalar.mark;
  const size_t end = scalar.style == Value::Style::kQuoted
                         ? EndOfQuoted(bytes, scalar.mark.offset)
                         : EndOfPlain(bytes, scalar.mark.offset, scalar.text);
  return Advance(bytes, scalar.mark, end);
}

std::optional<Mark> CommentBehind(const Source& source, const Value& value) {
  const bool plain = (value.kind == Value::Kind::kScalar || value.kind == Value::Kind::kNull) &&
                     value.style == Value::Style::kPlain;
  if (!plain && value.kind != Value::Kind::kMissing) return std::nullopt;
  const std::string_view bytes = source.bytes();
  const Mark end = EndOf(source, value);
  size_t at = end.offset;
  if (value.kind == Value::Kind::kMissing && at < bytes.size() && bytes[at] == ':') ++at;
  const size_t first_blank = at;
  while (at < bytes.size() && IsBlank(bytes[at])) ++at;
  if (at >= bytes.size() || bytes[at] != '#' || at == first_blank) return std::nullopt;
  return Advance(bytes, end, at);
}

std::optional<Mark> CutByComment(const Source& source, const Value& value) {
  const std::optional<Mark> hash = CommentBehind(source, value);
  if (!hash) return std::nullopt;
  const std::string_view bytes = source.bytes();
  const size_t at = hash->offset;
  const bool apart = bytes[at - 1] == '\t' || (at > 1 && IsBlank(bytes[at - 2]));
  const bool blank_behind = at + 1 == bytes.size() || IsBlankOrEnd(bytes[at + 1]);
  if (apart && blank_behind) return std::nullopt;
  return hash;
}

}  // namespace quipd::config
