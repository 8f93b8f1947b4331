// SPDX-License-Identifier: MIT
// `{{name}}` in text: a Template of pieces. Pure; thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "config/config.h"
#include "config/problem.h"

namespace quipd::config {

// Whether the text holds what a template would replace.
[[nodiscard]] inline bool HasBraces(std::string_view text) {
  return text.find("{{") != std::string_view::npos;
}

// The text as pieces; `parameters` are the names of the rule's path, in order, which beat the
// built-in names. `{{{{` is a literal `{{`.
[[nodiscard]] Parsed<Template> ParseTemplate(std::string_view text,
                                             std::span<const std::string_view> parameters);

// The first `{{parameter}}` of this path in a text that is not a template, with its offset.
[[nodiscard]] std::optional<Problem> FindForgotten(std::string_view text,
                                                   std::span<const std::string_view> parameters);

}  // namespace quipd::config
