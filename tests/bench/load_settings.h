// SPDX-License-Identifier: MIT
// What bench_load is told on its command line.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace quipd::bench {

inline constexpr size_t kMaxDepth = 64;

struct Settings {
  uint16_t port = 0;
  std::string head;
  std::vector<std::string> bodies;
  std::string file;  // instead of bodies: the content of a file, whatever its size
  int status = 200;
  size_t connections = 64;
  size_t depth = 1;
  bool close = false;
  std::string cipher;   // of TLS; empty: without
  bool resume = false;  // each TLS session but the first of a connection
  uint64_t numbers = 0;
  uint64_t seed = 1;
  uint64_t warmup_ms = 100;
  uint64_t time_ms = 1000;
  uint64_t requests = UINT64_MAX;
  std::vector<pid_t> pids;
};

// False where they make no load; what is wrong is on stderr.
[[nodiscard]] bool ParseArguments(int argc, char** argv, Settings* settings);

}  // namespace quipd::bench
