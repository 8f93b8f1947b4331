// SPDX-License-Identifier: MIT
// What a line of the access log costs its writer: taken from a ring and formatted.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>

#include <memory>
#include <vector>

#include "app/access_format.h"
#include "server/access_ring.h"

namespace quipd::app {
namespace {

server::AccessEntry EntryOfABrowser() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, "203.0.113.200", &address.sin_addr);
  server::AccessEntry entry;
  entry.client = server::Peer(reinterpret_cast<const sockaddr*>(&address));
  entry.unix_ms = 1'700'000'000'123;
  entry.latency_us = 12;
  entry.body_bytes = 12;
  entry.status = 200;
  entry.method = "GET";
  entry.target = "/products/12345/reviews?page=2&sort=newest";
  entry.host = "www.example.com";
  entry.referer = "https://www.example.com/products/12345";
  entry.user_agent =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 "
      "Safari/537.36";
  entry.rule = "reviews";
  entry.file = "/etc/quipd/quipd.yaml";
  entry.line = 42;
  return entry;
}

void Format(benchmark::State& state, AccessFormat::Format format, server::AccessEntry entry) {
  AccessFormat one(format);
  std::vector<char> line(AccessFormat::Bound(entry));
  for (auto _ : state) {
    ++entry.unix_ms;
    benchmark::DoNotOptimize(one.Write(entry, line.data()));
    benchmark::ClobberMemory();
  }
}
BENCHMARK_CAPTURE(Format, Common, AccessFormat::Format::kCommon, EntryOfABrowser());
BENCHMARK_CAPTURE(Format, Combined, AccessFormat::Format::kCombined, EntryOfABrowser());
BENCHMARK_CAPTURE(Format, Json, AccessFormat::Format::kJson, EntryOfABrowser());

void PopAndFormatJson(benchmark::State& state) {
  constexpr size_t kEntries = 1000;
  const auto ring = std::make_unique<server::AccessRing>();
  const server::AccessEntry added = EntryOfABrowser();
  AccessFormat format(AccessFormat::Format::kJson);
  std::vector<char> line(AccessFormat::Bound(added));
  server::AccessEntry entry;
  for (auto _ : state) {
    state.PauseTiming();
    for (size_t i = 0; i < kEntries; ++i) ring->Add(added);
    ring->Publish(0);
    state.ResumeTiming();
    while (ring->Pop(&entry)) benchmark::DoNotOptimize(format.Write(entry, line.data()));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kEntries));
}
BENCHMARK(PopAndFormatJson);

}  // namespace
}  // namespace quipd::app
