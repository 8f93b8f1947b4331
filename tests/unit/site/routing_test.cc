// SPDX-License-Identifier: MIT
// Which rule answers.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

// Builds a site of rules whose payload is their own key, in both orders.
struct Rules {
  explicit Rules(std::vector<std::string> rules) : keys(std::move(rules)) {}
  std::vector<std::string> keys;

  void Expect(const std::string& method, const std::string& target, const std::string& winner) {
    for (const bool reversed : {false, true}) {
      SCOPED_TRACE(method + ' ' + target + (reversed ? " (rules reversed)" : ""));
      std::vector<std::string> order = keys;
      if (reversed) std::ranges::reverse(order);
      SiteBuilder builder;
      for (const std::string& key : order) builder.Add(key + " echo", key);
      const auto site = builder.Build();
      const Asked asked = AskSite(*site, method, target);
      EXPECT_EQ(asked.status == 200 && method != "HEAD" ? BodyOf(asked.bytes)
                : asked.status == 200                   ? order[asked.answer.rule]
                                                        : std::to_string(asked.status),
                winner);
    }
  }
};

TEST(Routing, SegmentBySegment) {
  Rules rules({"GET /foo/{id}", "GET /foo/bar", "GET /article/{x}", "GET /article/gtin/{x}",
               "GET /f/{id}.json", "GET /f/{id}", "GET /f/a{id}", "GET /f/a{id}.json",
               "GET /f/ab{id}n", "GET /{rest...}", "GET /t/{a}/x", "GET /t/b/{rest...}",
               "GET /t/b/{q}/z"});
  struct Case {
    const char* target;
    const char* winner;
  };
  const Case cases[] = {
      {"/foo/bar", "GET /foo/bar"},  // C01
      {"/foo/baz", "GET /foo/{id}"},
      {"/article/gtin/123", "GET /article/gtin/{x}"},  // C03
      {"/article/gtin", "GET /article/{x}"},
      {"/f/x.json", "GET /f/{id}.json"},
      {"/f/x", "GET /f/{id}"},
      {"/f/.json", "GET /f/{id}"},
      {"/f/ax", "GET /f/a{id}"},
      {"/f/ax.json", "GET /f/a{id}.json"},
      {"/f/abn", "GET /f/a{id}"},
      {"/f/abxn", "GET /f/ab{id}n"},
      {"/f/ab.json", "GET /f/a{id}.json"},
      {"/", "GET /{rest...}"},
      {"/f/", "GET /{rest...}"},
      {"/t/b/x", "GET /t/b/{rest...}"},  // the literal decides before the last segment is seen
      {"/t/b/c/z", "GET /t/b/{q}/z"},
      {"/t/c/x", "GET /t/{a}/x"},
      {"/t/c/y", "GET /{rest...}"},
  };
  for (const Case& test : cases) rules.Expect("GET", test.target, test.winner);
}

TEST(Routing, RestTakesNothingToo) {
  Rules rules({"GET /docs/{rest...}"});
  rules.Expect("GET", "/docs/", "GET /docs/{rest...}");
  rules.Expect("GET", "/docs/a/b", "GET /docs/{rest...}");
  rules.Expect("GET", "/docs", "404");
}

TEST(Routing, MethodsAreAPartOfTheMatch) {
  Rules rules({"POST /a/b", "GET /a/{x}", "ANY /{rest...}", "HEAD /h", "GET /h", "ANY /h",
               "ANY /any", "GET /any", "PURGE /any"});
  rules.Expect("GET", "/a/b", "GET /a/{x}");
  rules.Expect("POST", "/a/b", "POST /a/b");
  rules.Expect("PUT", "/a/b", "ANY /{rest...}");
  rules.Expect("HEAD", "/h", "HEAD /h");
  rules.Expect("GET", "/h", "GET /h");
  rules.Expect("PUT", "/h", "ANY /h");
  rules.Expect("HEAD", "/any", "GET /any");
  rules.Expect("OPTIONS", "/any", "ANY /any");
  rules.Expect("PURGE", "/any", "PURGE /any");
  rules.Expect("BREW", "/any", "ANY /any");
  rules.Expect("TRACE", "/any", "405");
}

TEST(Routing, PathsAreCanonical) {
  Rules rules({"GET /private/x", "GET /a/c", "GET /caf%C3%A9", "GET /a%2Fb", "GET /admin/x",
               "GET /public/{rest...}", "GET /s/"});
  const char* const forms[] = {"//private/x",     "/%70rivate/x", "/private/../private/x",
                               "/a/../private/x", "/private/./x", "/../private//x"};  // C09
  for (const char* form : forms) rules.Expect("GET", form, "GET /private/x");
  rules.Expect("GET", "/a//b/../c", "GET /a/c");
  rules.Expect("GET", "/caf%c3%a9", "GET /caf%C3%A9");
  rules.Expect("GET", "/a%2fb", "GET /a%2Fb");
  rules.Expect("GET", "/a/b", "404");
  rules.Expect("GET", "/public/..%2fadmin/x", "GET /public/{rest...}");  // C10
  rules.Expect("GET", "/public/%2e%2e/admin/x", "GET /admin/x");
  rules.Expect("GET", "/s", "404");
  rules.Expect("GET", "/s/.", "GET /s/");
  rules.Expect("GET", "/S/", "404");
  rules.Expect("GET", "/private/x%01", "404");
}

TEST(Routing, NothingIsA404) {
  Rules rules({"GET /x"});
  rules.Expect("GET", "/", "404");  // C06
}

