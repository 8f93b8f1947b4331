// SPDX-License-Identifier: MIT
// What reading a configuration costs, without making rules of it: the bytes' check, YAML's events
// and the tree of values.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "config/value.h"

namespace quipd::config {
namespace {

std::shared_ptr<const Source> Rules(int64_t count) {
  std::string bytes = "routes:\n";
  for (int64_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    bytes += "  - GET /r/" + number + " echo: Hello " + number + "\n";
  }
  return std::make_shared<const Source>("rules.yaml", "", std::move(bytes));
}

void BM_ParseYaml(benchmark::State& state) {
  const auto source = Rules(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(ParseYaml(source));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_ParseYaml)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMillisecond);

void BM_ParseRoutesConf(benchmark::State& state) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += "GET /r/" + std::to_string(i) + " echo: Hello\n";
  const auto source = std::make_shared<const Source>("routes.conf", "", std::move(bytes));
  for (auto _ : state) benchmark::DoNotOptimize(ParseRoutesConf(source));
}
BENCHMARK(BM_ParseRoutesConf)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quipd::config
