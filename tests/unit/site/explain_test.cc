// SPDX-License-Identifier: MIT
// The words of Explain, and Explain as the oracle of the router.
#include "site/explain.h"

#include <gtest/gtest.h>

#include <random>

#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

Explanation ExplainTo(const Site& site, const Ask& ask, Answer* answer = nullptr) {
  std::string text = ask.method + ' ' + ask.target +
                     (ask.host.empty() ? " HTTP/1.0\r\n" : " HTTP/1.1\r\nHost: " + ask.host) +
                     (ask.host.empty() ? "\r\n" : "\r\n\r\n");
  http::RequestHead head;
  EXPECT_EQ(http::ParseRequestHead(text, {}, &head).state, http::HeadState::kComplete) << text;
  const Request request{&head, ask.listener, false, {}};
  Scratch scratch;
  if (answer != nullptr) *answer = site.Find(request, &scratch);
  return Explain(site, request);
}

TEST(Explain, SaysWhyOthersLost) {
  SiteBuilder builder;
  builder.AddListener("second");
  builder.Add("GET /users/me echo", "0");
  builder.Add("GET /users/{id} echo", "1");
  builder.Add("ANY /users/me echo", "2");
  builder.Add("POST /users/me echo", "3");
  builder.Begin("", {"a.com"});
  builder.Add("GET /users/me echo", "4");
  builder.End();
  builder.Begin("", {}, 1);
  builder.Add("GET /users/me echo", "5");
  builder.End();
  builder.Add("GET /other echo", "6");
  builder.Add("ANY /{rest...} echo", "7");
  const auto site = builder.Build();
  Ask ask;
  ask.target = "/users/me";
  const Explanation explanation = ExplainTo(*site, ask);
  EXPECT_EQ(explanation.rule, 0u);
  EXPECT_EQ(explanation.status, 200);
  EXPECT_EQ(explanation.summary, "GET /users/me echo");
  const std::pair<uint32_t, const char*> losers[] = {
      {2, "GET goes before ANY"},
      {1, "the segment me goes before {id}"},
      {7, "the segment users goes before {rest...}"},
      {3, "it takes POST"},
      {5, "its listener is second"},
      {4, "its host is a.com"},
      {6, "its path is /other"},
  };
  ASSERT_EQ(explanation.losers.size(), std::size(losers));
  for (size_t i = 0; i < std::size(losers); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(explanation.losers[i].rule, losers[i].first);
    EXPECT_EQ(explanation.losers[i].reason, losers[i].second);
    EXPECT_EQ(explanation.losers[i].path_matches, i < 4);
  }
}

TEST(Explain, SaysWhatQuipdAnswersItself) {
  SiteBuilder builder;
  builder.Add("GET /x echo", "0");
  const auto site = builder.Build();
  const std::tuple<const char*, const char*, int, const char*> cases[] = {
      {"GET", "/y", 404, "404: no rule has this path"},
      {"POST", "/x", 405, "405: no rule of this path takes POST"},
      {"OPTIONS", "/x", 204, "204: OPTIONS is answered with the methods of the path's rules"},
      {"OPTIONS", "*", 204, "204: OPTIONS * is answered with the methods of all rules"},
      {"BREW", "/x", 501, "501: no rule names the method BREW"},
      {"GET", "/x%00", 400, "400: the path holds a NUL"},
  };
  for (const auto& [method, target, status, summary] : cases) {
    SCOPED_TRACE(summary);
    Ask ask;
    ask.method = method;
    ask.target = target;
    const Explanation explanation = ExplainTo(*site, ask);
    EXPECT_EQ(explanation.rule, kNoRule);
    EXPECT_EQ(explanation.status, status);
    EXPECT_EQ(explanation.summary, summary);
  }
}

