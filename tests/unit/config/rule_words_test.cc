// SPDX-License-Identifier: MIT
// The three words of a rule, placeholders, targets of redirects, JSON.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "config/json_text.h"
#include "config/keys.h"
#include "config/path_pattern.h"
#include "config/placeholders.h"
#include "config/redirect_target.h"
#include "config/rule_key.h"
#include "unit/config/load_text.h"

namespace quipd::config {
namespace {

std::string TextOf(const Path& path) {
  if (path.segments.empty()) return path.canonical;
  std::string text;
  for (const Segment& segment : path.segments) {
    text += "/" + segment.before;
    if (segment.kind == Segment::Kind::kLiteral) continue;
    text += "{" + segment.name + (segment.kind == Segment::Kind::kRest ? "...}" : "}");
    text += segment.after;
  }
  return text;
}

TEST(PathPattern, IsDecodedOnceAndSplit) {
  using std::string_literals::operator""s;
  const std::pair<const char*, std::string> kCases[] = {
      {"/", "/"},
      {"/a/b", "/a/b"},
      {"/a/", "/a/"},
      {"/.well-known/x", "/.well-known/x"},
      {"/a.b:c", "/a.b:c"},
      {"/v1/users:batchGet", "/v1/users:batchGet"},
      {"/caf%C3%A9", "/café"},
      {"/café", "/café"},
      {"/a%2Fb", "/a\0b"s},
      {"/a%20b", "/a b"},
      {"/%2A%3A%3F%23", "/*:?#"},
      {"/%3Ax", "/:x"},
      {"/%7Bx%7D", "/{x}"},
      {"/%25", "/%"},
      {"/%2525", "/%25"},
      {"/{id}", "/{id}"},
      {"/u/{id}/", "/u/{id}/"},
      {"/{id}.json", "/{id}.json"},
      {"/v{n}", "/v{n}"},
      {"/.{n}", "/.{n}"},
      {"/caf%C3%A9{n}%2F", "/café{n}\0"s},
      {"/{user-id}/{_x}", "/{user-id}/{_x}"},
      {"/{rest...}", "/{rest...}"},
      {"/docs/{rest...}", "/docs/{rest...}"},
      {"/...", "/..."},
      {"/..a", "/..a"},
  };
  for (const auto& [written, expected] : kCases) {
    SCOPED_TRACE(written);
    Path path;
    const auto problem = ParsePath("", written, &path);
    ASSERT_FALSE(problem.has_value()) << problem->message;
    EXPECT_EQ(TextOf(path), expected);
    EXPECT_EQ(path.written, written);
  }
}

TEST(PathPattern, Segments) {
  Path path;
  ASSERT_FALSE(ParsePath("/api/{v}", "/u/x{id}y/{rest...}", &path).has_value());
  ASSERT_EQ(path.segments.size(), 5u);
  EXPECT_EQ(path.segments[0].kind, Segment::Kind::kLiteral);
  EXPECT_EQ(path.segments[1].kind, Segment::Kind::kParam);
  EXPECT_EQ(path.segments[3].kind, Segment::Kind::kMixed);
  EXPECT_EQ(path.segments[3].before, "x");
  EXPECT_EQ(path.segments[3].after, "y");
  EXPECT_EQ(path.segments[4].kind, Segment::Kind::kRest);
  EXPECT_EQ(ParametersOf(path), (std::vector<std::string_view>{"v", "id", "rest"}));
  EXPECT_EQ(path.written, "/api/{v}/u/x{id}y/{rest...}");
  EXPECT_TRUE(path.canonical.empty());
}

TEST(PathPattern, FaultsPointAtTheirPlace) {
  struct Case {
    const char* path;
    size_t offset;
    const char* said;  // within message or hint
  };
  const Case kCases[] = {
      {"", 0, "begins with /"},
      {"a", 0, "begins with /"},
      {"http://x/", 0, "option host"},
      {"/a?b", 2, "%3F"},
      {"/a#b", 2, "%23"},
      {"/assets/*", 8, "{rest...}"},
      {"/assets/*", 8, "%2A"},
      {"/users/:id", 7, "{id}"},
      {"/users/:id", 7, "%3A"},
      {"//a", 1, "begins with one /"},
      {"/a//b", 3, "no //"},
      {"/a/./b", 3, "dot segments"},
      {"/a/..", 3, "dot segments"},
      {"/%2e%2E/b", 1, "dot segments"},
      {"/%zz", 1, "%25"},
      {"/a%2", 2, "%25"},
      {"/a%00", 2, "%00"},
      {"/{a}{b}", 4, "two parameters"},
      {"/{a}-{b}", 5, "two parameters"},
      {"/{id:[0-9]+}", 1, "not yet"},
      {"/{<[0-9]+>id}", 1, "not yet"},
      {"/{a...}/b", 1, "last segment"},
      {"/{a...}/", 1, "last segment"},
      {"/x{a...}", 2, "alone"},
      {"/{a...}x", 1, "alone"},
      {"/{}", 1, "no name"},
      {"/{1a}", 1, "no name"},
      {"/{a", 1, "without its }"},
      {"/a}", 2, "without its {"},
      {"/{a}/x/{a}", 7, "twice"},
      {"/{a}?", 4, "%3F"},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.path);
    Path path;
    const auto problem = ParsePath("", one.path, &path);
    ASSERT_TRUE(problem.has_value());
    EXPECT_EQ(problem->offset, one.offset);
    const std::string said = problem->message + " | " + problem->hint;
    EXPECT_NE(said.find(one.said), std::string::npos) << said;
  }
  std::string many;
  for (int i = 0; i < 17; ++i) many += "/{p" + std::to_string(i) + "}";
  Path path;
  EXPECT_NE(ParsePath("", many, &path)->message.find("at most 16"), std::string::npos);
}

TEST(PathPattern, Prefixes) {
  for (const char* prefix : {"/api", "/api/v1", "/u/{id}", "/a%20b"}) {
    Path path;
    EXPECT_FALSE(ParsePrefix("", prefix, &path).has_value()) << prefix;
  }
  for (const char* prefix : {"", "/", "api", "/api/", "/{rest...}", "/a//b", "/{id"}) {
    Path path;
    EXPECT_TRUE(ParsePrefix("", prefix, &path).has_value()) << prefix;
  }
  Path path;
  EXPECT_TRUE(ParsePrefix("/{id}", "/x/{id}", &path).has_value());
}

TEST(RuleKey, ThreeWords) {
  for (const char* key : {"GET / echo", " GET  /\techo ", "GET\t/\techo", "GET /  echo"}) {
    SCOPED_TRACE(key);
    const auto words = SplitRuleKey(key);
    ASSERT_TRUE(words.has_value());
    EXPECT_EQ(words->methods, "GET");
    EXPECT_EQ(words->path, "/");
    EXPECT_EQ(words->action, "echo");
    EXPECT_EQ(std::string_view(key).substr(words->path_offset, 1), "/");
    EXPECT_EQ(std::string_view(key).substr(words->action_offset, 4), "echo");
  }
  const std::pair<const char*, const char*> kBad[] = {
      {"GET /my file.txt file", "%20"},       {"GET, POST / echo", "without blanks"},
      {"GET ,POST / echo", "without blanks"}, {"GET /", "the action is missing"},
      {"/ echo", "the method is missing"},    {"a b c d", "three words"},
  };
  for (const auto& [key, said] : kBad) {
    SCOPED_TRACE(key);
    const auto words = SplitRuleKey(key);
    ASSERT_FALSE(words.has_value());
    const std::string text = words.error().message + " | " + words.error().hint;
    EXPECT_NE(text.find(said), std::string::npos) << text;
  }
}

TEST(RuleKey, Methods) {
  const std::pair<const char*, const char*> kGood[] = {
      {"GET", "GET"},
      {"ANY", "ANY"},
      {"GET,POST", "GET,POST"},
      {"POST,GET", "GET,POST"},
      {"HEAD", "HEAD"},
      {"PURGE", "PURGE"},
      {"M-SEARCH,GET", "GET,M-SEARCH"},
      {"OPTIONS", "OPTIONS"},
  };
  for (const auto& [text, expected] : kGood) {
    SCOPED_TRACE(text);
    Methods methods;
    ASSERT_FALSE(ParseMethods(text, &methods).has_value());
    EXPECT_EQ(config::TextOf(methods), expected);
  }
  const std::pair<const char*, const char*> kBad[] = {
      {"*", "ANY"},
      {"get", "write GET"},
      {"Get", "write GET"},
      {"CONNECT", "can't take"},
      {"GET,TRACE", "can't take"},
      {"GET,GET", "twice"},
      {"GET,", "missing"},
      {",GET", "missing"},
      {"ANY,GET", "alone"},
      {"GET/POST", "no method"},
      {"PURGE,PURGE", "twice"},
  };
  for (const auto& [text, said] : kBad) {
    SCOPED_TRACE(text);
    Methods methods;
    const auto problem = ParseMethods(text, &methods);
    ASSERT_TRUE(problem.has_value());
    const std::string all = problem->message + " | " + problem->hint;
    EXPECT_NE(all.find(said), std::string::npos) << all;
  }
}

TEST(RuleKey, Actions) {
  for (const std::string_view name : Actions()) {
    const auto action = ParseAction(name);
    EXPECT_EQ(NameOf(*action), name);
  }
  EXPECT_NE(ParseAction("proxy").error().message.find("not yet"), std::string::npos);
  EXPECT_EQ(ParseAction("ehco").error().hint, "did you mean \"echo\"?");
  EXPECT_EQ(ParseAction("echo:x").error().hint, "a blank is missing after the colon");
}

TEST(Placeholders, BecomePieces) {
  const std::vector<std::string_view> parameters = {"id", "host"};
  const std::pair<const char*, const char*> kGood[] = {
      {"plain", "<0:plain>"},
      {"{{id}}", "<1#0:id>"},
      {"a{{ id }}b", "<0:a><1#0:id><0:b>"},
      {"{{host}}", "<1#1:host>"},  // a parameter beats a built-in name
      {"{{path}}{{method}}{{scheme}}{{client}}", "<3:><4:><5:><6:>"},
      {"{{query.a[b]}} {{header.X-A}} {{cookie.c}}", "<7:a[b]><0: ><8:X-A><0: ><9:c>"},
      {"{{{{id}}", "<0:{{id}}>"},
      {"{ } }} {x} $x %s \\", "<0:{ } }} {x} $x %s \\>"},
      {"", ""},
  };
  for (const auto& [text, expected] : kGood) {
    SCOPED_TRACE(text);
    const auto pieces = ParseTemplate(text, parameters);
    ASSERT_TRUE(pieces.has_value()) << pieces.error().message;
    EXPECT_EQ(config::TextOf(*pieces), expected);
  }
  EXPECT_EQ(config::TextOf(*ParseTemplate("{{host}}", {})), "<2:>");
  const std::pair<const char*, const char*> kBad[] = {
      {"x {{ide}}", "did you mean \"id\"?"},
      {"{{quer.x}}", "known are"},
      {"{{}}", "unknown"},
      {"{{query.}}", "unknown"},
      {"{{id", "without its }}"},
      {"{{a b}}", "unknown"},
  };
  for (const auto& [text, said] : kBad) {
    SCOPED_TRACE(text);
    const auto pieces = ParseTemplate(text, parameters);
    ASSERT_FALSE(pieces.has_value());
    const std::string all = pieces.error().message + " | " + pieces.error().hint;
    EXPECT_NE(all.find(said), std::string::npos) << all;
  }
  EXPECT_EQ(ParseTemplate("x {{ide}}", parameters).error().offset, 2u);
  EXPECT_FALSE(FindForgotten("{{other}} {{host", parameters).has_value());
  EXPECT_EQ(FindForgotten("a {{x}} {{ id }}", parameters)->offset, 8u);
  EXPECT_FALSE(FindForgotten("{{host}}", {}).has_value());
}

TEST(RedirectTarget, Shapes) {
  const std::vector<std::string_view> parameters = {"rest"};
  const std::pair<const char*, const char*> kGood[] = {
      {"/new", "/new"},
      {"/new?a=b&c=d#e", "/new?a=b&c=d#e"},
      {"https://example.com", "https://example.com"},
      {"https://example.com:8443/x", "https://example.com:8443/x"},
      {"app+x://open/it", "app+x://open/it"},
      {"/caf\xC3\xA9", "/caf%C3%A9"},
      {"/a%20b", "/a%20b"},
      {"/x/{{rest}}", "/x/{{rest}}"},
      {"https://{{host}}{{path}}", "https://{{host}}{{path}}"},
      {"https://www.{{ host }}:8443/{{rest}}", "https://www.{{ host }}:8443/{{rest}}"},
      {"https://example.com?q={{query.q}}", "https://example.com?q={{query.q}}"},
      {"{{scheme}}://example.com/", "{{scheme}}://example.com/"},
  };
  for (const auto& [text, expected] : kGood) {
    SCOPED_TRACE(text);
    const auto target = ParseTarget(text, parameters);
    ASSERT_TRUE(target.has_value()) << target.error().message;
    EXPECT_EQ(target->text, expected);
    EXPECT_EQ(target->pieces.empty(), std::string_view(text).find("{{") == std::string_view::npos);
  }
  struct Case {
    const char* text;
    size_t offset;
    const char* said;
  };
  const Case kBad[] = {
      {"new", 0, "begins with /"},
      {"example.com", 0, "begins with /"},
      {"mailto:x@y", 0, "begins with /"},
      {"", 0, "begins with /"},
      {"//evil.com", 0, "never begins with //"},
      {"{{rest}}", 0, "where it leads"},
      {"https://{{rest}}/x", 8, "only {{host}}"},
      {"https://x{{rest}}", 9, "only {{host}}"},
      {"https://{{host}}{{rest}}", 16, "only {{host}}"},
      {"https:///x", 8, "no host"},
      {"/{x}", 1, "{{x}}"},
      {"/x}", 2, "single brace"},
      {"/{{x", 1, "without its }}"},
      {"/a b", 2, "%20"},
      {"/a\"b", 2, "no \""},
      {"/a\\b", 2, "no \\"},
      {"/a\nb", 2, "controls"},
      {"/a%2", 2, "%25"},
      {"/{{nope}}", 1, "unknown placeholder"},
  };
  for (const Case& one : kBad) {
    SCOPED_TRACE(one.text);
    const auto target = ParseTarget(one.text, parameters);
    ASSERT_FALSE(target.has_value());
    EXPECT_EQ(target.error().offset, one.offset);
    const std::string all = target.error().message + " | " + target.error().hint;
    EXPECT_NE(all.find(one.said), std::string::npos) << all;
  }
  // A parameter of the path that is called host is the request's to choose.
  const std::vector<std::string_view> host = {"host"};
  EXPECT_FALSE(ParseTarget("https://{{host}}/", host).has_value());
}

TEST(JsonText, Literals) {
  for (const char* text : {"0", "-0", "12", "-1.50", "1e3", "1E+3", "0.1e-2", "true", "false"}) {
    EXPECT_TRUE(IsJsonLiteral(text)) << text;
  }
  for (const char* text : {"", "-", "0123", "+1", ".5", "1.", "1e", "0x1", "1_000", "True", "no",
                           "null", ".inf", "2024-01-01", "12:30"}) {
    EXPECT_FALSE(IsJsonLiteral(text)) << text;
  }
}

TEST(JsonText, IsChecked) {
  for (const char* text : {"{}", " [1,2]\n", "\"x\"", "1", "null", "{\"a\":{\"b\":[true]}}"}) {
    EXPECT_FALSE(CheckJson(text).has_value()) << text;
  }
  for (const char* text : {"", "hello", "{a:1}", "[1,]", "{} {}", "'x'", "[1", "\"\xff\"", "nul"}) {
    EXPECT_TRUE(CheckJson(text).has_value()) << text;
  }
  EXPECT_TRUE(CheckJson(std::string(100'000, '[')).has_value());
}

}  // namespace
}  // namespace quipd::config
