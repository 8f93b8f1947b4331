// SPDX-License-Identifier: MIT
// The Site alone: compiling rules, finding one, rendering a template. `site_bench
// --benchmark_filter` picks; for counts that repeat exactly run the hot cases under `valgrind
// --tool=callgrind`.
#include <benchmark/benchmark.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "config/config.h"
#include "http/request_head.h"
#include "site/site.h"

namespace quipd::site {
namespace {

constexpr size_t kBatch = 16;
constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";

config::Config MakeConfig(size_t routes) {
  config::Config config;
  config.listeners.emplace_back();
  const auto options = std::make_shared<const config::Options>();
  config.scopes.emplace_back().options = options;
  config.rules.reserve(routes + 2);
  for (size_t i = 0; i < routes; ++i) {
    config::Rule& rule = config.rules.emplace_back();
    rule.methods.known = 1;
    rule.path.written = "/r/" + std::to_string(i);
    rule.path.canonical = rule.path.written;
    rule.answer.payload = "Hello " + std::to_string(i);
    rule.answer.options = options;
  }
  return config;
}

// "GET /users/{id}/posts/{post} html" with placeholders of path, query and header.
void AddTemplate(config::Config* config) {
  using config::Piece;
  using config::Segment;
  config::Rule& rule = config->rules.emplace_back();
  rule.methods.known = 1;
  rule.path.written = "/users/{id}/posts/{post}";
  rule.path.segments = {{Segment::Kind::kLiteral, "users", "", ""},
                        {Segment::Kind::kParam, "", "", "id"},
                        {Segment::Kind::kLiteral, "posts", "", ""},
                        {Segment::Kind::kParam, "", "", "post"}};
  rule.answer.action = config::Action::kHtml;
  rule.answer.pieces = {{Piece::Kind::kText, 0, "<p>"},  {Piece::Kind::kParam, 0, "id"},
                        {Piece::Kind::kText, 0, " of "}, {Piece::Kind::kParam, 1, "post"},
                        {Piece::Kind::kText, 0, ", q="}, {Piece::Kind::kQuery, 0, "q"},
                        {Piece::Kind::kText, 0, "</p>"}};
  rule.answer.options = config->scopes[0].options;
}

const Site& SiteOf(size_t routes) {
  static std::map<size_t, std::shared_ptr<const Site>> sites;
  std::shared_ptr<const Site>& site = sites[routes];
  if (site == nullptr) {
    config::Config config = MakeConfig(routes);
    AddTemplate(&config);
    site = Compile(std::move(config)).site;
  }
  return *site;
}

struct Heard {
  std::string text;
  http::RequestHead head;
};

std::unique_ptr<Heard> Hear(const std::string& target) {
  auto heard = std::make_unique<Heard>();
  heard->text = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  if (http::ParseRequestHead(heard->text, {}, &heard->head).state != http::HeadState::kComplete) {
    std::abort();
  }
  return heard;
}

void CompileRoutes(benchmark::State& state) {
  const auto routes = static_cast<size_t>(state.range(0));
  size_t memory = 0;
  for (auto _ : state) {
    state.PauseTiming();
    config::Config config = MakeConfig(routes);
    state.ResumeTiming();
    const Compiled compiled = Compile(std::move(config));
    memory = compiled.site->memory_bytes();
  }
  state.counters["bytes/route"] = static_cast<double>(memory) / static_cast<double>(routes);
  state.counters["sizeof(Rule)"] = sizeof(config::Rule);
}
BENCHMARK(CompileRoutes)->Arg(10)->Arg(100000)->Unit(benchmark::kMillisecond);

void FindHot(benchmark::State& state) {
  const Site& site = SiteOf(static_cast<size_t>(state.range(0)));
  const auto heard = Hear("/r/7");
  const Request request{&heard->head, 0, false, {}};
  Scratch scratch;
  for (auto _ : state) benchmark::DoNotOptimize(site.Find(request, &scratch));
}
BENCHMARK(FindHot)->Arg(10)->Arg(10000)->Arg(100000);

void FindParameters(benchmark::State& state) {
  const Site& site = SiteOf(static_cast<size_t>(state.range(0)));
  const auto heard = Hear("/users/ada/posts/17");
  const Request request{&heard->head, 0, false, {}};
  Scratch scratch;
  for (auto _ : state) benchmark::DoNotOptimize(site.Find(request, &scratch));
}
BENCHMARK(FindParameters)->Arg(10)->Arg(100000);

void FindNothing(benchmark::State& state) {
  const Site& site = SiteOf(10);
  const auto heard = Hear("/nothing/here");
  const Request request{&heard->head, 0, false, {}};
  Scratch scratch;
  for (auto _ : state) benchmark::DoNotOptimize(site.Find(request, &scratch));
}
BENCHMARK(FindNothing);

// Random routes, looked up and their responses read as a send would, `depth` at a time.
void FindRandom(benchmark::State& state) {
  const auto routes = static_cast<size_t>(state.range(0));
  const auto depth = static_cast<size_t>(state.range(1));
  const Site& site = SiteOf(routes);
  constexpr size_t kRequests = 4096;
  static std::array<char, 65536> out;
  std::mt19937 random(1);
  std::vector<std::unique_ptr<Heard>> heads;
  for (size_t i = 0; i < kRequests; ++i) {
    heads.push_back(Hear("/r/" + std::to_string(random() % routes)));
  }
  std::array<Request, kBatch> requests;
  std::array<Scratch, kBatch> scratch;
  std::array<Lookup, kBatch> lookups;
  size_t next = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < depth; ++i) {
      requests[i] = {&heads[(next + i) % kRequests]->head, 0, false, {}};
      site.Prepare(requests[i], &scratch[i], &lookups[i]);
    }
    for (size_t i = 0; i < depth; ++i) site.Advance(&lookups[i]);
    size_t used = 0;
    for (size_t i = 0; i < depth; ++i) {
      const Answer answer = site.Find(requests[i], lookups[i], &scratch[i]);
      const Response& response = *answer.response;
      const size_t size = response.head_size + response.body_size;
      std::memcpy(out.data() + used, response.bytes, size);
      used += size;
    }
    benchmark::DoNotOptimize(out);
    benchmark::ClobberMemory();
    next += depth;
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * depth));
}
BENCHMARK(FindRandom)
    ->Args({10, 1})
    ->Args({10000, 1})
    ->Args({100000, 1})
    ->Args({10, 16})
    ->Args({10000, 16})
    ->Args({100000, 16});

void RenderTemplate(benchmark::State& state) {
  const Site& site = SiteOf(10);
  const auto heard = Hear("/users/ada/posts/17?a=1&q=x%3Cy");
  const Request request{&heard->head, 0, false, {}};
  Scratch scratch;
  std::string out;
  for (auto _ : state) {
    const Answer answer = site.Find(request, &scratch);
    out.clear();
    uint16_t status = 0;
    benchmark::DoNotOptimize(site.Render(answer, request, scratch, kDate, false, &out, &status));
  }
}
BENCHMARK(RenderTemplate);

void RenderNotAllowed(benchmark::State& state) {
  const Site& site = SiteOf(10);
  const auto heard = Hear("/r/7");
  heard->head.method = "PUT";
  heard->head.method_id = http::Method::kPut;
  const Request request{&heard->head, 0, false, {}};
  Scratch scratch;
  std::string out;
  for (auto _ : state) {
    const Answer answer = site.Find(request, &scratch);
    out.clear();
    uint16_t status = 0;
    benchmark::DoNotOptimize(site.Render(answer, request, scratch, kDate, false, &out, &status));
  }
}
BENCHMARK(RenderNotAllowed);

}  // namespace
}  // namespace quipd::site
