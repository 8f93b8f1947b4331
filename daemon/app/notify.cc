// SPDX-License-Identifier: MIT
#include "app/notify.h"

#include <systemd/sd-daemon.h>

#include <ctime>

namespace quipd::app {
namespace {

// An assignment ends at a line end.
std::string OneLine(std::string text) {
  for (char& byte : text) {
    if (byte == '\n' || byte == '\r') byte = ' ';
  }
  return text;
}

}  // namespace

void NotifyReady(const Readiness& readiness) {
  std::string state = "READY=1\nSTATUS=" + OneLine(readiness.status) + '\n';
  for (const std::string& address : readiness.addresses) {
    state += "QUIPD_LISTENING=" + OneLine(address) + '\n';
  }
  state += "QUIPD_GENERATION=" + std::to_string(readiness.generation) + '\n';
  state += readiness.reload_failed ? "QUIPD_RELOAD=failed\n" : "QUIPD_RELOAD=ok\n";
  sd_notify(0, state.c_str());
}

void NotifyReloading() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t usec = now.tv_sec * 1'000'000 + now.tv_nsec / 1000;
  const std::string state = "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(usec) + '\n';
  sd_notify(0, state.c_str());
}

void NotifyStopping(const std::string& status, std::chrono::milliseconds within) {
  const auto usec = std::chrono::duration_cast<std::chrono::microseconds>(within).count();
  const std::string state = "STOPPING=1\nSTATUS=" + OneLine(status) +
                            "\nEXTEND_TIMEOUT_USEC=" + std::to_string(usec) + '\n';
  sd_notify(0, state.c_str());
}

void NotifyAlive() { sd_notify(0, "WATCHDOG=1\n"); }

}  // namespace quipd::app
