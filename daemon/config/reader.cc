// SPDX-License-Identifier: MIT
#include "config/reader.h"

#include "config/spelling.h"
#include "config/units.h"

namespace quipd::config {
namespace {

std::string_view KindOf(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kMissing:
      return "nothing";
    case Value::Kind::kNull:
      return "null";
    case Value::Kind::kScalar:
      return "text";
    case Value::Kind::kSequence:
      return "a list";
    case Value::Kind::kMapping:
      return "a mapping";
  }
  return {};
}

std::string_view NounOf(Level level) {
  const bool option =
      level == Level::kRule || level == Level::kGroup || level == Level::kErrorEntry;
  return option ? "option" : "key";
}

std::string HintForKind(const Value& value, std::string_view due) {
  if (value.kind == Value::Kind::kNull) return "quote it if the text itself is meant";
  if (due == "text" && value.flow) return "quote it: text must not begin with { or [";
  return {};
}

}  // namespace

Place Reader::At(const Value& value, size_t inside) const {
  Place place{source_, value.mark};
  if (inside == 0 || value.kind != Value::Kind::kScalar) return place;
  const std::string_view bytes = source().bytes();
  size_t begin = value.mark.offset;
  if (value.style == Value::Style::kQuoted) ++begin;
  const std::string_view before = value.text.substr(0, inside);  // all of it for what stands behind
  if (begin > bytes.size() || bytes.substr(begin, before.size()) != before) {
    return place;
  }
  const auto moved = static_cast<uint32_t>(begin + inside - value.mark.offset);
  place.mark.offset += moved;
  place.mark.column += moved;
  return place;
}

void Reader::Error(const Value& value, std::string message, std::string hint, size_t inside) {
  report_->Error(At(value, inside), std::move(message), std::move(hint));
}

void Reader::Error(const Value& value, std::string_view what, Problem problem) {
  std::string message(what);
  message += ": ";
  message += problem.message;
  report_->Error(At(value, problem.offset), std::move(message), std::move(problem.hint));
}

void Reader::Error(Place place, std::string message, std::string hint) {
  report_->Error(place, std::move(message), std::move(hint));
}

void Reader::Warning(const Value& value, std::string message, std::string hint, size_t inside) {
  report_->Warning(At(value, inside), std::move(message), std::move(hint));
}

void Reader::WrongKind(const Value& value, std::string_view what, std::string_view due) {
  std::string message(what);
  message.append(": ").append(due).append(" is due here, not ").append(KindOf(value));
  Error(value, std::move(message), HintForKind(value, due));
}

std::optional<std::string_view> Reader::ReadLiteral(const Value& value, std::string_view what) {
  if (value.kind == Value::Kind::kScalar) return value.text;
  WrongKind(value, what, "text");
  return std::nullopt;
}

std::optional<std::string_view> Reader::ReadText(const Value& value, std::string_view what) {
  const std::optional<std::string_view> literal = ReadLiteral(value, what);
  if (!literal || !HasVariables(*literal)) return literal;
  Parsed<std::string> expanded = Expand(*literal, *environment_);
  if (!expanded) {
    Error(value, what, std::move(expanded.error()));
    return std::nullopt;
  }
  return expanded_.emplace_back(std::move(*expanded));
}

std::optional<std::string> Reader::ReadPath(const Value& value, std::string_view what) {
  const auto text = ReadText(value, what);
  if (!text) return std::nullopt;
  if (text->empty()) {
    Error(value, std::string(what) + ": the path is empty");
    return std::nullopt;
  }
  std::string path;
  if (text->front() != '/' && !source().folder().empty()) path = source().folder() + "/";
  return path.append(*text);
}

std::vector<Text> Reader::ReadTexts(const Value& value, std::string_view what) {
  std::vector<Text> texts;
  const auto add = [&](const Value& one) {
    if (const auto text = ReadText(one, what)) texts.push_back({*text, &one});
  };
  if (value.kind != Value::Kind::kSequence) {
    add(value);
  } else if (value.items.empty()) {
    Error(value, std::string(what) + ": the list is empty");
  } else {
    for (const Value& item : value.items) add(item);
  }
  return texts;
}

std::optional<bool> Reader::ReadSwitch(const Value& value, std::string_view what) {
  const auto text = ReadText(value, what);
  return text ? Take(value, what, ParseSwitch(*text)) : std::nullopt;
}

std::optional<uint64_t> Reader::ReadNumber(const Value& value, std::string_view what, uint64_t min,
                                           uint64_t max) {
  const auto text = ReadText(value, what);
  return text ? Take(value, what, ParseNumber(*text, min, max)) : std::nullopt;
}

std::optional<std::chrono::milliseconds> Reader::ReadDuration(const Value& value,
                                                              std::string_view what) {
  const auto text = ReadText(value, what);
  return text ? Take(value, what, ParseDuration(*text)) : std::nullopt;
}

std::optional<uint64_t> Reader::ReadSize(const Value& value, std::string_view what) {
  const auto text = ReadText(value, what);
  return text ? Take(value, what, ParseSize(*text)) : std::nullopt;
}

bool Reader::IsMapping(const Value& value, std::string_view what) {
  if (value.kind == Value::Kind::kMapping) return true;
  WrongKind(value, what, "a mapping");
  return false;
}

void Reader::Missing(const Value& mapping, const Member& member) {
  const size_t colon = member.key.text.find(':');
  std::string hint;
  if (colon != std::string_view::npos && member.key.style == Value::Style::kPlain) {
    hint = "a blank is missing after the colon";
  } else if (mapping.flow) {
    hint = "a comma in {...} ends the value: quote a value that holds one";
  } else {
    const std::string_view line = source().LineAt(member.key.mark);
    if (line.find(" #") != std::string_view::npos) {
      hint = "a # behind a blank begins a comment: quote the text";
    }
  }
  Error(member.key, Quoted(member.key.text) + " has no value", std::move(hint));
}

void Reader::Unknown(const Value& mapping, const Member& member, Level level) {
  const std::string_view name = member.key.text;
  if (IsReserved(name)) {
    return Error(member.key, Quoted(name) + " is reserved and not yet served");
  }
  std::string message = "unknown ";
  message.append(NounOf(level)).append(" ").append(Quoted(name));
  std::string hint = HintForUnknown(level, name);
  if (hint.empty() && member.value.kind == Value::Kind::kMissing) {
    if (name.find(':') != std::string_view::npos) {
      hint = "a blank is missing after the colon";
    } else if (mapping.flow) {
      hint = "a comma in {...} ends the value: quote a value that holds one";
    }
  }
  Error(member.key, std::move(message), std::move(hint));
}

bool Reader::Accept(const Value& mapping, const Member& member, Level level) {
  const Key* const key = FindKey(level, member.key.text);
  if (key == nullptr) {
    Unknown(mapping, member, level);
    return false;
  }
  if (!key->served) {
    Error(member.key, Quoted(key->name) + " is not yet served");
    return false;
  }
  if (member.value.kind == Value::Kind::kMissing) {
    Missing(mapping, member);
    return false;
  }
  return true;
}

}  // namespace quipd::config
