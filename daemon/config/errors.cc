// SPDX-License-Identifier: MIT
// RouteReader's part that reads `errors`.
#include <algorithm>
#include <utility>

#include "config/keys.h"
#include "config/routes.h"
#include "config/rule_hints.h"
#include "config/rule_key.h"
#include "config/spelling.h"
#include "config/units.h"

namespace quipd::config {
namespace {

// `404` or `4xx`; false where it is neither.
bool ParseErrorKey(std::string_view key, ErrorAnswer* out) {
  if (key == "4xx" || key == "5xx") {
    out->status_class = static_cast<uint16_t>(key[0] - '0');
    return true;
  }
  const Parsed<uint64_t> status = ParseNumber(key, 400, 599);
  if (!status || key.size() != 3) return false;
  out->status = static_cast<uint16_t>(*status);
  return true;
}

bool IsAction(std::string_view key) {
  return key == "echo" || key == "html" || key == "json" || key == "file" || key == "redirect" ||
         key == "moved";
}

}  // namespace

void RouteReader::ReadErrors(const Value& errors, std::vector<ErrorAnswer>* out) {
  if (!reader_.IsMapping(errors, "errors")) return;
  for (const Member& member : errors.members) {
    ErrorAnswer answer;
    answer.place = reader_.At(member.key);
    if (!ParseErrorKey(member.key.text, &answer)) {
      reader_.Error(member.key, "errors: " + Quoted(member.key.text) + " is no status of an error",
                    "a status from 400 to 599, or a class: 4xx, 5xx");
      continue;
    }
    ReadError(errors, member, &answer);
    // A later part of the configuration replaces what an earlier one says of the same status.
    const auto same = std::find_if(out->begin(), out->end(), [&](const ErrorAnswer& other) {
      return other.status == answer.status && other.status_class == answer.status_class;
    });
    if (same != out->end()) {
      *same = std::move(answer);
    } else {
      out->push_back(std::move(answer));
    }
  }
}

void RouteReader::ReadError(const Value& errors, const Member& member, ErrorAnswer* out) {
  if (member.value.kind == Value::Kind::kMissing) return reader_.Missing(errors, member);
  if (!reader_.IsMapping(member.value, "errors." + std::string(member.key.text))) return;
  OwnOptions own;
  const Member* action = nullptr;
  reader_.ForEach(member.value, Level::kErrorEntry, [&](const Member& one) {
    if (!IsAction(one.key.text)) {
      ReadOption(reader_, one.key, one.value, &own);
    } else if (action == nullptr) {
      action = &one;
    } else {
      reader_.Error(one.key, "two actions in one entry of errors");
    }
  });
  CheckTogether(reader_, own);
  if (action == nullptr) {
    const bool said = std::any_of(member.value.members.begin(), member.value.members.end(),
                                  [](const Member& one) { return IsAction(one.key.text); });
    if (said) return;
    return reader_.Error(member.key, "errors: " + std::string(member.key.text) + " has no action",
                         "one of echo, html, json, file, redirect and moved");
  }
  ReadErrorAnswer(member.key, *action, own, out);
}

void RouteReader::ReadErrorAnswer(const Value& key, const Member& action, const OwnOptions& own,
                                  ErrorAnswer* out) {
  Representation& answer = out->answer;
  answer.action = *ParseAction(action.key.text);
  if (IsEmptyBlock(reader_.source(), action.value)) return;
  CheckFit(answer.action, own);
  Options options = FittedTo(answer.action, Merge({}, own));
  if (config().dev) {
    // The scopes' headers, or the rule's options, say no-store already.
    ForbidStoring(&options);
    options.cache.reset();
  }
  if (options.template_on) Answers().ReadHeaderPieces(key, {}, own, &options);
  answer.options = std::make_shared<const Options>(std::move(options));
  AnswerReader answers = Answers();
  answers.in_errors = true;
  answers.ReadPayload(action.value, {}, &answer);
  const uint16_t usual = answer.action == Action::kMoved ? 301 : 302;
  answer.status = answer.options->status.value_or(IsRedirect(answer.action) ? usual : out->status);
}

}  // namespace quipd::config
