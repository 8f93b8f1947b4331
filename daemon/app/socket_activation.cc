// SPDX-License-Identifier: MIT
#include "app/socket_activation.h"

#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace quipd::app {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Why none were found though the environment speaks of some; empty where it doesn't.
std::string WhyNone(const std::string& count, const std::string& pid) {
  if (count.empty()) return {};
  if (pid.empty()) return "LISTEN_FDS is set, and LISTEN_PID is not";
  return "LISTEN_PID is " + pid + ", this process is " + std::to_string(getpid());
}

}  // namespace

server::PassedSockets TakePassedSockets() {
  const std::string count = Variable("LISTEN_FDS");
  const std::string pid = Variable("LISTEN_PID");
  server::PassedSockets passed;
  char** names = nullptr;
  const int found = sd_listen_fds_with_names(/*unset_environment=*/1, &names);
  if (found < 0) {
    passed.fault = "taking the sockets of LISTEN_FDS=" + count + " LISTEN_PID=" + pid + ": " +
                   std::strerror(-found);
  } else if (found == 0) {
    passed.fault = WhyNone(count, pid);
  }
  for (int i = 0; i < found; ++i) {
    passed.sockets.push_back({names[i], FileDescriptor(SD_LISTEN_FDS_START + i)});
    std::free(names[i]);
  }
  std::free(names);
  return passed;
}

}  // namespace quipd::app
