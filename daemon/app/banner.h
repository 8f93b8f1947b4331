// SPDX-License-Identifier: MIT
// What a developer sees when quipd is ready. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "config/config.h"
#include "server/server.h"

namespace quipd::app {

struct Start {
  std::string configuration;  // as named on the command line
  std::vector<server::Address> addresses;
  std::chrono::milliseconds took{0};
};

// Several lines: version, configuration, profile, pid, routes, URLs, milliseconds to ready.
[[nodiscard]] std::string Banner(const config::Config& config, const Start& start);

// "3 routes, listening on http://127.0.0.1:8080/", for logs and STATUS=.
[[nodiscard]] std::string Summary(const config::Config& config,
                                  const std::vector<server::Address>& addresses);

// The URL that reaches a bound address from this machine.
[[nodiscard]] std::string UrlOf(const server::Address& address);

}  // namespace quipd::app
