// SPDX-License-Identifier: MIT
// The processor time that a server and its children have used, summed over their threads from
// /proc/PID/task/*/schedstat (nanoseconds; the ticks of stat are too coarse). Exact while the
// server sleeps, a tick old while it runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace quipd::bench {

struct ServerCpu {
  uint64_t run_ns = 0;   // on a processor
  uint64_t wait_ns = 0;  // ready to run, but another process had the processor
};

// Threads that have ended are not in it, so `pids` should name servers whose threads stay.
[[nodiscard]] ServerCpu ReadServerCpu(const std::vector<pid_t>& pids);

}  // namespace quipd::bench
