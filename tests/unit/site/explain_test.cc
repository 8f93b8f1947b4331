// SPDX-License-Identifier: MIT
// The words of Explain, and Explain as the oracle of the router.
#include "site/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>

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
    static constexpr const char* kMethods[] = {"GET",  "GET",      "ANY",   "HEAD",
                                               "POST", "GET,HEAD", "PUT,X", "OPTIONS"};
    static constexpr const char* kSegments[] = {"a",    "b",     "ab",    "a%2Fb", "{p}", "a{p}",
                                                "{p}b", "a{p}b", "ab{p}", "{p}ab", "{p}", "a"};
    std::string path;
    const size_t count = 1 + Below(3) / 2 + Below(3) / 2;
    for (size_t i = 0; i < count; ++i) {
      std::string segment = Pick(kSegments);
      const size_t name = segment.find("{p}");
      if (name != std::string::npos) segment.insert(name + 2, std::to_string(i));
      path += '/' + segment;
    }
    const size_t end = Below(12);
    return Pick(kMethods) + ' ' + path + (end < 3 ? "/{rest...}" : end == 3 ? "/" : "") + " echo";
  }

  Ask Request() {
    static constexpr const char* kMethods[] = {"GET", "GET", "GET",  "HEAD",    "POST",
                                               "PUT", "X",   "BREW", "OPTIONS", "TRACE"};
    static constexpr const char* kPlain[] = {"a", "b", "ab", "aab", "abb", "aabb", "a%62"};
    static constexpr const char* kOdd[] = {"..", "%2E", "", "a%2fb", "%2f", "c", "%61", "aXb"};
    static constexpr const char* kHosts[] = {"a.com",     "x.a.com", "x.a.com",
                                             "y.x.a.com", "b.org",   ""};
    Ask ask;
    ask.method = Pick(kMethods);
    ask.host = Pick(kHosts);
    ask.listener = static_cast<uint32_t>(Below(3));
    ask.target.clear();
    const size_t count = 1 + Below(3) / 2 + Below(3) / 2;
    for (size_t i = 0; i < count; ++i) {
      ask.target += '/' + (Below(5) == 0 ? Pick(kOdd) : Pick(kPlain));
    }
    if (Below(8) == 0) ask.target += '/';
    return ask;
  }

 private:
  std::mt19937 engine_;
};

// What a rule claims, with a word for each host and method: two rules with a word in common clash.
std::vector<std::string> Claims(const config::Scope& scope, const std::vector<std::string>& hosts,
                                const std::string& rule) {
  const size_t blank = rule.find(' ');
  std::string shape;
  bool in_name = false;
  for (const char byte : rule.substr(blank)) {
    if (byte == '}') in_name = false;
    if (!in_name || byte == '.') shape += byte;
    if (byte == '{') in_name = true;
  }
  std::vector<std::string> claims;
  std::istringstream methods(rule.substr(0, blank));
  std::string method;
  while (std::getline(methods, method, ',')) {
    for (const std::string& host : hosts.empty() ? std::vector<std::string>{""} : hosts) {
      claims.push_back((scope.override_on ? "override " : "") + std::to_string(scope.listener) +
                       ' ' + host + ' ' + method + shape);
    }
  }
  return claims;
}

std::shared_ptr<const Site> RandomSite(Dice* dice) {
  static const std::vector<std::string> kHostSets[] = {
      {}, {"a.com"}, {"*.a.com"}, {"*.x.a.com"}, {"*.com", "a.com"}, {"x.a.com", "b.org"}};
  SiteBuilder builder;
  builder.AddListener("second");
  builder.AddListener("third");
  std::set<std::string> taken;
  const size_t groups = 1 + dice->Below(5);
  for (size_t group = 0; group < groups; ++group) {
    const std::vector<std::string>& hosts = kHostSets[dice->Below(std::size(kHostSets))];
    const int32_t listener = std::max(static_cast<int32_t>(dice->Below(4)) - 2, -1);
    config::Scope& scope = builder.Begin("", hosts, listener);
    scope.override_on = dice->Below(6) == 0;
    const config::Scope here = scope;
    const size_t rules = 2 + dice->Below(20);
    for (size_t i = 0; i < rules; ++i) {
      const std::string rule = dice->Rule();
      const std::vector<std::string> claims = Claims(here, hosts, rule);
      const auto is_taken = [&taken](const std::string& claim) { return taken.contains(claim); };
      if (std::any_of(claims.begin(), claims.end(), is_taken)) continue;
      taken.insert(claims.begin(), claims.end());
      builder.Add(rule, "x");
    }
    builder.End();
  }
  return builder.Build();
}

TEST(Explain, AgreesWithTheRouter) {
  size_t taken = 0;
  for (uint32_t seed = 1; seed <= 125; ++seed) {
    Dice dice(seed);
    const auto site = RandomSite(&dice);
    for (int i = 0; i < 160; ++i) {
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
  EXPECT_GT(taken, 3000u);  // the words do meet
}

}  // namespace
}  // namespace quipd::site
