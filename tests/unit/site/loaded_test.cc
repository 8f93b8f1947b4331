// SPDX-License-Identifier: MIT
// From YAML to answers: what the reader of configurations and the Site agree on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "config/loader.h"
#include "site/explain.h"
#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

constexpr const char* kRoutes = R"(
listen: [8080, {address: 127.0.0.1:8081, name: inner}]
headers: {X-Top: "1", X-Gone: "1"}
errors:
  404: {html: "<p>{{path}}", template: on}
  5xx: {json: {"error": "ours"}, headers: {Retry-After: "5"}}
routes:
  - GET / echo: Hello World!
  - GET /hello json: [Hello, World]
  - GET /teapot status: 418
  - GET /down status: 503
  - GET /old redirect: /new?x=1
  - GET /docs/{rest...} moved: https://docs.example.com/{{rest}}
  - ANY /debug/{rest...} reflect: json
  - POST /hello/{name} html: <p>Hello {{name}}
    template: on
    status: 201
    headers: {X-Name: "{{name}}"}
  - GET /robots.txt echo: |
      User-agent: *
      Disallow: /private/
    cache: 7d
  - host: [example.com, "*.example.com"]
    prefix: /api/v1
    headers: {X-Api: "1"}
    without: X-Gone
    errors: {4xx: {json: {"error": "no such thing"}}}
    routes:
      - GET /users/{id} json: {"name": "Ada"}
      - GET /gone status: 410
  - listener: inner
    routes:
      - GET /ready health: ready
)";

std::shared_ptr<const Site> LoadSite(const std::string& text) {
  const std::string path = testing::TempDir() + "loaded_test_" + std::to_string(getpid()) + ".yaml";
  std::ofstream(path) << text;
  config::LoadRequest request;
  request.file = path;
  request.environment = [](const char*) -> const char* { return nullptr; };
  config::Loaded loaded = config::Load(request);
  unlink(path.c_str());
  EXPECT_TRUE(loaded.diagnostics.empty()) << ToText(loaded.diagnostics);
  if (!loaded.config) return nullptr;
  Compiled compiled = Compile(std::move(*loaded.config));
  EXPECT_TRUE(compiled.diagnostics.empty()) << ToText(compiled.diagnostics);
  return compiled.site;
}

TEST(Loaded, Answers) {
  const auto site = LoadSite(kRoutes);
  ASSERT_NE(site, nullptr);
  struct Case {
    const char* method;
    const char* host;
    const char* target;
    int status;
    const char* field;
    const char* value;
    const char* body;
  };
  const Case cases[] = {
      {"GET", "x", "/", 200, "x-top", "1", "Hello World!"},
      {"GET", "x", "/hello", 200, "content-length", "17", "[\"Hello\",\"World\"]"},
      {"GET", "x", "/teapot", 418, "x-gone", "1", "418 I'm a teapot\n"},
      {"GET", "x", "/down", 503, "retry-after", "5", "{\"error\":\"ours\"}"},
      {"GET", "x", "/old?y=2", 302, "location", "/new?x=1&y=2", ""},
      {"GET", "x", "/docs/a/b%2Fc", 301, "location", "https://docs.example.com/a/b%2Fc", ""},
      {"POST", "x", "/hello/%3CAda", 201, "x-name", "<Ada", "<p>Hello &lt;Ada"},
      {"GET", "x", "/robots.txt", 200, "cache-control", "max-age=604800",
       "User-agent: *\nDisallow: /private/\n"},
      {"GET", "x", "/no%3Cne", 404, "content-type", "text/html; charset=utf-8", "<p>/no&lt;ne"},
      {"GET", "x", "/api/v1/users/7", 404, "x-api", "(none)", "<p>/api/v1/users/7"},
      {"GET", "example.com", "/api/v1/users/7", 200, "x-gone", "(none)", "{\"name\":\"Ada\"}"},
      {"GET", "a.example.com", "/api/v1/gone", 410, "x-api", "1", "{\"error\":\"no such thing\"}"},
      {"PUT", "example.com", "/api/v1/gone", 405, "allow", "GET, HEAD, OPTIONS",
       "{\"error\":\"no such thing\"}"},
      {"GET", "example.com", "/api/v1/none", 404, "x-gone", "(none)",
       "{\"error\":\"no such thing\"}"},
      {"GET", "example.com", "/ready", 404, "x-top", "1", "<p>/ready"},
      {"POST", "x", "/debug/", 0, nullptr, nullptr, nullptr},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.method) + ' ' + test.host + test.target);
    Ask ask;
    ask.method = test.method;
    ask.host = test.host;
    ask.target = test.target;
    const Asked asked = AskSite(*site, ask);
    EXPECT_EQ(asked.status, test.status);
    if (test.body == nullptr) {
      EXPECT_EQ(asked.answer.kind, Answer::Kind::kRelay);
      EXPECT_EQ(site->RelayFields(asked.answer.rule), "Server: quipd\r\nX-Top: 1\r\nX-Gone: 1\r\n");
      continue;
    }
    EXPECT_EQ(FieldOf(asked.bytes, test.field), test.value);
    EXPECT_EQ(BodyOf(asked.bytes), test.body);
  }
  Ask ask;
  ask.target = "/ready";
  ask.listener = 1;
  EXPECT_EQ(BodyOf(AskSite(*site, ask).bytes), "ok");
}

TEST(Loaded, ClashesNameBothPlaces) {
  config::LoadRequest request;
  request.rules = {"GET /x echo: a", "GET /x echo: b"};
  request.environment = [](const char*) -> const char* { return nullptr; };
  config::Loaded loaded = config::Load(request);
  ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
  const Compiled compiled = Compile(std::move(*loaded.config));
  EXPECT_EQ(compiled.site, nullptr);
  ASSERT_EQ(compiled.diagnostics.size(), 1u);
  EXPECT_EQ(compiled.diagnostics[0].line, 1);
  EXPECT_TRUE(compiled.diagnostics[0].message.starts_with("two rules answer GET /x: the other is "))
      << compiled.diagnostics[0].message;
}

}  // namespace
}  // namespace quipd::site
