// SPDX-License-Identifier: MIT
// The three words that begin a rule: METHODS PATH ACTION. Pure; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "config/config.h"
#include "config/problem.h"

namespace quipd::config {

// A key as words, views into it.
struct RuleWords {
  std::string_view methods;
  std::string_view path;
  std::string_view action;
  size_t path_offset = 0;
  size_t action_offset = 0;
};

// Whether a key of a mapping is meant as that of a rule: it has a blank or a tab inside.
[[nodiscard]] bool IsRuleKey(std::string_view key);

[[nodiscard]] Parsed<RuleWords> SplitRuleKey(std::string_view key);

// `ANY`, or upper-case tokens joined by commas.
[[nodiscard]] std::optional<Problem> ParseMethods(std::string_view text, Methods* out);

// What the action dir has against the METHODS and the PATH of its rule, both without fault else.
[[nodiscard]] std::optional<Problem> CheckDirMethods(std::string_view methods);
[[nodiscard]] std::optional<Problem> CheckDirPath(std::string_view path);

[[nodiscard]] Parsed<Action> ParseAction(std::string_view text);

}  // namespace quipd::config
