// SPDX-License-Identifier: MIT
// bench_rules: what it costs to load rules. Writes a file of N rules `GET /r/N echo: Hello N`, then
// goes the whole way from read() to a ready Site, several times, each in a process of its own so
// that memory is counted from a clean heap. Prints one JSON object.
//
//   bench_rules [RULES [RUNS]]
#include <malloc.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "config/loader.h"
#include "site/site.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Figures {
  double load_seconds = 0;
  double compile_seconds = 0;
  double cpu_seconds = 0;  // of both
  double free_seconds = 0;
  size_t site_bytes = 0;    // Site::memory_bytes
  size_t resident_kib = 0;  // RssAnon that is left when only the Site lives
  size_t peak_kib = 0;      // VmHWM
};

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double CpuSeconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

// A figure of /proc/self/status, in KiB.
size_t StatusKib(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    size_t value = 0;
    if (word == name + ":" && file >> value) return value;
  }
  return 0;
}

std::string WriteRules(size_t count) {
  std::string path = "/tmp/quipd-bench-XXXXXX";
  const int fd = mkstemp(path.data());
  if (fd < 0) std::exit(1);
  close(fd);
  std::ofstream file(path);
  file << "routes:\n";
  for (size_t i = 0; i < count; ++i) {
    file << "  - GET /r/" << i << " echo: Hello " << i << "\n";
  }
  return path;
}

bool Measure(const std::string& path, Figures* figures) {
  const size_t before = StatusKib("RssAnon");
  quipd::config::LoadRequest request;
  request.file = path;
  const double cpu_before = CpuSeconds();
  auto start = Clock::now();
  quipd::config::Loaded loaded = quipd::config::Load(request);
  figures->load_seconds = Since(start);
  if (!loaded.config) return false;
  start = Clock::now();
  quipd::site::Compiled compiled = quipd::site::Compile(std::move(*loaded.config));
  figures->compile_seconds = Since(start);
  figures->cpu_seconds = CpuSeconds() - cpu_before;
  if (!compiled.site) return false;
  start = Clock::now();
  loaded = {};
  figures->free_seconds = Since(start);
  malloc_trim(0);
  figures->site_bytes = compiled.site->memory_bytes();
  figures->resident_kib = StatusKib("RssAnon") - std::min(before, StatusKib("RssAnon"));
  figures->peak_kib = StatusKib("VmHWM");
  return true;
}

// One run in a child.
bool RunOnce(const std::string& path, Figures* figures) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    Figures own;
    const bool good = Measure(path, &own);
    if (good && write(ends[1], &own, sizeof own) != sizeof own) _exit(1);
    _exit(good ? 0 : 1);
  }
  close(ends[1]);
  const bool good = read(ends[0], figures, sizeof *figures) == sizeof *figures;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rules = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const size_t runs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5;
  const std::string path = WriteRules(rules);
  std::vector<Figures> all(runs);
  bool good = true;
  for (Figures& figures : all) good = good && RunOnce(path, &figures);
  unlink(path.c_str());
  if (!good || runs == 0) {
    std::fprintf(stderr, "bench_rules: the rules were refused\n");
    return 1;
  }
  std::sort(all.begin(), all.end(), [](const Figures& a, const Figures& b) {
    return a.load_seconds + a.compile_seconds < b.load_seconds + b.compile_seconds;
  });
  const Figures& median = all[runs / 2];
  std::printf(
      "{\"rules\": %zu, \"load_s\": %.4f, \"compile_s\": %.4f, \"cpu_s\": %.4f, \"free_s\": %.4f, ",
      rules, median.load_seconds, median.compile_seconds, median.cpu_seconds, median.free_seconds);
  std::printf("\"site_bytes\": %zu, \"resident_kib\": %zu, \"peak_kib\": %zu}\n", median.site_bytes,
              median.resident_kib, median.peak_kib);
}
