// SPDX-License-Identifier: MIT
// The table of the language's keys: what the parser knows, where each may stand, its default in
// words, and which are known but "not yet". The parser, the "did you mean" hints and the test that
// keeps the manual in step all read this one table. Immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quipd::config {

enum class Level : uint8_t {  // where a key may stand; a key may be listed for several
  kTop,
  kGroup,
  kRule,
  kErrorEntry,
  kListener,
  kTls,
  kLimits,
  kTimeouts,
  kLog,
  kAccessLog,
};

struct Key {
  std::string_view name;
  Level level;
  std::string_view default_value;  // as the manual ends its entry; empty: none
  bool served = true;              // false: refused with "not yet"
};

[[nodiscard]] std::span<const Key> Keys();

// The actions of a rule, those that are "not yet" too.
[[nodiscard]] std::span<const std::string_view> Actions();

// Words kept for later: as a key anywhere, or as an action, they are "not yet".
[[nodiscard]] std::span<const std::string_view> ReservedWords();

// The entry of that level, or null.
[[nodiscard]] const Key* FindKey(Level level, std::string_view name);

[[nodiscard]] bool IsReserved(std::string_view word);

// What helps who wrote an unknown key there: the nearest known one, or where that key belongs.
[[nodiscard]] std::string HintForUnknown(Level level, std::string_view name);

}  // namespace quipd::config
