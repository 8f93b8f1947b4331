// SPDX-License-Identifier: MIT
// What rules do to each other: clashes, layers, rules that can never answer.
#include <gtest/gtest.h>

#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

// Gives each rule a line of one source.
void GivePlaces(config::Config* config) {
  std::string text;
  for (config::Rule& rule : config->rules) {
    rule.place.mark.offset = static_cast<uint32_t>(text.size());
    rule.place.mark.line = static_cast<uint32_t>(&rule - config->rules.data());
    text += rule.path.written + '\n';
  }
  config->sources.push_back(std::make_shared<config::Source>("routes.yaml", "", text));
}

Diagnostics Diagnose(SiteBuilder* builder) {
  GivePlaces(&builder->config);
  const Compiled compiled = builder->CompileHere();
  EXPECT_EQ(compiled.site == nullptr, HasErrors(compiled.diagnostics));
  return compiled.diagnostics;
}

TEST(Clashes, OneShapeAndMethod) {
  struct Case {
    const char* first;
    const char* second;
    const char* method;  // that they have in common; empty: they don't clash
  };
  const Case cases[] = {
      {"GET / echo", "GET / echo", "GET"},
      {"GET / echo", "POST / echo", ""},
      {"GET / echo", "HEAD / echo", ""},
      {"GET / echo", "ANY / echo", ""},
      {"ANY / echo", "ANY / html", "ANY"},
      {"GET,POST / echo", "POST,PUT / echo", "POST"},
      {"X / echo", "Y,X / echo", "X"},
      {"GET /{a} echo", "GET /{b} echo", "GET"},
      {"GET /{a} echo", "GET /{b...} echo", ""},
      {"GET /x{a}y echo", "GET /x{b}y echo", "GET"},
      {"GET /x{a} echo", "GET /{a}x echo", ""},
      {"GET /x{a} echo", "GET /y{a} echo", ""},
      {"GET /a%62 echo", "GET /ab echo", "GET"},
      {"GET /a/ echo", "GET /a echo", ""},
      {"GET /{a}/x echo", "GET /{b}/{c} echo", ""},
      {"GET /{a...} echo", "GET /{b...} echo", "GET"},
      {"GET /a/ dir", "GET /a/{b...} echo", "GET"},
      {"GET /a/{b...} echo", "GET /a/ dir", "GET"},
      {"GET /a/ dir", "GET /a/ dir", "GET"},
      {"GET /a/ dir", "GET /a/ echo", ""},
      {"GET /a/ dir", "GET /a/{b} echo", ""},
      {"GET /a/ dir", "ANY /a/{b...} echo", ""},
      {"GET /a/ dir", "GET /a echo", ""},
      {"GET / dir", "GET /{b...} echo", "GET"},
      {"GET /{x}/ dir", "GET /{y}/{z...} echo", "GET"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.first) + " and " + test.second);
    SiteBuilder builder;
    builder.Add(test.first);
    builder.Add(test.second);
    const Diagnostics diagnostics = Diagnose(&builder);
    if (test.method[0] == '\0') {
      EXPECT_TRUE(diagnostics.empty()) << ToText(diagnostics);
      continue;
    }
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics[0].file, "routes.yaml");
    EXPECT_EQ(diagnostics[0].line, 2);
    const std::string_view key = test.second;
    const size_t path = key.find(' ');
    EXPECT_EQ(diagnostics[0].message, "two rules answer " + std::string(test.method) +
                                          std::string(key.substr(path, key.rfind(' ') - path)) +
                                          (key.ends_with("dir") ? " and all below it" : "") +
                                          ": the other is at routes.yaml:1");
  }
}

TEST(Clashes, HostsListenersOverride) {
  struct Group {
    std::vector<std::string> hosts;
    int32_t listener = -1;
    bool override_on = false;
  };
  const std::tuple<const char*, Group, Group, bool> cases[] = {
      {"a host in common", {{"a", "b"}}, {{"a"}}, true},
      {"two hosts in common are one clash", {{"a", "b"}}, {{"b", "a"}}, true},
      {"other hosts", {{"a"}}, {{"b"}}, false},
      {"a host and none", {{"a"}}, {}, false},
      {"a host and its suffix", {{"x.a"}}, {{"*.a"}}, false},
      {"a listener and none", {{}, 0}, {}, false},
      {"one listener", {{}, 0}, {{}, 0}, true},
      {"two listeners", {{}, 0}, {{}, 1}, false},
      {"override and not", {{}, -1, true}, {}, false},
      {"two overrides", {{}, -1, true}, {{}, -1, true}, true},
  };
  for (const auto& [name, first, second, clash] : cases) {
    SCOPED_TRACE(name);
    SiteBuilder builder;
    builder.AddListener("second");
    for (const Group& group : {first, second}) {
      builder.Begin("", group.hosts, group.listener).override_on = group.override_on;
      builder.Add("GET / echo");
      builder.End();
    }
    EXPECT_EQ(Diagnose(&builder).size(), clash ? 1u : 0u);
  }
}