// Small random configurations and requests, made of few words so that they meet often.
class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  size_t Below(size_t count) { return engine_() % count; }
  template <size_t kCount>
  std::string Pick(const char* const (&words)[kCount]) {
    return words[Below(kCount)];
  }

  std::string Rule() {
    static constexpr const char* kMethods[] = {"GET", "GET",      "HEAD",  "POST",
                                               "ANY", "GET,HEAD", "PUT,X", "OPTIONS"};
    static constexpr const char* kSegments[] = {"a",    "b",     "ab",    "a%2Fb", "{p}", "a{p}",
                                                "{p}b", "a{p}b", "ab{p}", "{p}ab", "{p}", "a"};
    std::string path;
    const size_t count = 1 + Below(3);
    for (size_t i = 0; i < count; ++i) {
      std::string segment = Pick(kSegments);
      const size_t name = segment.find("{p}");
      if (name != std::string::npos) segment.insert(name + 2, std::to_string(i));
      path += '/' + segment;
    }
    if (Below(5) == 0) path += Below(2) == 0 ? "/{rest...}" : "/";
    return Pick(kMethods) + ' ' + path + " echo";
  }

  Ask Request() {
    static constexpr const char* kMethods[] = {"GET", "GET",  "HEAD",    "POST", "PUT",
                                               "X",   "BREW", "OPTIONS", "TRACE"};
    static constexpr const char* kSegments[] = {"a",    "b",    "ab",  "aab", "abb",   "aabb",
                                                "a%62", "..",   "%2E", "",    "a%2fb", "%2f",
                                                "c",    "abab", "%61", "aXb"};
    static constexpr const char* kHosts[] = {"a.com", "x.a.com", "y.x.a.com", "b.org", ""};
    Ask ask;
    ask.method = Pick(kMethods);
    ask.host = Pick(kHosts);
    ask.listener = static_cast<uint32_t>(Below(3));
    ask.target.clear();
    const size_t count = 1 + Below(4);
    for (size_t i = 0; i < count; ++i) ask.target += '/' + Pick(kSegments);
    if (Below(4) == 0) ask.target += '/';
    return ask;
  }

 private:
  std::mt19937 engine_;
};

std::shared_ptr<const Site> RandomSite(Dice* dice) {
  static const std::vector<std::string> kHostSets[] = {
      {}, {"a.com"}, {"*.a.com"}, {"*.x.a.com"}, {"*.com", "a.com"}, {"x.a.com", "b.org"}};
  SiteBuilder builder;
  builder.AddListener("second");
  builder.AddListener("third");
  const size_t groups = 1 + dice->Below(5);
  for (size_t group = 0; group < groups; ++group) {
    const int32_t listener = static_cast<int32_t>(dice->Below(4)) - 1;
    config::Scope& scope = builder.Begin("", kHostSets[dice->Below(6)], std::min(listener, 1));
    scope.override_on = dice->Below(6) == 0;
    const size_t rules = 1 + dice->Below(8);
    for (size_t i = 0; i < rules; ++i) builder.Add(dice->Rule(), "x");
    builder.End();
  }
  // Rules that clash are taken out until none does; that the rest don't is the builder's word.
  for (;;) {
    config::Config config = builder.config;
    Compiled compiled = Compile(std::move(config));
    if (compiled.site != nullptr) return compiled.site;
    builder.config.rules.pop_back();
  }
}

TEST(Explain, AgreesWithTheRouter) {
  size_t taken = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    const auto site = RandomSite(&dice);
    for (int i = 0; i < 50; ++i) {
      const Ask ask = dice.Request();
      Answer answer;
      const Explanation explanation = ExplainTo(*site, ask, &answer);
      ASSERT_EQ(answer.rule, explanation.rule)
          << "seed " << seed << ": " << ask.method << ' ' << ask.target << " of " << ask.host
          << " on " << ask.listener << ": " << explanation.summary;
      if (answer.rule != kNoRule) ++taken;
      if (answer.rule == kNoRule) {
        ASSERT_TRUE(explanation.summary.starts_with(std::to_string(explanation.status)))
            << explanation.summary << " but " << explanation.status;
      }
    }
  }
  EXPECT_GT(taken, 4000u);  // the words do meet
}

}  // namespace
}  // namespace quipd::site