TEST(Routing, Hosts) {
  SiteBuilder builder;
  builder.Add("GET / echo", "any");
  builder.Add("GET /only echo", "only");
  builder.Begin("", {"example.com", "other.com"});
  builder.Add("GET / echo", "exact");
  builder.End();
  builder.Begin("", {"*.example.com"});
  builder.Add("GET / echo", "suffix");
  builder.Add("ANY /{rest...} echo", "closed");
  builder.End();
  builder.Begin("", {"*.b.example.com"});
  builder.Add("GET / echo", "longer");
  builder.End();
  builder.Begin("", {"[::1]"});
  builder.Add("GET / echo", "six");
  builder.End();
  const auto site = builder.Build();
  struct Case {
    const char* host;
    const char* target;
    const char* body;
  };
  const Case cases[] = {
      {"example.com", "/", "exact"},
      {"EXAMPLE.com:80", "/", "exact"},  // C51
      {"example.com.", "/", "exact"},
      {"other.com", "/", "exact"},
      {"a.example.com", "/", "suffix"},
      {"a.c.example.com", "/", "suffix"},
      {"a.b.example.com", "/", "longer"},
      {"b.example.com", "/", "suffix"},
      {"a.b.example.com", "/x", "closed"},
      {"a.example.com", "/only", "closed"},
      {"example.com", "/only", "only"},
      {"xexample.com", "/", "any"},
      {"[::1]", "/", "six"},
      {"[::1]:8080", "/", "six"},
      {"nowhere", "/", "any"},
      {"", "/", "any"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.host) + test.target);
    Ask ask;
    ask.host = test.host;
    ask.target = test.target;
    EXPECT_EQ(BodyOf(AskSite(*site, ask).bytes), test.body);
  }
}

TEST(Routing, ListenersAndOverride) {
  SiteBuilder builder;
  builder.AddListener("second");
  builder.AddListener("third");
  builder.Add("GET / echo", "any");
  builder.Begin("", {"a.com"});
  builder.Add("GET / echo", "host");
  builder.End();
  builder.Begin("", {}, 1);
  builder.Add("ANY /{rest...} echo", "second");
  builder.End();
  builder.Begin().override_on = true;
  builder.Add("GET /health echo", "health");
  builder.Add("POST /{rest...} echo", "maintenance");
  builder.End();
  const auto site = builder.Build();
  struct Case {
    uint32_t listener;
    const char* method;
    const char* host;
    const char* target;
    const char* body;
  };
  const Case cases[] = {
      {0, "GET", "a.com", "/", "host"},         {0, "GET", "b.com", "/", "any"},
      {1, "GET", "a.com", "/", "second"},       {2, "GET", "a.com", "/", "host"},
      {1, "GET", "b.com", "/health", "health"}, {0, "POST", "a.com", "/", "maintenance"},
      {1, "POST", "a.com", "/", "maintenance"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.method) + " on " + std::to_string(test.listener));
    Ask ask;
    ask.method = test.method;
    ask.listener = test.listener;
    ask.host = test.host;
    ask.target = test.target;
    EXPECT_EQ(BodyOf(AskSite(*site, ask).bytes), test.body);
  }
}

TEST(Routing, ParametersInOrder) {
  SiteBuilder builder;
  builder.AddTemplate("GET /{a}/v{n}.x/{rest...} echo", "{{a}}|{{n}}|{{rest}}");
  builder.Add("GET /{a}/{b}/c/never echo", "");
  const auto site = builder.Build();
  EXPECT_EQ(BodyOf(AskSite(*site, "GET", "/one/v2.x/c/d").bytes), "one|2|c/d");
  EXPECT_EQ(BodyOf(AskSite(*site, "GET", "/one/v2.x/").bytes), "one|2|");
  EXPECT_EQ(BodyOf(AskSite(*site, "GET", "/o%2Fe/v%20.x/c//d/../e").bytes), "o/e| |c/e");
}

// Every path of 12 segments that are each "a" or {x}, but for the one that is asked for.
TEST(Routing, HostileTreeIsBoundedByItsRules) {
  constexpr int kDepth = 12;
  SiteBuilder builder;
  for (int bits = 0; bits < (1 << kDepth); ++bits) {
    std::string path;
    for (int i = 0; i < kDepth; ++i) {
      path += (bits >> i & 1) != 0 ? "/a" : "/{p" + std::to_string(i) + "}";
    }
    builder.Add("GET " + path + "/end echo", "x");
  }
  const auto site = builder.Build();
  std::string path;
  for (int i = 0; i < kDepth; ++i) path += "/a";
  EXPECT_EQ(AskSite(*site, "GET", path + "/end").status, 200);
  EXPECT_EQ(AskSite(*site, "GET", path + "/other").status, 404);
  std::string longest;
  for (int i = 0; i < 4000; ++i) longest += "/a";
  EXPECT_EQ(AskSite(*site, "GET", longest).status, 404);
}

TEST(Routing, ScratchIsReused) {
  SiteBuilder builder;
  builder.Add("GET /a echo", "a");
  builder.AddTemplate("GET /p/{x} echo", "{{x}}");
  const auto site = builder.Build();
  Scratch scratch;
  for (const char* target : {"/p/1", "/%61", "/a", "/p/2", "/none"}) {
    SCOPED_TRACE(target);
    const std::string text = std::string("GET ") + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
    http::RequestHead head;
    ASSERT_EQ(http::ParseRequestHead(text, {}, &head).state, http::HeadState::kComplete);
    const Request request{&head, 0, false, {}};
    const Answer answer = site->Find(request, &scratch);
    EXPECT_EQ(scratch.param_count, answer.kind == Answer::Kind::kTemplate ? 1 : 0);
  }
}

}  // namespace
}  // namespace quipd::site
