// SPDX-License-Identifier: MIT
// What quipd answers itself, where no rule does or where a rule asks for an error: composed of the
// groups around the request. Where the path doesn't matter it is composed at load; else, and where
// Allow depends on the path, when it is sent. Thread-safe; these functions allocate.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>

#include "config/config.h"
#include "site/scopes.h"
#include "site/template.h"

namespace quipd::site {

// An error that a rule asks for: `status: 404`.
struct RuleError {
  const config::Options* options = nullptr;  // of the rule
  uint16_t status = 0;
  ScopeId scope = 0;  // that it stands in, or the nearest around it that has something to say

  auto operator<=>(const RuleError&) const = default;  // NOLINT(modernize-use-nullptr): clang 14
};

// The error of `status` in those scopes; of a rule if `error` is not null.
[[nodiscard]] CompiledTemplate ComposeError(const config::Config& config, const Scopes& scopes,
                                            std::span<const ScopeId> around, uint16_t status,
                                            const RuleError* error, std::string allow);

// 204 with Allow.
[[nodiscard]] CompiledTemplate ComposeOptions(const config::Config& config, const Scopes& scopes,
                                              std::span<const ScopeId> around, std::string allow);

// A fault of the parser or of the server: the top level's headers, the default body.
[[nodiscard]] CompiledTemplate ComposeFault(const config::Config& config, const Scopes& scopes,
                                            uint16_t status);

}  // namespace quipd::site
