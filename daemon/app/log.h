// SPDX-License-Identifier: MIT
// Where the daemon's own words go: text or JSON lines to stderr or a file, entries to the journal.
// Hides spdlog's sinks; everybody logs through spdlog's default logger, from any thread. The rest
// is called by the supervisor's thread, but for LogLinesLost.
//
// Who logs never waits for long and never fails: a line that can't be written is lost and counted,
// and how many were is told when lines can be written again.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/diagnostic.h"
#include "config/config.h"

namespace quipd::app {

// Before any configuration is read: text on stderr, or the journal where that is connected to it.
void StartLog();

// Level, format and target as configured. A file is opened before the old target is let go; where
// that fails the old one stays and the error says why.
[[nodiscard]] Result<void> ConfigureLog(const config::Log& log);

// Opens the file anew, after it was renamed by logrotate. The same rule for a failure. The level
// stays as it is.
[[nodiscard]] Result<void> ReopenLog();

// Holds until the log is configured again.
void SetLogLevel(config::LogLevel level);
[[nodiscard]] config::LogLevel CurrentLogLevel();

// A heading, which may be empty, and what it is about. In the journal and in JSON each diagnostic
// is an entry of its own, with fields for its place; as text they are one entry under their
// heading, each as shown to people, or without a heading a line each.
void LogDiagnostics(std::string_view heading, const Diagnostics& diagnostics);

// Why quipd doesn't start, or what it warns of as it does: on stderr as shown to people, or as
// entries of the journal where stderr is connected to it.
void PrintDiagnostics(const Diagnostics& diagnostics);

// Lines that could not be written since the start. Any thread.
[[nodiscard]] uint64_t LogLinesLost();

}  // namespace quipd::app
