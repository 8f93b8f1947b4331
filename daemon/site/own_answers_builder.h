// SPDX-License-Identifier: MIT
// Makes quipd's own answers ready at load, for each view. What would be too many (65,536 answers in
// all), or hangs on more than the longest prefix or on which extension methods a path has, is left
// out, and so composed when it is sent. Used while a Site is compiled only; what it hands out lives
// as long as the Arena and the Config.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "site/arena.h"
#include "site/own_answers.h"
#include "site/response_store.h"
#include "site/scopes.h"
#include "site/table.h"

namespace quipd::site {

class OwnAnswersBuilder {
 public:
  // `all_methods` is the Allow of "OPTIONS *".
  OwnAnswersBuilder(const config::Config& config, const Scopes& scopes,
                    std::span<const RuleError> rule_errors, std::string all_methods, Arena* arena,
                    ResponseStore* responses)
      : config_(config),
        scopes_(scopes),
        rule_errors_(rule_errors),
        all_methods_(std::move(all_methods)),
        arena_(*arena),
        responses_(*responses) {}

  // The answers to requests that come in there and look in those tables: by the longest prefix,
  // longest first; none where they are left out.
  [[nodiscard]] std::span<const OwnAnswers> Build(const Scopes::Entrance& entrance,
                                                  std::span<const Table* const> tables);

 private:
  // A prefix within an entrance, and a path under it as an example.
  struct Where {
    const Scopes::Entrance& entrance;
    const config::Path& prefix;
    std::optional<std::string> path;
  };

  [[nodiscard]] std::vector<ScopeId> Around(const Where& where, ScopeId own = 0) const;
  std::span<const ReadyAnswer> Errors(const Where& where, size_t count);
  std::span<const ReadyAllow> Allows(const Where& where, std::span<const uint16_t> allows);
  ReadyAnswer Error(const Where& where, size_t number);
  ReadyAnswer Ready(CompiledTemplate composed);

  const config::Config& config_;
  const Scopes& scopes_;
  std::span<const RuleError> rule_errors_;
  std::string all_methods_;
  Arena& arena_;
  ResponseStore& responses_;
  size_t left_ = 65536;  // that may still be made
};

}  // namespace quipd::site
