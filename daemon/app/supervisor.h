// SPDX-License-Identifier: MIT
// The life of the daemon: start, reload on SIGHUP, reopen logs on SIGUSR1, drain on SIGTERM or
// SIGINT. Runs on the main thread, whose event_base alone handles signals; loading happens on a
// thread of its own, so that a slow disk never keeps a signal waiting.
#pragma once

#include <string>

#include "config/loader.h"

namespace quipd::app {

struct RunRequest {
  config::LoadRequest load;
  std::string configuration;  // for people: the file or "-e"
};

// Serves until it is told to stop. The exit status: 0 after a drain, 1 where it could not start;
// the faults are on stderr then.
[[nodiscard]] int Run(const RunRequest& request);

}  // namespace quipd::app
