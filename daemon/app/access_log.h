// SPDX-License-Identifier: MIT
// The access log: a thread of its own takes what the workers put into their rings, and writes it.
// Whatever becomes of its target (a full disk, a closed pipe, a reader that sleeps), workers go on:
// lines are lost, counted, and told of in the daemon's own log at most once in ten seconds. A
// target that works again is noticed with the next line.
//
// Configured by one thread, the supervisor's; outlives the server that has its rings. Idle it
// wakes nobody; under load it writes some hundred times a second, so that a line is there within
// some ten milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/diagnostic.h"
#include "config/config.h"

namespace quipd::server {
class AccessRings;
}

namespace quipd::app {

// Lines since the start.
struct AccessLogCounts {
  uint64_t written = 0;
  uint64_t dropped = 0;  // found their worker's ring full: the writer didn't keep up
  uint64_t failed = 0;   // could not be written
};

class AccessLog {
 public:
  explicit AccessLog(size_t workers);
  // Writes what is in the rings, for a second at most. No worker may be running.
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  [[nodiscard]] server::AccessRings* rings();

  // Opens the target before the old one is let go; where that fails the old one stays and the error
  // says why. What was answered before is written to the old one. An empty target: off.
  [[nodiscard]] Result<void> Configure(const config::AccessLog& log);

  // Opens the target anew, after it was renamed. The same rule for a failure.
  [[nodiscard]] Result<void> Reopen();

  // Any thread.
  [[nodiscard]] AccessLogCounts counts() const;

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
  config::AccessLog log_;
};

}  // namespace quipd::app
