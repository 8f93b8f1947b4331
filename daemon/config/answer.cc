// SPDX-License-Identifier: MIT
#include "config/answer.h"

#include <sys/stat.h>

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

// The size of a regular file; none where it is none, which ReadFile then says.
std::optional<uint64_t> SizeOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<uint64_t>(status.st_size);
}

// When a file was last changed, in seconds since 1970; 0 where that can't be known.
int64_t ModifiedAt(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mtim.tv_sec : 0;
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
      return reader.Error(payload, "dir is not yet served");
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

void AnswerReader::ReadFilePayload(const Value& payload, Representation* answer) const {
  const auto path = reader.ReadText(payload, "file");
  if (!path) return;
  if (path->empty()) return reader.Error(payload, "file: the path is empty");
  const std::string& folder = reader.source().folder();
  if (path->front() != '/' && !folder.empty()) answer->file.append(folder).append("/");
  answer->file.append(*path);
  const std::optional<uint64_t> size = SizeOf(answer->file);
  if (size && *size > inline_file) {
    return reader.Error(payload,
                        "file: " + answer->file + " has " + std::to_string(*size) +
                            " bytes: more than limits.inline_file is not yet served",
                        "limits.inline_file is " + std::to_string(inline_file) + " bytes");
  }
  // Before it is read: what changes meanwhile is sent with an older time, never an old body with a
  // newer one.
  answer->modified = ModifiedAt(answer->file);
  Result<std::string> bytes = ReadFile(answer->file, inline_file);
  inputs->push_back(answer->file);
  if (!bytes) {
    return reader.Error(payload, "file: " + bytes.error().front().message,
                        bytes.error().front().hint);
  }
  answer->payload = std::move(*bytes);
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
