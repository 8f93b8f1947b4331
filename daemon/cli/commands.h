// SPDX-License-Identifier: MIT
// The commands, each in the file of its name. Answers go to stdout, diagnostics to stderr; each
// returns the exit status: 0, or 1 for a fault. Main thread only.
#pragma once

#include <string>
#include <vector>

#include "config/loader.h"

namespace quipd::cli {

// What -c, -e, --listen and --profile say, for the commands that read a configuration.
struct Source {
  config::LoadRequest load;
  std::string name;  // for people: the file, or "-e"
};

[[nodiscard]] int Run(const Source& source);
[[nodiscard]] int Check(const Source& source);
[[nodiscard]] int Routes(const Source& source);

struct ExplainRequest {
  std::string method;
  std::string url;                   // "/path?query" or "http://host:port/path"
  std::vector<std::string> headers;  // "Name: value"
};
[[nodiscard]] int Explain(const Source& source, const ExplainRequest& request);

[[nodiscard]] int Version();

}  // namespace quipd::cli
