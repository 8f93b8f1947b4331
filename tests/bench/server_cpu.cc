// SPDX-License-Identifier: MIT
#include "server_cpu.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace quipd::bench {

ServerCpu ReadServerCpu(const std::vector<pid_t>& pids) {
  ServerCpu sum;
  for (const pid_t pid : pids) {
    std::error_code error;
    const std::filesystem::path tasks = "/proc/" + std::to_string(pid) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
      std::ifstream file(task.path() / "schedstat");
      uint64_t run = 0;
      uint64_t wait = 0;
      if (file >> run >> wait) {
        sum.run_ns += run;
        sum.wait_ns += wait;
      }
    }
  }
  return sum;
}

}  // namespace quipd::bench
