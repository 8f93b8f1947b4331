// SPDX-License-Identifier: MIT
#include "config/keys.h"

#include <algorithm>
#include <array>
#include <vector>

#include "config/spelling.h"

namespace quipd::config {
namespace {

constexpr Key kKeys[] = {
    {"listen", Level::kTop, "8080"},
    {"trusted_proxies", Level::kTop, "none", false},
    {"profile", Level::kTop, "prod"},
    {"profiles", Level::kTop, ""},
    {"include", Level::kTop, ""},
    {"routes", Level::kTop, ""},
    {"headers", Level::kTop, ""},
    {"errors", Level::kTop, ""},
    {"types", Level::kTop, ""},
    {"watch", Level::kTop, "off"},
    {"workers", Level::kTop, "auto"},
    {"limits", Level::kTop, ""},
    {"timeouts", Level::kTop, ""},
    {"log", Level::kTop, ""},
    {"access_log", Level::kTop, "off"},
    {"admin", Level::kTop, "/run/quipd/admin.sock", false},
    {"server_header", Level::kTop, "quipd"},

    {"routes", Level::kGroup, ""},
    {"host", Level::kGroup, "any"},
    {"listener", Level::kGroup, "any"},
    {"prefix", Level::kGroup, ""},
    {"override", Level::kGroup, "off"},
    {"errors", Level::kGroup, ""},
    {"status", Level::kGroup, "200"},
    {"type", Level::kGroup, "by action"},
    {"headers", Level::kGroup, ""},
    {"without", Level::kGroup, ""},
    {"cache", Level::kGroup, ""},
    {"etag", Level::kGroup, "on"},
    {"compress", Level::kGroup, "on"},
    {"template", Level::kGroup, "off"},
    {"query", Level::kGroup, "keep"},
    {"listing", Level::kGroup, "off"},
    {"dotfiles", Level::kGroup, "off"},
    {"symlinks", Level::kGroup, "inside"},
    {"fallback", Level::kGroup, ""},

    {"name", Level::kRule, ""},
    {"host", Level::kRule, "any"},
    {"listener", Level::kRule, "any"},
    {"override", Level::kRule, "off"},
    {"status", Level::kRule, "200"},
    {"type", Level::kRule, "by action"},
    {"headers", Level::kRule, ""},
    {"without", Level::kRule, ""},
    {"cache", Level::kRule, ""},
    {"etag", Level::kRule, "on"},
    {"compress", Level::kRule, "on"},
    {"template", Level::kRule, "off"},
    {"query", Level::kRule, "keep"},
    {"listing", Level::kRule, "off"},
    {"dotfiles", Level::kRule, "off"},
    {"symlinks", Level::kRule, "inside"},
    {"fallback", Level::kRule, ""},

    {"echo", Level::kErrorEntry, ""},
    {"html", Level::kErrorEntry, ""},
    {"json", Level::kErrorEntry, ""},
    {"file", Level::kErrorEntry, ""},
    {"redirect", Level::kErrorEntry, ""},
    {"moved", Level::kErrorEntry, ""},
    {"status", Level::kErrorEntry, "the code it is for"},
    {"type", Level::kErrorEntry, "by action"},
    {"headers", Level::kErrorEntry, ""},
    {"cache", Level::kErrorEntry, ""},
    {"template", Level::kErrorEntry, "off"},

    {"address", Level::kListener, ""},
    {"name", Level::kListener, ""},
    {"tls", Level::kListener, ""},
    {"mode", Level::kListener, "0660"},
    {"backlog", Level::kListener, "4096"},
    {"proxy_protocol", Level::kListener, "off"},

    {"certificate", Level::kTls, ""},
    {"key", Level::kTls, ""},

    {"head", Level::kLimits, "16KiB"},
    {"target", Level::kLimits, "8KiB"},
    {"header_count", Level::kLimits, "100"},
    {"body", Level::kLimits, "1MiB"},
    {"connections", Level::kLimits, "10000"},
    {"inline_file", Level::kLimits, "1MiB"},

    {"head", Level::kTimeouts, "10s"},
    {"idle", Level::kTimeouts, "60s"},
    {"body", Level::kTimeouts, "30s"},
    {"write", Level::kTimeouts, "30s"},
    {"drain", Level::kTimeouts, "10s"},
    {"drain_delay", Level::kTimeouts, "0s"},

    {"level", Level::kLog, "info"},
    {"format", Level::kLog, "text"},
    {"target", Level::kLog, "auto"},

    {"format", Level::kAccessLog, "combined"},
    {"target", Level::kAccessLog, ""},
};

constexpr std::string_view kActions[] = {"echo",  "html", "json", "status",  "redirect",
                                         "moved", "file", "dir",  "reflect", "health"};

constexpr std::string_view kReserved[] = {"preload", "min_version", "client_ca", "when",  "unless",
                                          "times",   "delay",       "cors",      "auth",  "limit",
                                          "session", "proxy",       "lenient",   "shared"};

// Where a key that is unknown here would be known.
std::string_view PlaceOf(Level level) {
  switch (level) {
    case Level::kTop:
      return "at the top level of the file";
    case Level::kGroup:
      return "in a group";
    case Level::kRule:
      return "beside a rule";
    case Level::kErrorEntry:
      return "in an entry of errors";
    case Level::kListener:
      return "in a mapping of listen";
    case Level::kTls:
      return "in tls of a mapping of listen";
    case Level::kLimits:
      return "in limits";
    case Level::kTimeouts:
      return "in timeouts";
    case Level::kLog:
      return "in log";
    case Level::kAccessLog:
      return "in access_log";
  }
  return {};
}

}  // namespace

std::span<const Key> Keys() { return kKeys; }

std::span<const std::string_view> Actions() { return kActions; }

std::span<const std::string_view> ReservedWords() { return kReserved; }

const Key* FindKey(Level level, std::string_view name) {
  for (const Key& key : kKeys) {
    if (key.level == level && key.name == name) return &key;
  }
  return nullptr;
}

bool IsReserved(std::string_view word) {
  return std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved);
}

std::string HintForUnknown(Level level, std::string_view name) {
  std::vector<std::string_view> here;
  for (const Key& key : kKeys) {
    if (key.level == level) here.push_back(key.name);
  }
  std::string hint = DidYouMean(name, here);
  if (!hint.empty()) return hint;
  for (const Key& key : kKeys) {
    if (key.name == name) {
      return Quoted(name) + " stands " + std::string(PlaceOf(key.level));
    }
  }
  return {};
}

}  // namespace quipd::config
