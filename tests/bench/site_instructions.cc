// SPDX-License-Identifier: MIT
// One lookup N times, for callgrind, whose counts repeat exactly:
//   valgrind --tool=callgrind --toggle-collect='*Measured*' site_instructions exact 1000
// counts 1000 lookups of a hot exact route among 10,000; `parameters` is a route with two of them.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "http/request_head.h"
#include "site/site.h"

namespace quipd::site {
namespace {

config::Config MakeConfig() {
  using config::Segment;
  config::Config config;
  config.listeners.emplace_back();
  const auto options = std::make_shared<const config::Options>();
  config.scopes.emplace_back().options = options;
  for (int i = 0; i < 10000; ++i) {
    config::Rule& rule = config.rules.emplace_back();
    rule.methods.known = 1;
    rule.path.written = rule.path.canonical = "/r/" + std::to_string(i);
    rule.answer.payload = "Hello " + std::to_string(i);
    rule.answer.options = options;
  }
  config::Rule& rule = config.rules.emplace_back();
  rule.methods.known = 1;
  rule.path.segments = {{Segment::Kind::kLiteral, "users", "", ""},
                        {Segment::Kind::kParam, "", "", "id"},
                        {Segment::Kind::kLiteral, "posts", "", ""},
                        {Segment::Kind::kParam, "", "", "post"}};
  rule.answer.payload = "x";
  rule.answer.options = options;
  return config;
}

[[gnu::noinline]] uint64_t Measured(const Site& site, const Request& request, Scratch* scratch,
                                    int count) {
  uint64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += site.Find(request, scratch).rule;
  return sum;
}

int Run(std::string_view what, int count) {
  const std::shared_ptr<const Site> site = Compile(MakeConfig()).site;
  const std::string target = what == "exact" ? "/r/4711" : "/users/ada/posts/17";
  const std::string text = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  http::RequestHead head;
  const http::HeadResult parsed = http::ParseRequestHead(text, {}, &head);
  if (parsed.state != http::HeadState::kComplete) return 1;
  const Request request{&head, 0, false, {}};
  Scratch scratch;
  std::printf("%llu\n", static_cast<unsigned long long>(Measured(*site, request, &scratch, count)));
  return 0;
}

}  // namespace
}  // namespace quipd::site

int main(int argc, char** argv) {
  return quipd::site::Run(argc > 1 ? argv[1] : "exact", argc > 2 ? std::atoi(argv[2]) : 1000);
}
