// SPDX-License-Identifier: MIT
// From files, -e rules and the command line to a Config, or to every diagnostic. Reads files and
// the environment, changes nothing; may run on any thread, several at once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"

namespace quipd::config {

struct LoadRequest {
  std::optional<std::string> file;     // -c; "-" is standard input
  std::vector<std::string> rules;      // -e
  std::vector<std::string> listen;     // --listen; not empty: replaces `listen`
  std::optional<std::string> profile;  // --profile; else QUIPD_PROFILE, else `profile`, else prod
  // The environment; std::getenv where it is empty.
  std::function<const char*(const char*)> environment;
};

struct Loaded {
  std::optional<Config> config;  // none where there is an error
  Diagnostics diagnostics;       // errors and warnings, by source and place
};

[[nodiscard]] Loaded Load(const LoadRequest& request);

}  // namespace quipd::config
