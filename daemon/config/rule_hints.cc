// SPDX-License-Identifier: MIT
#include "config/rule_hints.h"

#include <algorithm>
#include <utility>

#include "config/keys.h"
#include "config/rule_key.h"
#include "config/spelling.h"
#include "http/method.h"

namespace quipd::config {
namespace {

constexpr std::string_view kExample = "such as: - GET /hello echo: Hello";

bool IsKnownMethod(std::string_view text) {
  return text == "ANY" || http::MethodOf(text) != http::Method::kOther;
}

}  // namespace

Problem ExplainText(const Source& source, const Value& item) {
  if (const std::optional<Mark> hash = CommentBehind(source, item)) {
    return {"a rule is due here, but a # behind a blank begins a comment",
            "a # in a path is written %23; a payload with # is quoted",
            hash->offset - item.mark.offset};
  }
  const std::string_view text = item.text;
  for (const std::string_view action : Actions()) {
    const std::string spelt = " " + std::string(action) + ":";
    const size_t at = text.find(spelt);
    if (at == text.npos) continue;
    const size_t colon = at + spelt.size();
    return {"a blank is missing after the colon",
            "write: " + std::string(text.substr(0, colon)) + " " + std::string(text.substr(colon)),
            colon - 1};
  }
  if (const Parsed<RuleWords> words = SplitRuleKey(text); words && ParseAction(words->action)) {
    return {"the payload of the rule is missing", "write: " + std::string(text) + ": ...", 0};
  }
  return {"a rule is due here, not text", std::string(kExample), 0};
}

Problem ExplainMapping(const Value& item, const Member** key) {
  *key = item.members.empty() ? nullptr : item.members.data();
  for (const Member& member : item.members) {
    const std::string_view name = member.key.text;
    if (item.flow && member.value.kind == Value::Kind::kMissing &&
        (IsKnownMethod(name) || name.starts_with('/'))) {
      *key = &member;
      return {Quoted(name) + " has no value", "a comma in {...} ends the key: quote the key", 0};
    }
    if (name == "rules" || name == "route") {
      *key = &member;
      return {"unknown option " + Quoted(name), "a group's rules stand under routes", 0};
    }
  }
  return {"a rule or a group is due here: no key is METHODS PATH ACTION, and none is routes",
          std::string(kExample), 0};
}

Problem ExplainRoutes(const Value& routes) {
  if (routes.kind != Value::Kind::kMapping || routes.members.empty()) {
    return {"routes: a list of rules is due here", std::string(kExample), 0};
  }
  const std::string_view key = routes.members.front().key.text;
  if (key.starts_with('-')) {
    return {"routes: a blank is missing behind the dash",
            "write: - " + std::string(key.substr(1)) + ": ...", 0};
  }
  return {"routes: a list is due here, not a mapping",
          "each rule begins with a dash and a blank: - " + std::string(key) + ": ...", 0};
}

std::string HintForStray(const Value& item, const Member& rule, const Member& stray) {
  const bool missing = stray.value.kind == Value::Kind::kMissing;
  if (item.flow && missing && IsKnownMethod(stray.key.text)) {
    return "a comma in {...} ends the key: quote the key";
  }
  if (item.flow && missing) return "a comma in {...} ends the value: quote a value that holds one";
  if (rule.value.kind == Value::Kind::kMissing) {
    return "the payload stands deeper than METHODS: indent it";
  }
  if (missing && stray.key.text.find(':') != std::string_view::npos) {
    return "a blank is missing after the colon";
  }
  return {};
}

bool IsEmptyBlock(const Source& source, const Value& payload) {
  if (payload.kind != Value::Kind::kScalar || payload.style != Value::Style::kBlock) return false;
  if (!payload.text.empty()) return false;
  const std::string_view bytes = source.bytes();
  return payload.mark.offset < bytes.size() &&
         (bytes[payload.mark.offset] == '|' || bytes[payload.mark.offset] == '>');
}

std::string_view PayloadOf(Action action) {
  switch (action) {
    case Action::kEcho:
    case Action::kHtml:
      return "text";
    case Action::kJson:
      return "value";
    case Action::kStatus:
      return "status";
    case Action::kRedirect:
    case Action::kMoved:
      return "target";
    case Action::kFile:
    case Action::kDir:
      return "path";
    case Action::kReflect:
    case Action::kHealth:
      return "word";
  }
  return {};
}

Problem ExplainMissing(const Source& source, Action action, const Value& item, const Member& rule) {
  Problem problem;
  problem.message =
      std::string(NameOf(action)) + ": the " + std::string(PayloadOf(action)) + " is missing";
  const std::string_view line = source.LineAt(rule.key.mark);
  const size_t behind = std::min<size_t>(rule.key.mark.column + rule.key.text.size(), line.size());
  if (line.find(" #", behind) != line.npos) {
    problem.hint = "a # behind a blank begins a comment: quote the text";
  } else if (action == Action::kJson && item.members.size() > 1) {
    problem.hint = "the payload stands deeper than METHODS: indent it";
  } else if (action == Action::kEcho || action == Action::kHtml) {
    problem.hint = "an empty text is written \"\"";
  } else if (action == Action::kJson) {
    problem.hint = "null is written null";
  }
  return problem;
}

}  // namespace quipd::config
