// SPDX-License-Identifier: MIT
// The table of the language's keys: what the parser knows, where each may stand, its default in
// words, and which are known but "not yet". The parser, the "did you mean" hints and the test that
// keeps the manual in step all read this one table. Immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace quipd::config {

enum class Level : uint8_t {  // where a key may stand; a key may be listed for several
  kTop,
  kGroup,
  kRule,
  kErrorEntry,
  kListener,
  kLimits,
  kTimeouts,
  kLog,
};

struct Key {
  std::string_view name;
  Level level;
  std::string_view default_value;  // as the manual ends its entry; empty: none
  bool served = true;              // false: refused with "not yet"
};

[[nodiscard]] std::span<const Key> Keys();
[[nodiscard]] std::span<const std::string_view> Actions();

}  // namespace quipd::config
