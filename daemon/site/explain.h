// SPDX-License-Identifier: MIT
// Why a request is answered as it is, in words. Slow and allocating: it weighs every rule of the
// Config against the request by the rank of quipd.yaml(5), without the Site's index, so that tests
// use it as the oracle of the router. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "site/site.h"

namespace quipd::site {

struct Contender {
  uint32_t rule;       // index into Config::rules
  bool path_matches;   // path, host and listener match, the method may not
  std::string reason;  // why it lost: "its host is api.example.com", "a literal segment beats {id}"
};

struct Explanation {
  uint32_t rule = kNoRule;  // what answers
  uint16_t status = 0;      // what is sent
  std::string summary;  // one line: "routes.yaml:3: GET /x echo", or "404: no rule has this path"
  std::vector<Contender> losers;  // those nearest to winning first
};

[[nodiscard]] Explanation Explain(const Site& site, const Request& request);

}  // namespace quipd::site
