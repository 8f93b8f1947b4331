// SPDX-License-Identifier: MIT
#include "config/answer.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "config/json_text.h"
#include "config/placeholders.h"
#include "config/redirect_target.h"
#include "config/rule_hints.h"
#include "config/spelling.h"

namespace quipd::config {
namespace {

bool IsFolded(const Value& payload) {
  return payload.kind == Value::Kind::kMapping || payload.kind == Value::Kind::kSequence;
}

std::string Bytes(uint64_t count) { return std::to_string(count) + " bytes"; }

// What Source's readers find wrong with a path, told of the action.
void SayUnreadable(Reader& reader, const Value& payload, std::string_view action,
                   const Diagnostics& faults) {
  const Diagnostic& fault = faults.front();
  std::string hint = fault.hint;
  if (action == "file" && fault.message.ends_with("it is a directory")) {
    hint = "the action dir serves what is in a directory";
  } else if (action == "dir" && fault.message.ends_with("it is a file")) {
    hint = "the action file serves a single file";
  }
  reader.Error(payload, std::string(action) + ": " + fault.message, std::move(hint));
}

}  // namespace

void AnswerReader::ReadPayload(const Value& payload, std::span<const std::string_view> parameters,
                               Representation* answer) const {
  answer->payload_place = reader.At(payload);
  switch (answer->action) {
    case Action::kEcho:
    case Action::kHtml:
      ReadBody(payload, answer);
      break;
    case Action::kJson:
      ReadJson(payload, answer);
      break;
    case Action::kStatus:
      return ReadStatus(payload, answer);
    case Action::kRedirect:
    case Action::kMoved:
      return ReadTarget(payload, parameters, answer);
    case Action::kFile:
      ReadFilePayload(payload, answer);
      break;
    case Action::kDir:
      return ReadDir(payload, answer);
    case Action::kReflect:
      return ReadWord(payload, "json", "text", answer);
    case Action::kHealth:
      return ReadWord(payload, "live", "ready", answer);
  }
  if (HasBraces(answer->payload)) ReadPieces(payload, parameters, answer);
}

void AnswerReader::ReadBody(const Value& payload, Representation* answer) const {
  const std::string_view name = NameOf(answer->action);
  if (payload.kind == Value::Kind::kNull) {
    return reader.Error(payload, std::string(name) + ": null is a value in json alone",
                        "quote it if the text itself is meant");
  }
  if (IsFolded(payload)) {
    return reader.Error(payload,
                        std::string(name) + ": text is due here, not " +
                            (payload.kind == Value::Kind::kMapping ? "a mapping" : "a list"),
                        "quote text that begins with { or [, or use the action json");
  }
  const auto text = reader.ReadLiteral(payload, name);
  if (!text) return;
  answer->payload = *text;
  if (const auto cut = CutByComment(reader.source(), payload)) {
    Value hash = payload;
    hash.mark = *cut;
    reader.Warning(hash, "the text ends here: a # behind a blank begins a comment",
                   "quote the text, or set the comment off: two blanks before the #, one after");
  }
}

void AnswerReader::ReadJson(const Value& payload, Representation* answer) const {
  const bool text = payload.kind == Value::Kind::kScalar &&
                    !(payload.style == Value::Style::kPlain && IsJsonLiteral(payload.text));
  const bool tilde = payload.kind == Value::Kind::kNull && payload.text != "null";
  if (!text && !tilde) {
    const auto fault = AppendJson(payload, &answer->payload);
    if (!fault) return;
    if (fault->member != nullptr) return reader.Missing(*fault->mapping, *fault->member);
    return reader.Error(*fault->where, fault->problem.message, fault->problem.hint);
  }
  auto problem = CheckJson(payload.text);
  if (!problem) {
    answer->payload = payload.text;
    return;
  }
  problem->hint = "a JSON string is written '\"" + std::string(payload.text.substr(0, 40)) + "\"'";
  if (HasBraces(payload.text)) problem->hint = "in json a placeholder stands inside a string";
  if (payload.text.find_first_of("{[\n") != payload.text.npos && !HasBraces(payload.text)) {
    problem->hint = "a text in json is JSON text, sent as it is written";
  }
  reader.Error(payload, "json", std::move(*problem));
}

bool AnswerReader::ReadPath(const Value& payload, Representation* answer) const {
  const std::string_view name = NameOf(answer->action);
  const auto path = reader.ReadPath(payload, name);
  if (path) answer->file = *path;
  return path.has_value();
}

void AnswerReader::ReadFilePayload(const Value& payload, Representation* answer) const {
  if (!ReadPath(payload, answer)) return;
  // Asked before it is read: what changes meanwhile is sent with an older time, never an old body
  // with a newer one.
  const Result<FileState> state = StateOfFile(answer->file);
  if (state && state->size > inline_file) return TakeLarge(payload, state->size, answer);
  inputs->push_back(answer->file);
  if (!state) return SayUnreadable(reader, payload, "file", state.error());
  // Never in the future (RFC 9110 8.8.2.1).
  answer->modified = std::min<int64_t>(state->modified, std::time(nullptr));
  Result<std::string> bytes = ReadFile(answer->file, inline_file);
  if (!bytes) return SayUnreadable(reader, payload, "file", bytes.error());
  answer->payload = std::move(*bytes);
}

// A file that is opened for each request, where that can be.
void AnswerReader::TakeLarge(const Value& payload, uint64_t size, Representation* answer) const {
  const std::string what = "file: " + answer->file + " has " + Bytes(size) + ": ";
  const std::string hint = "limits.inline_file is " + Bytes(inline_file);
  if (in_errors) {
    reader.Error(payload, what + "a file above limits.inline_file can't answer errors", hint);
  } else if (answer->options->template_on) {
    reader.Error(payload, what + "a file above limits.inline_file can't be a template", hint);
  } else {
    answer->live = true;
  }
}

void AnswerReader::ReadDir(const Value& payload, Representation* answer) const {
  if (!ReadPath(payload, answer)) return;
  const Result<void> found = CheckFolder(answer->file, answer->options->listing);
  if (!found) SayUnreadable(reader, payload, "dir", found.error());
}

void AnswerReader::CheckFallback(const OwnOptions& own, const Representation& answer) const {
  if (answer.options->fallback.empty() || answer.file.empty()) return;
  if (!CheckFolder(answer.file, false)) return;  // said already
  const Result<FileState> found = StateOfFile(answer.file + "/" + answer.options->fallback);
  if (found) return;
  reader.Error(own.fallback_place.value_or(answer.payload_place),
               "fallback: " + found.error().front().message);
}

void AnswerReader::ReadTarget(const Value& payload, std::span<const std::string_view> parameters,
                              Representation* answer) const {
  const std::string_view name = NameOf(answer->action);
  const auto text = reader.ReadText(payload, name);
  if (!text) return;
  Parsed<Target> target = ParseTarget(*text, parameters);
  if (!target) return reader.Error(payload, name, std::move(target.error()));
  answer->payload = std::move(target->text);
  answer->pieces = std::move(target->pieces);
}

void AnswerReader::ReadStatus(const Value& payload, Representation* answer) const {
  const auto status = reader.ReadNumber(payload, "status", 200, 599);
  if (!status) return;
  answer->status = static_cast<uint16_t>(*status);
  answer->payload = std::to_string(*status);
}

void AnswerReader::ReadWord(const Value& payload, std::string_view one, std::string_view other,
                            Representation* answer) const {
  const std::string name(NameOf(answer->action));
  const auto text = reader.ReadText(payload, name);
  if (!text) return;
  if (*text == one || *text == other) {
    answer->payload = *text;
    return;
  }
  reader.Error(payload, name + ": " + Quoted(*text) + " is neither " + std::string(one) + " nor " +
                            std::string(other));
}

void AnswerReader::ReadPieces(const Value& payload, std::span<const std::string_view> parameters,
                              Representation* answer) const {
  const bool from_file = answer->action == Action::kFile;
  const std::string what =
      from_file ? "file: " + answer->file : std::string(NameOf(answer->action));
  if (!answer->options->template_on) {
    if (const auto forgotten = FindForgotten(answer->payload, parameters)) {
      reader.Warning(payload, what + ": " + forgotten->message, forgotten->hint,
                     from_file ? 0 : forgotten->offset);
    }
    return;
  }
  Parsed<Template> pieces = ParseTemplate(answer->payload, parameters);
  if (pieces) {
    answer->pieces = std::move(*pieces);
    return;
  }
  if (from_file) pieces.error().offset = 0;
  reader.Error(payload, what, std::move(pieces.error()));
}

void AnswerReader::ReadHeaderPieces(const Value& key, std::span<const std::string_view> parameters,
                                    const OwnOptions& own, Options* options) const {
  for (Header& header : options->headers) {
    if (!HasBraces(header.value)) continue;
    Parsed<Template> pieces = ParseTemplate(header.value, parameters);
    if (pieces) {
      header.pieces = std::move(*pieces);
      continue;
    }
    Value where = key;
    for (size_t i = 0; i < own.headers.size(); ++i) {
      if (own.headers[i] == Header{header.name, header.value, {}}) {
        where.mark = own.header_places[i].mark;
      }
    }
    pieces.error().offset = 0;
    reader.Error(where, header.name, std::move(pieces.error()));
  }
}

}  // namespace quipd::config
