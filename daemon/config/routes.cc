// SPDX-License-Identifier: MIT
#include "config/routes.h"

#include <algorithm>
#include <utility>

#include "config/hosts.h"
#include "config/listen.h"
#include "config/path_pattern.h"
#include "config/placeholders.h"
#include "config/rule_hints.h"
#include "config/rule_key.h"
#include "config/spelling.h"

namespace quipd::config {
namespace {

bool IsFaultlessRuleKey(std::string_view key) {
  const Parsed<RuleWords> words = SplitRuleKey(key);
  Methods methods;
  return words && !ParseMethods(words->methods, &methods) && words->path.starts_with('/');
}

bool HasOptions(const OwnOptions& own) { return !own.written.empty(); }

bool HasTemplatedHeader(const Options& options) {
  return options.template_on &&
         std::any_of(options.headers.begin(), options.headers.end(),
                     [](const Header& header) { return HasBraces(header.value); });
}

uint16_t StatusOf(const Representation& answer) {
  switch (answer.action) {
    case Action::kStatus:
      return answer.status;
    case Action::kRedirect:
      return answer.options->status.value_or(302);
    case Action::kMoved:
      return answer.options->status.value_or(301);
    default:
      return answer.options->status.value_or(200);
  }
}

}  // namespace

std::shared_ptr<const Options> OptionsOfScope(const Options& options, bool dev) {
  Options own = options;
  if (dev) {
    ForbidStoring(&own);
    own.cache.reset();
    own.headers.push_back({"Cache-Control", "no-store", {}});
  }
  return std::make_shared<const Options>(std::move(own));
}

RouteReader::RouteReader(Report* report, const Environment* environment, uint32_t source,
                         uint8_t layer, Assembly* assembly)
    : report_(report), reader_(report, environment, source), layer_(layer), assembly_(assembly) {}

uint32_t RouteReader::HostSet(std::vector<std::string> hosts) {
  const auto [known, added] =
      assembly_->host_sets.try_emplace(hosts, static_cast<uint32_t>(config().host_sets.size()));
  if (added) config().host_sets.push_back(std::move(hosts));
  return known->second;
}

void RouteReader::ReadTop(const Value& top) {
  Group group{0, assembly_->top, {}};
  for (const Member& member : top.members) {
    if (member.value.kind == Value::Kind::kMissing) continue;  // said with the settings
    if (member.key.text == "errors") {
      ReadErrors(member.value, &config().scopes[0].errors);
    } else if (member.key.text == "routes") {
      ReadRoutes(member.value, group);
    }
  }
}

void RouteReader::ReadRoot(const Value& root) {
  Group group{0, assembly_->top, {}};
  if (root.kind == Value::Kind::kSequence) {
    ReadRoutes(root, group);
  } else {
    ReadItem(root, group);
  }
}

void RouteReader::ReadRoutes(const Value& routes, Group& group) {
  if (routes.kind != Value::Kind::kSequence) {
    Problem problem = ExplainRoutes(routes);
    const bool has_key = routes.kind == Value::Kind::kMapping && !routes.members.empty();
    return reader_.Error(has_key ? routes.members.front().key : routes, std::move(problem.message),
                         std::move(problem.hint));
  }
  config().rules.reserve(config().rules.size() + routes.items.size());
  for (const Value& item : routes.items) ReadItem(item, group);
}

void RouteReader::ReadItem(const Value& item, Group& group) {
  if (item.kind == Value::Kind::kScalar) {
    Problem problem = ExplainText(reader_.source(), item);
    return reader_.Error(item, std::move(problem.message), std::move(problem.hint), problem.offset);
  }
  if (item.kind != Value::Kind::kMapping) {
    return reader_.Error(item, "a rule or a group is due here",
                         "such as: - GET /hello echo: Hello");
  }
  const Member* rule = nullptr;
  for (const Member& member : item.members) {
    if (member.key.text == "routes") return ReadGroup(item, group);
    if (rule == nullptr && IsRuleKey(member.key.text)) rule = &member;
  }
  if (rule != nullptr) return ReadRule(item, *rule, group);
  const Member* key = nullptr;
  Problem problem = ExplainMapping(item, &key);
  reader_.Error(key != nullptr ? key->key : item, std::move(problem.message),
                std::move(problem.hint));
}

// --- groups -------------------------------------------------------------------------------------

void RouteReader::ReadListener(const Value& value, Reach* reach) {
  const auto text = reader_.ReadText(value, "listener");
  if (!text) return;
  const int index = FindListener(config().listeners, *text);
  reach->listener = index;
  if (index >= 0) return;
  if (FindListener(assembly_->gone, *text) >= 0) {
    reach->gone = true;
    return reader_.Warning(value,
                           "listener: " + Quoted(*text) +
                               " is gone, since --listen replaces listen: what it answers is left "
                               "out");
  }
  std::vector<std::string_view> names;
  for (const Listener& listener : config().listeners) {
    names.push_back(listener.name.empty() ? listener.written : listener.name);
  }
  reader_.Error(value, "listener: " + Quoted(*text) + " is none of listen",
                "there are " + Listing(names));
}

bool RouteReader::ReadReach(const Value& key, const Value& value, const Scope& around,
                            Reach* reach) {
  if (key.text == "host") {
    std::vector<std::string> hosts = ReadHosts(reader_, value);
    if (around.host_set != 0) {
      reader_.Error(key, "a host inside a host", "the group around it has one already");
    } else if (!hosts.empty()) {
      reach->host_set = HostSet(std::move(hosts));
    }
  } else if (key.text == "listener") {
    ReadListener(value, reach);
  } else if (key.text == "override") {
    reach->override_on = reader_.ReadSwitch(value, "override");
  } else {
    return false;
  }
  return true;
}

void RouteReader::ReadPrefix(const Value& value, const Scope& around, Scope* scope) {
  const auto prefix = reader_.ReadText(value, "prefix");
  if (!prefix) return;
  scope->prefix = {};
  if (auto problem = ParsePrefix(around.prefix.written, *prefix, &scope->prefix)) {
    reader_.Error(value, "prefix", std::move(*problem));
    scope->prefix = around.prefix;
  }
}

RouteReader::GroupText RouteReader::ReadGroupText(const Value& item, const Group& outer) {
  GroupText text;
  const Scope& around = config().scopes[outer.scope];
  text.scope = {
      outer.scope, around.host_set, around.listener, around.override_on, around.prefix, nullptr,
      {},          reader_.At(item)};
  for (const Member& member : item.members) {
    const std::string_view key = member.key.text;
    if (IsRuleKey(key)) {
      reader_.Error(member.key, "a rule beside routes: a group holds its rules in routes",
                    "each rule begins with a dash and a blank");
      continue;
    }
    if (!reader_.Accept(item, member, Level::kGroup)) continue;
    if (key == "routes") {
      text.routes = &member.value;
    } else if (key == "errors") {
      text.errors = &member.value;
    } else if (key == "prefix") {
      ReadPrefix(member.value, around, &text.scope);
    } else if (!ReadReach(member.key, member.value, around, &text.reach)) {
      ReadOption(reader_, member.key, member.value, &text.own);
    }
  }
  CheckTogether(reader_, text.own);
  return text;
}

void RouteReader::LeaveOut(size_t rules, size_t scopes) {
  config().rules.erase(config().rules.begin() + static_cast<std::ptrdiff_t>(rules),
                       config().rules.end());
  config().scopes.erase(config().scopes.begin() + static_cast<std::ptrdiff_t>(scopes),
                        config().scopes.end());
  std::erase_if(assembly_->names, [&](const auto& name) { return name.second >= rules; });
}

void RouteReader::ReadGroup(const Value& item, const Group& outer) {
  const size_t rules_before = config().rules.size();
  const size_t scopes_before = config().scopes.size();
  GroupText text = ReadGroupText(item, outer);
  Scope& scope = text.scope;
  scope.host_set = text.reach.host_set.value_or(scope.host_set);
  scope.listener = text.reach.listener.value_or(scope.listener);
  scope.override_on = text.reach.override_on.value_or(scope.override_on);

  Group group{static_cast<uint32_t>(scopes_before), outer.options, {}};
  if (HasOptions(text.own)) {
    group.options = std::make_shared<const Options>(Merge(*outer.options, text.own));
  }
  scope.options = OptionsOfScope(*group.options, config().dev);
  config().scopes.push_back(std::move(scope));
  if (text.errors != nullptr) {
    std::vector<ErrorAnswer> answers;
    ReadErrors(*text.errors, &answers);
    ScopeOf(group).errors = std::move(answers);
  }
  if (text.routes != nullptr) ReadRoutes(*text.routes, group);
  if (text.reach.gone) LeaveOut(rules_before, scopes_before);
}

// --- rules --------------------------------------------------------------------------------------

bool RouteReader::ReadKey(const Value& key, const std::string& prefix, Rule* rule) {
  const Parsed<RuleWords> words = SplitRuleKey(key.text);
  if (!words) {
    const Problem& problem = words.error();
    reader_.Error(key, problem.message, problem.hint, problem.offset);
    return false;
  }
  bool faultless = true;
  const auto say = [&](const Problem& problem, size_t word) {
    reader_.Error(key, problem.message, problem.hint, word + problem.offset);
    faultless = false;
  };
  if (const auto problem = ParseMethods(words->methods, &rule->methods)) {
    say(*problem, static_cast<size_t>(words->methods.data() - key.text.data()));
  }
  if (const auto problem = ParsePath(prefix, words->path, &rule->path)) {
    say(*problem, words->path_offset);
  }
  if (const auto action = ParseAction(words->action)) {
    rule->answer.action = *action;
  } else {
    say(action.error(), words->action_offset);
  }
  if (!faultless || rule->answer.action != Action::kDir) return faultless;
  if (const auto problem = CheckDirMethods(words->methods)) say(*problem, 0);
  if (const auto problem = CheckDirPath(words->path)) say(*problem, words->path_offset);
  if (faultless) MatchAllBelow(&rule->path);
  return faultless;
}

void RouteReader::ReadName(const Value& value, Rule* rule) {
  const auto name = reader_.ReadText(value, "name");
  if (!name) return;
  const bool printable = std::all_of(name->begin(), name->end(), [](char byte) {
    return static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7F;
  });
  if (name->empty() || !printable) {
    return reader_.Error(value, "name: a label is text without control characters");
  }
  rule->name = *name;
}

void RouteReader::ReadBeside(const Value& item, const Member& rule_member, Rule* rule,
                             OwnOptions* own, Reach* reach) {
  for (const Member& member : item.members) {
    if (&member == &rule_member) continue;
    const Value& key = member.key;
    if (IsRuleKey(key.text) && IsFaultlessRuleKey(key.text)) {
      reader_.Error(key, "two rules in one item", "each rule begins with a dash and a blank");
      continue;
    }
    if (FindKey(Level::kRule, key.text) == nullptr && !IsReserved(key.text)) {
      std::string hint = HintForStray(item, rule_member, member);
      if (hint.empty() || hint.starts_with("the payload")) {
        const std::string nearest = HintForUnknown(Level::kRule, key.text);
        if (hint.empty() || nearest.starts_with("did you")) hint = nearest;
      }
      reader_.Error(key, "unknown option " + Quoted(key.text), std::move(hint));
      continue;
    }
    if (!reader_.Accept(item, member, Level::kRule)) continue;
    if (key.text == "name") {
      ReadName(member.value, rule);
    } else if (!ReadReach(key, member.value, config().scopes[rule->scope], reach)) {
      ReadOption(reader_, key, member.value, own);
    }
  }
  CheckTogether(reader_, *own);
}

void RouteReader::ReadRule(const Value& item, const Member& member, Group& group) {
  if (IsEmptyBlock(reader_.source(), member.value)) return;
  const Scope& scope = ScopeOf(group);
  Rule& rule = config().rules.emplace_back();
  rule.scope = group.scope;
  rule.host_set = scope.host_set;
  rule.listener = scope.listener;
  rule.override_on = scope.override_on;
  rule.layer = layer_;
  rule.place = reader_.At(member.key);
  const bool faultless = ReadKey(member.key, scope.prefix.written, &rule);
  OwnOptions own;
  Reach reach;
  if (item.members.size() > 1) {
    ReadBeside(item, member, &rule, &own, &reach);
    rule.host_set = reach.host_set.value_or(rule.host_set);
    rule.listener = reach.listener.value_or(rule.listener);
    rule.override_on = reach.override_on.value_or(rule.override_on);
  }
  if (faultless) ReadAnswer(item, member, own, group, &rule);
  if (!rule.name.empty()) CheckNames(member.key, rule);
  if (reach.gone) LeaveOut(config().rules.size() - 1, config().scopes.size());
}

void RouteReader::CheckFit(Action action, const OwnOptions& own) {
  const std::string name(NameOf(action));
  for (const OwnOptions::Written& one : own.written) {
    if (Fits(action, one.option)) continue;
    std::string hint;
    if (one.option == "status" && action == Action::kStatus) {
      hint = "the status is the payload of the action";
    }
    reader_.Error(*one.key,
                  "the option " + std::string(one.option) + " does not fit the action " + name,
                  std::move(hint));
  }
  const Value* const key = own.KeyOf("status");
  if (key == nullptr || !own.status || !Fits(action, "status") || FitsStatus(action, *own.status)) {
    return;
  }
  const std::string status = std::to_string(*own.status);
  if (IsRedirect(action)) {
    reader_.Error(*key, "status: " + status + " is no redirect's", "301, 302, 303, 307 or 308");
  } else {
    reader_.Error(*key, "status: an answer with " + status + " has no body",
                  "use the action status: " + status);
  }
}

// A name is unique; but a rule of a higher layer may keep the name of the rule that it replaces.
void RouteReader::CheckNames(const Value& key, const Rule& rule) {
  const auto index = static_cast<uint32_t>(config().rules.size() - 1);
  const auto [known, added] = assembly_->names.try_emplace(rule.name, index);
  if (added || known->second >= config().rules.size()) return;
  const Rule& other = config().rules[known->second];
  if (other.layer < rule.layer && other.path.written == rule.path.written) {
    known->second = index;
    return;
  }
  reader_.Error(key, "the name " + Quoted(rule.name) + " is there twice",
                "the other is at " + report_->source(other.place.source).name() + ":" +
                    std::to_string(other.place.mark.line + 1));
}

const std::shared_ptr<const Options>& RouteReader::Fitted(Action action, Group& group) {
  std::shared_ptr<const Options>& fitted = group.fitted[static_cast<size_t>(action)];
  if (fitted != nullptr) return fitted;
  if (IsFittedTo(action, *group.options) && !config().dev) {
    fitted = group.options;
  } else {
    Options options = FittedTo(action, *group.options);
    if (config().dev) ForbidStoring(&options);
    if (action == Action::kHealth) options.cache.reset();
    fitted = std::make_shared<const Options>(std::move(options));
  }
  return fitted;
}

std::shared_ptr<const Options> RouteReader::OptionsOf(const Value& key, const Rule& rule,
                                                      const OwnOptions& own, Group& group) {
  const Action action = rule.answer.action;
  Options options;
  if (HasOptions(own)) {
    options = FittedTo(action, Merge(*group.options, own));
    if (config().dev) ForbidStoring(&options);
    if (action == Action::kHealth) options.cache.reset();
  } else {
    options = *Fitted(action, group);
  }
  if (options.template_on) {
    Answers().ReadHeaderPieces(key, ParametersOf(rule.path), own, &options);
  }
  return std::make_shared<const Options>(std::move(options));
}

void RouteReader::ReadAnswer(const Value& item, const Member& member, const OwnOptions& own,
                             Group& group, Rule* rule) {
  Representation& answer = rule->answer;
  if (HasOptions(own)) CheckFit(answer.action, own);
  const std::shared_ptr<const Options>& fitted = Fitted(answer.action, group);
  answer.options = HasOptions(own) || HasTemplatedHeader(*fitted)
                       ? OptionsOf(member.key, *rule, own, group)
                       : fitted;
  if (member.value.kind == Value::Kind::kMissing) {
    Problem problem = ExplainMissing(reader_.source(), answer.action, item, member);
    return reader_.Error(member.key, std::move(problem.message), std::move(problem.hint));
  }
  if (rule->path.segments.empty()) {
    Answers().ReadPayload(member.value, {}, &answer);
  } else {
    Answers().ReadPayload(member.value, ParametersOf(rule->path), &answer);
  }
  if (answer.action == Action::kDir) Answers().CheckFallback(own, answer);
  answer.status = StatusOf(answer);
}

}  // namespace quipd::config
