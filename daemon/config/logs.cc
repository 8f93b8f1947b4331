// SPDX-License-Identifier: MIT
#include "config/logs.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "config/spelling.h"

namespace quipd::config {
namespace {

constexpr std::string_view kAccessHint =
    "access_log is off, a target, or {target: TARGET, format: FORMAT}";

// A path as a target is written: it holds a slash, and starts at the folder of the source.
std::string PathOf(const Reader& reader, std::string_view text) {
  const std::string& folder = reader.source().folder();
  std::string path = text.front() == '/' || folder.empty() ? "" : folder + "/";
  return path.append(text);
}

bool HasSlash(std::string_view text) { return text.find('/') != text.npos; }

void ReadLevel(Reader& reader, const Value& value, LogLevel* level) {
  constexpr std::string_view kNames[] = {"trace", "debug", "info", "warning", "error", "off"};
  const auto text = reader.ReadText(value, "log.level");
  if (!text) return;
  const auto* const name = std::find(std::begin(kNames), std::end(kNames),
                                     *text == "warn" ? std::string_view("warning") : *text);
  if (name == std::end(kNames)) {
    return reader.Error(value, "log.level: " + Quoted(*text) + " is no level",
                        "levels are " + Listing(kNames));
  }
  *level = static_cast<LogLevel>(name - std::begin(kNames));
}

void ReadLogTarget(Reader& reader, const Value& value, Log* log) {
  const auto text = reader.ReadText(value, "log.target");
  if (!text) return;
  if (*text == "auto") {
    log->target.clear();
  } else if (*text == "stderr" || *text == "journal") {
    log->target = *text;
  } else if (HasSlash(*text)) {
    log->target = PathOf(reader, *text);
  } else {
    return reader.Error(
        value, "log.target: " + Quoted(*text) + " is neither auto, stderr, journal nor a path",
        "a path holds a /: ./" + std::string(*text));
  }
  log->place = reader.At(value);
}

void ReadAccessTarget(Reader& reader, const Value& value, AccessLog* log) {
  const auto text = reader.ReadText(value, "access_log");
  if (!text) return;
  if (*text == "off" || *text == "false") {
    log->target.clear();
  } else if (*text == "stdout" || *text == "journal") {
    log->target = *text;
  } else if (HasSlash(*text)) {
    log->target = PathOf(reader, *text);
  } else {
    const bool name = !text->empty() && *text != "on" && *text != "true" && *text != "stderr";
    return reader.Error(
        value, "access_log: " + Quoted(*text) + " is neither off, stdout, journal nor a path",
        name ? "a path holds a /: ./" + std::string(*text) : std::string(kAccessHint));
  }
  log->place = reader.At(value);
}

void ReadAccessFormat(Reader& reader, const Value& value, AccessLog::Format* format) {
  constexpr std::string_view kNames[] = {"common", "combined", "json"};
  const auto text = reader.ReadText(value, "access_log.format");
  if (!text) return;
  const auto* const name = std::find(std::begin(kNames), std::end(kNames), *text);
  if (name == std::end(kNames)) {
    return reader.Error(value, "access_log.format: " + Quoted(*text) + " is no format",
                        "formats are " + Listing(kNames));
  }
  *format = static_cast<AccessLog::Format>(name - std::begin(kNames));
}

}  // namespace

void ReadLog(Reader& reader, const Member& member, Log* log) {
  if (member.key.text == "level") return ReadLevel(reader, member.value, &log->level);
  if (member.key.text == "target") return ReadLogTarget(reader, member.value, log);
  const auto text = reader.ReadText(member.value, "log.format");
  if (!text) return;
  if (*text == "json" || *text == "text") {
    log->json = *text == "json";
  } else {
    reader.Error(member.value, "log.format: " + Quoted(*text) + " is neither text nor json");
  }
}

void ReadAccessLog(Reader& reader, const Value& value, std::optional<AccessLog>* access_log) {
  if (value.kind != Value::Kind::kMapping) {
    if (value.kind != Value::Kind::kScalar) {
      return reader.Error(value, "access_log: a target is due here", std::string(kAccessHint));
    }
    AccessLog& log = access_log->emplace();
    return ReadAccessTarget(reader, value, &log);
  }
  if (value.Find("target") == nullptr && (!*access_log || (*access_log)->target.empty())) {
    reader.Error(value, "access_log: the target is missing", std::string(kAccessHint));
  }
  AccessLog& log = *access_log ? **access_log : access_log->emplace();
  reader.ForEach(value, Level::kAccessLog, [&](const Member& member) {
    if (member.key.text == "target") return ReadAccessTarget(reader, member.value, &log);
    ReadAccessFormat(reader, member.value, &log.format);
  });
}

}  // namespace quipd::config
