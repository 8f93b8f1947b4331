// SPDX-License-Identifier: MIT
// What quipd answers itself, where no rule does or where a rule asks for an error: composed of the
// groups around the request. Nearly all of it is made ready at load (OwnAnswersBuilder), and found
// without taking memory; what isn't ready is composed by the same functions when it is sent.
// Thread-safe; these functions allocate.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "config/config.h"
#include "site/scopes.h"
#include "site/site.h"
#include "site/template.h"

namespace quipd::site {

// An error that a rule asks for (`status: 404`), or has in place of its answer (a file that isn't
// there, a condition that failed).
struct RuleError {
  const config::Options* options = nullptr;  // of the rule
  uint16_t status = 0;
  bool asked = false;  // then the rule's `cache` counts; a miss is not kept as long as a file
  ScopeId scope = 0;   // that it stands in, or the nearest around it that has something to say

  auto operator<=>(const RuleError&) const = default;  // NOLINT(modernize-use-nullptr): clang 14
};

// Numbers of errors: these two, then the RuleErrors.
inline constexpr size_t kNotFound = 0;        // 404
inline constexpr size_t kNotImplemented = 1;  // 501
inline constexpr size_t kFirstRuleError = 2;

// An answer made at load. Where it has neither, it is composed when it is sent.
struct ReadyAnswer {
  Response response;                           // where it holds no values of the request
  const CompiledTemplate* compiled = nullptr;  // where it does
};

// To methods that no rule of the path takes, where its rules allow these together.
struct ReadyAllow {
  uint16_t allow = 0;  // as Answer::allow
  ReadyAnswer not_allowed;
  ReadyAnswer options;
};

// To the requests of a view for which this is the longest prefix of groups with something to say.
struct OwnAnswers {
  const config::Path* prefix = nullptr;  // literal; of the top level: none
  std::span<const ReadyAnswer> errors;   // by number; those behind the last aren't ready
  std::span<const ReadyAllow> allows;    // sorted by `allow`; others aren't ready
  ReadyAnswer all_methods;               // to "OPTIONS *"; without a prefix only
};

using Tokens = std::set<std::string, std::less<>>;

// The value of Allow: of Answer::allow, OPTIONS and extension methods.
[[nodiscard]] std::string AllowText(uint16_t allow, const Tokens& others);

// The error of `status` in those scopes; of a rule if `error` is not null.
[[nodiscard]] CompiledTemplate ComposeError(const config::Config& config, const Scopes& scopes,
                                            std::span<const ScopeId> around, uint16_t status,
                                            const RuleError* error, std::string allow);

// 204 with Allow.
[[nodiscard]] CompiledTemplate ComposeOptions(const config::Config& config, const Scopes& scopes,
                                              std::span<const ScopeId> around, std::string allow);

// A fault of the parser or of the server: the top level's headers and `errors`, where placeholders
// are empty. The default body where a target wants a host, which a fault doesn't have.
[[nodiscard]] CompiledTemplate ComposeFault(const config::Config& config, const Scopes& scopes,
                                            uint16_t status);

}  // namespace quipd::site