TEST(Clashes, AHigherLayerReplacesForItsHostsAndMethods) {
  for (const bool reversed : {false, true}) {
    SCOPED_TRACE(reversed);
    SiteBuilder builder;
    builder.Begin("", {"a", "b"});
    builder.Add("GET,POST / echo", "file");
    builder.End();
    builder.Begin("", {"a"});
    builder.Add("GET / echo", "profile").layer = 1;
    builder.Add("GET / echo", "command line").layer = 2;
    builder.End();
    if (reversed) std::swap(builder.config.rules[0], builder.config.rules[2]);
    const auto site = builder.Build();
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"a", "GET", "command line"}, {"a", "POST", "file"}, {"b", "GET", "file"}};
    for (const auto& [host, method, body] : cases) {
      SCOPED_TRACE(std::string(host) + ' ' + method);
      Ask ask;
      ask.host = host;
      ask.method = method;
      EXPECT_EQ(BodyOf(AskSite(*site, ask).bytes), body);
    }
  }
}

TEST(Clashes, TooManyParameters) {
  SiteBuilder builder;
  std::string path;
  for (int i = 0; i < 17; ++i) path += "/{p" + std::to_string(i) + "}";
  builder.Add("GET " + path + " echo");
  const Diagnostics diagnostics = Diagnose(&builder);
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].message, "a path has at most 16 parameters");
}

TEST(Clashes, EveryPairIsToldOnce) {
  SiteBuilder builder;
  for (int i = 0; i < 1000; ++i) builder.Add("GET / echo");
  EXPECT_EQ(Diagnose(&builder).size(), 999u);
}

TEST(Clashes, RulesThatCanNeverAnswer) {
  struct Case {
    const char* name;
    const char* any;       // a rule of any listener
    const char* specific;  // a rule of each listener
    int listeners;         // that have it, of two
    bool dead;
  };
  const Case cases[] = {
      {"the same on all listeners", "GET /x echo", "GET /x echo", 2, true},
      {"the same on one of two", "GET /x echo", "GET /x echo", 1, false},
      {"all below", "GET /x/{id} echo", "ANY /{rest...} echo", 2, true},
      {"a parameter covers a literal", "GET /x echo", "GET /{id} echo", 2, true},
      {"a parameter doesn't cover a rest", "GET /{r...} echo", "GET /{id} echo", 2, false},
      {"text covers text", "GET /ab{x}cd echo", "GET /a{x}d echo", 2, true},
      {"other text doesn't", "GET /ab{x}cd echo", "GET /b{x}d echo", 2, false},
      {"text doesn't cover a parameter", "GET /{x} echo", "GET /a{x} echo", 2, false},
      {"fewer methods", "GET,POST /x echo", "GET /x echo", 2, false},
      {"GET covers HEAD", "HEAD /x echo", "GET /x echo", 2, true},
      {"named methods don't cover ANY", "ANY /x echo", "GET,POST /x echo", 2, false},
      {"rest needs a segment", "GET /x echo", "GET /x/{rest...} echo", 2, false},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    SiteBuilder builder;
    builder.AddListener("second");
    builder.Add(test.any);
    for (int i = 0; i < test.listeners; ++i) {
      builder.Begin("", {}, i);
      builder.Add(test.specific);
      builder.End();
    }
    const Diagnostics diagnostics = Diagnose(&builder);
    EXPECT_EQ(diagnostics.size(), test.dead ? 1u : 0u) << ToText(diagnostics);
    if (diagnostics.empty()) continue;
    EXPECT_EQ(diagnostics[0].severity, Diagnostic::Severity::kWarning);
    EXPECT_EQ(diagnostics[0].line, 1);
    EXPECT_EQ(diagnostics[0].message,
              "this rule can never answer: routes.yaml:2 goes before it wherever it matches");
  }
}

TEST(Clashes, OverrideMakesNoWarning) {
  SiteBuilder builder;
  builder.Add("GET /x echo");
  builder.Begin().override_on = true;
  builder.Add("ANY /{rest...} echo");
  builder.End();
  EXPECT_TRUE(Diagnose(&builder).empty());
}

}  // namespace
}  // namespace quipd::site
