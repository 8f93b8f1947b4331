// SPDX-License-Identifier: MIT
// The daemon's own log and the access log as one: configured both or not at all, reopened together.
// The supervisor's thread alone; `access` outlives the server that fills its rings.
#pragma once

#include <cstddef>
#include <string>

#include "app/access_log.h"
#include "base/diagnostic.h"
#include "config/config.h"

namespace quipd::app {

class Logs {
 public:
  explicit Logs(size_t workers) : access_(workers) {}

  // As the configuration has them. An error stands at the target's place in the file, and nothing
  // has changed.
  [[nodiscard]] Result<void> Configure(const config::Config& config);

  // Opens the files of both anew. What can't be is told in the log and stays as it is.
  void Reopen();

  [[nodiscard]] AccessLog& access() { return access_; }

 private:
  AccessLog access_;
  config::Log log_;  // as last configured
};

}  // namespace quipd::app
