// SPDX-License-Identifier: MIT
#include "config/settings.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/ascii.h"
#include "config/listen.h"
#include "config/logs.h"
#include "config/options.h"
#include "config/rule_key.h"
#include "config/spelling.h"
#include "config/units.h"

namespace quipd::config {
namespace {

constexpr uint64_t kKibibyte = 1024;
constexpr uint64_t kMebibyte = 1024 * kKibibyte;
constexpr uint64_t kGibibyte = 1024 * kMebibyte;

// A size within bounds.
template <typename T>
void ReadSize(Reader& reader, const Member& member, uint64_t min, uint64_t max, T* out) {
  const std::string what = "limits." + std::string(member.key.text);
  const auto size = reader.ReadSize(member.value, what);
  if (!size) return;
  if (*size < min || *size > max) {
    return reader.Error(member.value, what + ": from " + std::to_string(min) + " to " +
                                          std::to_string(max) + " bytes are possible");
  }
  *out = static_cast<T>(*size);
}

void ReadCount(Reader& reader, const Member& member, uint64_t max, uint32_t* out) {
  const std::string what = "limits." + std::string(member.key.text);
  const auto count = reader.ReadNumber(member.value, what, 1, max);
  if (count) *out = static_cast<uint32_t>(*count);
}

void ReadLimit(Reader& reader, const Member& member, Limits* limits) {
  const std::string_view key = member.key.text;
  if (key == "head") {
    ReadSize(reader, member, 256, kMebibyte, &limits->head);
  } else if (key == "target") {
    ReadSize(reader, member, 64, kMebibyte, &limits->target);
  } else if (key == "header_count") {
    ReadCount(reader, member, 10'000, &limits->header_count);
  } else if (key == "body") {
    ReadSize(reader, member, 0, kGibibyte, &limits->body);
  } else if (key == "connections") {
    ReadCount(reader, member, 10'000'000, &limits->connections);
  } else if (key == "inline_file") {
    ReadSize(reader, member, 0, kGibibyte, &limits->inline_file);
  }
}

void ReadTimeout(Reader& reader, const Member& member, Timeouts* timeouts) {
  const std::string_view key = member.key.text;
  const std::string what = "timeouts." + std::string(key);
  const auto time = reader.ReadDuration(member.value, what);
  if (!time) return;
  constexpr std::chrono::hours kLongest(24 * 365);
  if ((time->count() == 0 && !key.starts_with("drain")) || *time > kLongest) {
    return reader.Error(member.value, what + ": from 1ms to 365d are possible");
  }
  if (key == "head") timeouts->head = *time;
  if (key == "idle") timeouts->idle = *time;
  if (key == "body") timeouts->body = *time;
  if (key == "write") timeouts->write = *time;
  if (key == "drain") timeouts->drain = *time;
  if (key == "drain_delay") timeouts->drain_delay = *time;
}

void ReadWorkers(Reader& reader, const Value& value, std::optional<uint32_t>* workers) {
  const auto text = reader.ReadText(value, "workers");
  if (!text) return;
  if (*text == "auto") return workers->reset();
  Parsed<uint64_t> number = ParseNumber(*text, 1, 1024);
  if (number) {
    *workers = static_cast<uint32_t>(*number);
  } else {
    number.error().hint = "a number of threads, or auto";
    reader.Error(value, "workers", std::move(number.error()));
  }
}

void ReadServerHeader(Reader& reader, const Value& value, std::string* server) {
  const auto text = reader.ReadText(value, "server_header");
  if (!text) return;
  const bool control = std::any_of(text->begin(), text->end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
  });
  if (control) return reader.Error(value, "server_header: a header has no control characters");
  if (*text == "off" || *text == "false") return server->clear();
  *server = *text == "on" || *text == "true" ? "quipd" : std::string(*text);
}

// The key of an entry of `types`, lower-case; none where it is at fault.
std::optional<std::string> ReadExtension(Reader& reader, const Value& key) {
  std::string extension = Lower(key.text);
  const size_t dot = extension.rfind('.');
  if (dot != extension.npos) {
    const std::string last = extension.substr(dot + 1);
    reader.Error(key, "types: the extension " + Quoted(key.text) + " holds a dot",
                 last.empty() ? "" : "write " + last + ": what stands behind the last dot counts");
    return std::nullopt;
  }
  const bool fits = std::all_of(extension.begin(), extension.end(), [](char byte) {
    return static_cast<unsigned char>(byte) > 0x20 && byte != 0x7F && byte != '/';
  });
  if (fits && !extension.empty()) return extension;
  reader.Error(key, "types: " + Quoted(key.text) + " is no extension", "such as: wasm");
  return std::nullopt;
}

void ReadTypes(Reader& reader, const Value& types, std::map<std::string, std::string>* out) {
  if (!reader.IsMapping(types, "types")) return;
  std::map<std::string, std::string> own;
  for (const Member& member : types.members) {
    if (member.value.kind == Value::Kind::kMissing) {
      reader.Missing(types, member);
      continue;
    }
    const auto extension = ReadExtension(reader, member.key);
    auto type = ReadFieldValue(reader, member.value, "types." + std::string(member.key.text));
    if (!extension || !type) continue;
    if (type->find('/') == type->npos) {
      reader.Error(member.value, "types: " + Quoted(*type) + " is no media type",
                   "such as: text/plain; charset=utf-8");
    } else if (!own.emplace(*extension, std::move(*type)).second) {
      reader.Error(member.key, "types: the extension " + Quoted(*extension) + " is there twice",
                   "upper and lower case are the same");
    }
  }
  for (auto& [extension, type] : own) (*out)[extension] = std::move(type);
}

void ReadWatch(Reader& reader, const Value& value) {
  if (reader.ReadSwitch(value, "watch").value_or(false)) {
    reader.Error(value, "watch: on is not yet served", "a change is read at SIGHUP");
  }
}

void ReadProfile(Reader& reader, const Value& value, Settings* settings) {
  const auto text = reader.ReadText(value, "profile");
  if (!text) return;
  if (text->empty()) return reader.Error(value, "profile: the name is empty");
  settings->profile = *text;
  settings->profile_place = reader.At(value);
}

template <typename T>
void ReadMapping(Reader& reader, const Member& member, Level level, T* out,
                 void (*read)(Reader&, const Member&, T*)) {
  if (!reader.IsMapping(member.value, member.key.text)) return;
  reader.ForEach(member.value, level, [&](const Member& one) { read(reader, one, out); });
}

void ReadMember(Reader& reader, const Member& member, Settings* settings) {
  const std::string_view key = member.key.text;
  const Value& value = member.value;
  if (key == "listen") {
    settings->listeners = ReadListeners(reader, value);
  } else if (key == "headers") {
    OwnOptions own;
    ReadHeaders(reader, member.key, value, &own);
    settings->top = Merge(settings->top, own);
  } else if (key == "limits") {
    ReadMapping(reader, member, Level::kLimits, &settings->limits, ReadLimit);
  } else if (key == "timeouts") {
    ReadMapping(reader, member, Level::kTimeouts, &settings->timeouts, ReadTimeout);
  } else if (key == "log") {
    ReadMapping(reader, member, Level::kLog, &settings->log, ReadLog);
  } else if (key == "access_log") {
    ReadAccessLog(reader, value, &settings->access_log);
  } else if (key == "workers") {
    ReadWorkers(reader, value, &settings->workers);
  } else if (key == "server_header") {
    ReadServerHeader(reader, value, &settings->server_header);
  } else if (key == "types") {
    ReadTypes(reader, value, &settings->types);
  } else if (key == "watch") {
    ReadWatch(reader, value);
  } else if (key == "profile") {
    ReadProfile(reader, value, settings);
  }
}

// A rule that stands at the top level, without `routes`.
bool IsStrayRule(Reader& reader, const Member& member) {
  if (!IsRuleKey(member.key.text) || !SplitRuleKey(member.key.text)) return false;
  reader.Error(member.key, "a rule at the top level of the file",
               "rules are a list under routes: - " + std::string(member.key.text) + ": ...");
  return true;
}

}  // namespace

void ReadSettings(Reader& reader, const Value& top, bool overlay, Settings* settings) {
  for (const Member& member : top.members) {
    const std::string_view key = member.key.text;
    if (key.starts_with("x-") || IsStrayRule(reader, member)) continue;
    if (!reader.Accept(top, member, Level::kTop)) continue;
    if (overlay && (key == "profile" || key == "profiles")) {
      reader.Error(member.key, std::string(key) + " in a profile: a profile holds none");
    } else {
      ReadMember(reader, member, settings);
    }
  }
}

}  // namespace quipd::config
