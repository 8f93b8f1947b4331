// SPDX-License-Identifier: MIT
// `routes` and `errors` of one part of the configuration, read into the Config that is being put
// together: rules with all that they inherit, groups as scopes. What the parts share is in
// Assembly. Used by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/answer.h"
#include "config/config.h"
#include "config/options.h"
#include "config/reader.h"

namespace quipd::config {

// A Config in the making. Its settings, listeners and scopes[0] are set before rules are read.
struct Assembly {
  Config config;
  std::vector<Listener> gone;  // those that --listen replaced: their rules are left out
  std::map<std::vector<std::string>, uint32_t> host_sets;
  std::unordered_map<std::string, uint32_t> names;  // of rules: index into config.rules
  std::shared_ptr<const Options> top;               // what every rule inherits
};

// The options of a scope as what quipd answers itself takes them. In dev all says no-store.
[[nodiscard]] std::shared_ptr<const Options> OptionsOfScope(const Options& options, bool dev);

class RouteReader {
 public:
  RouteReader(Report* report, const Environment* environment, uint32_t source, uint8_t layer,
              Assembly* assembly);

  // Reads `errors` and `routes` of a mapping of top-level keys.
  void ReadTop(const Value& top);

  // Reads the root of an -e rule: a rule, or a list of them.
  void ReadRoot(const Value& root);

 private:
  static constexpr size_t kActions = static_cast<size_t>(Action::kHealth) + 1;

  struct Group {
    uint32_t scope = 0;
    std::shared_ptr<const Options> options;  // inherited by all in it
    // The same as an action takes them, made at need.
    std::array<std::shared_ptr<const Options>, kActions> fitted;
  };

  // Where a rule or a group says it answers.
  struct Reach {
    std::optional<uint32_t> host_set;
    std::optional<int32_t> listener;
    std::optional<bool> override_on;
    bool gone = false;  // --listen took its listener away
  };

  void ReadRoutes(const Value& routes, Group& group);
  void ReadItem(const Value& item, Group& group);
  // What stands in the mapping of a group.
  struct GroupText {
    Scope scope;
    OwnOptions own;
    Reach reach;
    const Value* routes = nullptr;
    const Value* errors = nullptr;
  };

  void ReadGroup(const Value& item, const Group& outer);
  GroupText ReadGroupText(const Value& item, const Group& outer);
  void ReadPrefix(const Value& value, const Scope& around, Scope* scope);
  void LeaveOut(size_t rules, size_t scopes);
  void ReadRule(const Value& item, const Member& member, Group& group);
  bool ReadKey(const Value& key, const std::string& prefix, Rule* rule);
  void ReadBeside(const Value& item, const Member& rule_member, Rule* rule, OwnOptions* own,
                  Reach* reach);
  void ReadAnswer(const Value& item, const Member& member, const OwnOptions& own, Group& group,
                  Rule* rule);
  void ReadName(const Value& value, Rule* rule);
  bool ReadReach(const Value& key, const Value& value, const Scope& around, Reach* reach);
  void ReadListener(const Value& value, Reach* reach);
  void CheckFit(Action action, const OwnOptions& own);
  void CheckNames(const Value& key, const Rule& rule);
  std::shared_ptr<const Options> OptionsOf(const Value& key, const Rule& rule,
                                           const OwnOptions& own, Group& group);
  const std::shared_ptr<const Options>& Fitted(Action action, Group& group);

  void ReadErrors(const Value& errors, std::vector<ErrorAnswer>* out);
  void ReadError(const Value& errors, const Member& member, ErrorAnswer* out);
  void ReadErrorAnswer(const Value& key, const Member& action, const OwnOptions& own,
                       ErrorAnswer* out);

  Config& config() { return assembly_->config; }
  Scope& ScopeOf(const Group& group) { return config().scopes[group.scope]; }
  AnswerReader Answers() {
    return {reader_, assembly_->config.limits.inline_file, &assembly_->config.inputs};
  }
  uint32_t HostSet(std::vector<std::string> hosts);

  Report* report_;
  Reader reader_;
  uint8_t layer_;
  Assembly* assembly_;
};

}  // namespace quipd::config
