// SPDX-License-Identifier: MIT
// What http/ costs a request: head, path, chunked coding, date.
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <string_view>

#include "bench/heads.h"
#include "http/chunked.h"
#include "http/date.h"
#include "http/head_parser.h"
#include "http/path.h"
#include "http/request_head.h"
#include "http/scan.h"

namespace quipd::http {
namespace {

void ParseHead(benchmark::State& state, std::string_view input) {
  const HeadLimits limits;
  for (auto _ : state) {
    RequestHead head;
    benchmark::DoNotOptimize(ParseRequestHead(input, limits, &head));
    benchmark::DoNotOptimize(head);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(input.size()));
}
BENCHMARK_CAPTURE(ParseHead, small, bench::kSmallHead);
BENCHMARK_CAPTURE(ParseHead, browser, bench::kBrowserHead);

void ParseHeadWithTables(benchmark::State& state, std::string_view input) {
  const HeadLimits limits;
  for (auto _ : state) {
    RequestHead head;
    benchmark::DoNotOptimize(HeadParser<scan::Tables>(limits, &head).Parse(input));
    benchmark::DoNotOptimize(head);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(input.size()));
}
BENCHMARK_CAPTURE(ParseHeadWithTables, small, bench::kSmallHead);
BENCHMARK_CAPTURE(ParseHeadWithTables, browser, bench::kBrowserHead);

void ResolvePath(benchmark::State& state, std::string_view raw) {
  std::array<char, 256> out;
  for (auto _ : state) {
    size_t length = 0;
    benchmark::DoNotOptimize(CanonicalPath(raw, out.data(), &length));
    benchmark::DoNotOptimize(length);
  }
}
BENCHMARK_CAPTURE(ResolvePath, plain, "/api/v1/users/42/orders");
BENCHMARK_CAPTURE(ResolvePath, uneven, "/api//v1/../v1/us%65rs/42/./orders");

void DecodeChunked(benchmark::State& state) {
  std::string input;
  for (int i = 0; i < 16; ++i) {
    input += "400\r\n" + std::string(1024, 'x') + "\r\n";
  }
  input += "0\r\n\r\n";
  for (auto _ : state) {
    ChunkedDecoder decoder(1 << 20);
    std::string_view rest = input;
    auto step = ChunkedDecoder::State::kMore;
    while (step == ChunkedDecoder::State::kMore) {
      const auto decoded = decoder.Decode(rest);
      step = decoded.state;
      rest.remove_prefix(decoded.consumed);
    }
    benchmark::DoNotOptimize(step);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(input.size()));
}
BENCHMARK(DecodeChunked);

void WriteDate(benchmark::State& state) {
  int64_t second = 1'700'000'000;
  for (auto _ : state) {
    benchmark::DoNotOptimize(FormatDate(second++));
  }
}
BENCHMARK(WriteDate);

}  // namespace
}  // namespace quipd::http
