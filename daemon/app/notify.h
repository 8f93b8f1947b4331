// SPDX-License-Identifier: MIT
// What the service manager is told (sd_notify(3)); nothing where no NOTIFY_SOCKET is set. Beside
// systemd's own assignments: QUIPD_LISTENING for each bound address, QUIPD_GENERATION and
// QUIPD_RELOAD (ok or failed), which systemd passes over.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace quipd::app {

// What READY=1 is said of, at start and after every reload.
struct Readiness {
  std::string status;  // in words, for STATUS=
  std::vector<std::string> addresses;
  uint64_t generation = 1;
  bool reload_failed = false;
};

void NotifyReady(const Readiness& readiness);
void NotifyReloading();
// `within`: the stop may take that long, whatever the manager had set.
void NotifyStopping(const std::string& status, std::chrono::milliseconds within);
// The watchdog's sign of life.
void NotifyAlive();

}  // namespace quipd::app
