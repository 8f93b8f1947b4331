// SPDX-License-Identifier: MIT
// The top level of the configuration but for `routes`, `errors` and `include`: one part laid over
// what the parts before it said. Mappings merge, scalars and lists replace. Used by one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/reader.h"

namespace quipd::config {

struct Settings {
  std::vector<Listener> listeners;  // empty: `listen` was not said
  Options top;                      // of `headers`
  Limits limits;
  Timeouts timeouts;
  Log log;
  std::optional<AccessLog> access_log;  // none: not said
  std::optional<uint32_t> workers;
  std::map<std::string, std::string> types;
  std::string server_header = "quipd";
  std::string profile;  // empty: not said
  Place profile_place;
};

// Lays the mapping `top` over `settings`. `overlay`: it is that of a profile, or in a file that a
// profile includes.
void ReadSettings(Reader& reader, const Value& top, bool overlay, Settings* settings);

}  // namespace quipd::config
