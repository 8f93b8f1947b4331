// SPDX-License-Identifier: MIT
#include "site/own_answers_builder.h"

#include <set>

namespace quipd::site {
namespace {

constexpr size_t kMostPrefixes = 64;  // of one view: they are tried one by one
constexpr size_t kMostAllows = 64;    // of one view

// What the rules of a path can allow together, without extension methods: those of at most one
// exact path in each table, and of any paths with parameters.
std::vector<uint16_t> PossibleAllows(std::span<const Table* const> tables) {
  std::set<uint16_t> found{0};
  const auto join = [&found](const std::set<uint16_t>& with, uint16_t allow) {
    for (const uint16_t other : with) {
      if (found.size() <= kMostAllows) found.insert(static_cast<uint16_t>(other | allow));
    }
  };
  for (const Table* table : tables) {
    const auto before = std::set<uint16_t>(found);
    for (const uint16_t allow : table->exact_allows()) join(before, allow);
    for (const uint16_t allow : table->pattern_allows()) join(std::set<uint16_t>(found), allow);
  }
  std::erase_if(found, [](uint16_t allow) { return allow == 0 || (allow & kAllowOthers) != 0; });
  return {found.begin(), found.end()};
}

}  // namespace

ReadyAnswer OwnAnswersBuilder::Ready(CompiledTemplate composed) {
  if (composed.needs() == CompiledTemplate::Needs::kNothing) {
    return {responses_.Store(composed), nullptr};
  }
  return {{}, responses_.Keep(std::move(composed))};
}

std::vector<ScopeId> OwnAnswersBuilder::Around(const Where& where, ScopeId own) const {
  return scopes_.Around(where.entrance, where.path, own);
}

ReadyAnswer OwnAnswersBuilder::Error(const Where& where, size_t number) {
  if (number >= kFirstRuleError) {
    const RuleError& error = rule_errors_[number - kFirstRuleError];
    return Ready(
        ComposeError(config_, scopes_, Around(where, error.scope), error.status, &error, {}));
  }
  const uint16_t status = number == kNotFound ? 404 : 501;
  return Ready(ComposeError(config_, scopes_, Around(where), status, nullptr, {}));
}

std::span<const ReadyAnswer> OwnAnswersBuilder::Errors(const Where& where, size_t count) {
  const std::span<ReadyAnswer> errors = arena_.NewArray<ReadyAnswer>(count);
  for (size_t i = 0; i < count; ++i) errors[i] = Error(where, i);
  return errors;
}

std::span<const ReadyAllow> OwnAnswersBuilder::Allows(const Where& where,
                                                      std::span<const uint16_t> allows) {
  const std::vector<ScopeId> around = Around(where);
  const std::span<ReadyAllow> made = arena_.NewArray<ReadyAllow>(allows.size());
  for (size_t i = 0; i < allows.size(); ++i) {
    const std::string text = AllowText(allows[i], {});
    made[i].allow = allows[i];
    made[i].not_allowed = Ready(ComposeError(config_, scopes_, around, 405, nullptr, text));
    made[i].options = Ready(ComposeOptions(config_, scopes_, around, text));
  }
  return made;
}

std::span<const OwnAnswers> OwnAnswersBuilder::Build(const Scopes::Entrance& entrance,
                                                     std::span<const Table* const> tables) {
  const std::optional<std::vector<const config::Path*>> prefixes = scopes_.Prefixes(entrance);
  if (!prefixes.has_value() || prefixes->size() > kMostPrefixes) return {};
  std::vector<uint16_t> allows = PossibleAllows(tables);
  size_t errors = kFirstRuleError + rule_errors_.size();
  size_t made = prefixes->size() * (errors + 2 * allows.size());
  if (made > left_) {
    if (prefixes->size() > 1) return {};
    allows.clear();
    errors = made = kFirstRuleError;
  }
  left_ -= std::min(left_, made);
  const std::span<OwnAnswers> own = arena_.NewArray<OwnAnswers>(prefixes->size());
  for (size_t i = 0; i < own.size(); ++i) {
    Where where{entrance, *(*prefixes)[i], std::nullopt};
    if (!where.prefix.written.empty()) where.path = where.prefix.canonical + '/';
    own[i].prefix = &where.prefix;
    own[i].errors = Errors(where, errors);
    own[i].allows = Allows(where, allows);
    if (where.path.has_value()) continue;
    own[i].all_methods = Ready(ComposeOptions(config_, scopes_, Around(where), all_methods_));
  }
  return own;
}

}  // namespace quipd::site
