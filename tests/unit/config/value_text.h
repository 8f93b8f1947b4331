// SPDX-License-Identifier: MIT
// A Value as one line of text, for tests to compare: plain scalars bare, quoted ones in "", blocks
// behind |, null as it was written, a missing value as <missing>.
#pragma once

#include <string>

#include "config/value.h"

namespace quipd::config {

inline std::string TextOf(const Value& value) {
  const std::string text(value.text);
  std::string out;
  switch (value.kind) {
    case Value::Kind::kMissing:
      return "<missing>";
    case Value::Kind::kNull:
      return "<" + text + ">";
    case Value::Kind::kScalar:
      if (value.style == Value::Style::kQuoted) return '"' + text + '"';
      return value.style == Value::Style::kBlock ? "|" + text : text;
    case Value::Kind::kSequence:
      for (const Value& item : value.items) out += (out.empty() ? "" : ", ") + TextOf(item);
      return "[" + out + "]";
    case Value::Kind::kMapping:
      for (const Member& member : value.members) {
        out += (out.empty() ? "" : ", ") + TextOf(member.key) + ": " + TextOf(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

}  // namespace quipd::config
