// SPDX-License-Identifier: MIT
#include "load_settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

namespace quipd::bench {
namespace {

std::string ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<pid_t> ParsePids(const char* text) {
  std::vector<pid_t> pids;
  for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    pids.push_back(static_cast<pid_t>(std::strtol(text, &end, 10)));
    if (end == text) break;
  }
  return pids;
}

// False where the option is unknown.
bool TakeOption(std::string_view name, const char* value, Settings* settings) {
  const auto number = [&] { return std::strtoull(value, nullptr, 10); };
  if (name == "--port")
    settings->port = static_cast<uint16_t>(number());
  else if (name == "--head")
    settings->head = ReadFile(value);
  else if (name == "--body")
    settings->bodies.emplace_back(value);
  else if (name == "--file")
    settings->file = ReadFile(value);
  else if (name == "--tls")
    settings->cipher = value;
  else if (name == "--status")
    settings->status = static_cast<int>(number());
  else if (name == "--connections")
    settings->connections = number();
  else if (name == "--depth")
    settings->depth = std::min<size_t>(number(), kMaxDepth);
  else if (name == "--numbers")
    settings->numbers = number();
  else if (name == "--seed")
    settings->seed = number();
  else if (name == "--warmup")
    settings->warmup_ms = number();
  else if (name == "--time")
    settings->time_ms = number();
  else if (name == "--requests")
    settings->requests = number();
  else if (name == "--pids")
    settings->pids = ParsePids(value);
  else
    return false;
  return true;
}

}  // namespace

bool ParseArguments(int argc, char** argv, Settings* settings) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--close") {
      settings->close = true;
    } else if (std::string_view(argv[i]) == "--resume") {
      settings->resume = true;
    } else if (i + 1 == argc || !TakeOption(argv[i], argv[i + 1], settings)) {
      std::fprintf(stderr, "bench_load: unknown or incomplete option %s\n", argv[i]);
      return false;
    } else {
      ++i;
    }
  }
  if (settings->close || !settings->file.empty()) settings->depth = 1;
  const bool has_body = !settings->bodies.empty() || !settings->file.empty();
  return settings->port != 0 && !settings->head.empty() && has_body && settings->depth > 0 &&
         !(settings->close && !settings->file.empty());
}

}  // namespace quipd::bench
