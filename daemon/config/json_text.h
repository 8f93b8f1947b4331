// SPDX-License-Identifier: MIT
// JSON of a rule: a YAML value as compact JSON, digit for digit and in its order, or JSON text that
// is checked and kept byte for byte. Hides the JSON library. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/problem.h"
#include "config/value.h"

namespace quipd::config {

// What is wrong with a value, and which one it is.
struct JsonFault {
  const Value* where = nullptr;
  const Value* mapping = nullptr;  // where is a key of it that has no value
  const Member* member = nullptr;
  Problem problem;
};

// A plain scalar that JSON has as a number, `true` or `false`.
[[nodiscard]] bool IsJsonLiteral(std::string_view text);

// Appends the value as compact JSON.
[[nodiscard]] std::optional<JsonFault> AppendJson(const Value& value, std::string* out);

// Whether `text` is one JSON value, white space around it allowed.
[[nodiscard]] std::optional<Problem> CheckJson(std::string_view text);

}  // namespace quipd::config
