// SPDX-License-Identifier: MIT
// Where the daemon's own words go: text or JSON lines, to stderr or a file. Hides spdlog's sinks;
// everybody logs through spdlog's default logger. The sinks may be changed while others log.
#pragma once

#include "base/diagnostic.h"
#include "config/config.h"

namespace quipd::app {

// Before any configuration is read: text on stderr.
void StartLog();

// Level, format and target as configured. A file is opened before the old target is let go; where
// that fails the old one stays and the error says why.
[[nodiscard]] Result<void> ConfigureLog(const config::Log& log);

// Opens the file anew, after it was renamed by logrotate. The same rule for a failure.
[[nodiscard]] Result<void> ReopenLog();

}  // namespace quipd::app
