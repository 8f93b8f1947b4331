// SPDX-License-Identifier: MIT
// ${NAME} and ${NAME:-default} in a value. What comes out is one text, never YAML, and is not
// expanded again; `$${` is a literal `${`, and any other `$` is itself. Pure but for the look-up.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "config/problem.h"

namespace quipd::config {

using Environment = std::function<const char*(const char*)>;

// Whether there is anything to expand.
[[nodiscard]] inline bool HasVariables(std::string_view text) {
  return text.find("${") != std::string_view::npos;
}

// The text with its variables replaced. A fault is a name that is none, a `${` without its `}`, or
// a variable that is unset and has no default.
[[nodiscard]] Parsed<std::string> Expand(std::string_view text, const Environment& environment);

}  // namespace quipd::config
