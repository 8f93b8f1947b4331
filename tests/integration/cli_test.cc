// SPDX-License-Identifier: MIT
// The subcommands that end by themselves: what they print where, and their exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/certificate.h"
#include "integration/process.h"

namespace quipd::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kConfig =
    "listen: 127.0.0.1:0\n"
    "routes:\n"
    "  - GET /x echo: literal\n"
    "  - GET /{id} echo: parameter\n"
    "  - POST /x echo: post\n"
    "  - host: api.example.com\n"
    "    routes:\n"
    "      - GET /x json: {\"a\": 1}\n";

class Cli : public testing::Test {
 protected:
  Cli() { folder_.Write("quipd.yaml", kConfig); }

  std::string File() const { return folder_.File("quipd.yaml"); }

  TempFolder folder_;
};

TEST_F(Cli, UsageFaultsExitWith2) {
  const std::vector<std::string> rows[] = {
      {},
      {"frobnicate"},
      {"run", "--no-such-option"},
      {"run", "-c"},
      {"check", "too", "many"},
      {"explain"},
      {"explain", "GET"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row));
    const Outcome outcome = RunQuipd(row);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, Not(IsEmpty()));
    EXPECT_THAT(outcome.output, IsEmpty());
  }
}

TEST_F(Cli, HelpIsAnAnswer) {
  const Outcome outcome = RunQuipd({"--help"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* word : {"run", "check", "routes", "explain", "version"}) {
    EXPECT_THAT(outcome.output, HasSubstr(word));
  }
}

TEST_F(Cli, VersionNamesTheLibrary) {
  const Outcome outcome = RunQuipd({"version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("quipd 0."), HasSubstr("libevent 2.1")));
  EXPECT_THAT(outcome.errors, IsEmpty());
}

TEST_F(Cli, CheckTellsGoodFromFaulty) {
  const Outcome good = RunQuipd({"check", "-c", File()});
  EXPECT_EQ(good.status, 0) << good.errors;
  EXPECT_THAT(good.errors, IsEmpty());
  folder_.Write("quipd.yaml", "routes:\n  - GET / ecko: x\n  - GET echo: y\n");
  const Outcome faulty = RunQuipd({"check", "-c", File()});
  EXPECT_EQ(faulty.status, 1);
  EXPECT_THAT(faulty.errors, AllOf(HasSubstr("quipd.yaml:2:"), HasSubstr("quipd.yaml:3:"),
                                   HasSubstr("^"), HasSubstr("hint:")));
}

TEST_F(Cli, CheckOpensNothing) {
  folder_.Write("quipd.yaml", "listen: unix:@DIR@/s.sock\nroutes:\n  - GET / echo: x\n");
  EXPECT_EQ(RunQuipd({"check", "-c", File()}).status, 0);
  EXPECT_FALSE(Exists(folder_.File("s.sock")));
}

TEST_F(Cli, CheckTellsWarningsAndPasses) {
  folder_.Write("quipd.yaml",
                "routes:\n  - GET /a echo: x\n  - GET /{id} echo: y\n    host: a\n"
                "  - GET /{other} echo: cut #here\n    host: b\n");
  const Outcome outcome = RunQuipd({"check", "-c", File()});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("quipd.yaml:5:"), HasSubstr("warning")));
}

TEST_F(Cli, CheckTakesRulesOfTheCommandLine) {
  EXPECT_EQ(RunQuipd({"check", "-e", "GET / echo: x"}).status, 0);
  const Outcome outcome = RunQuipd({"check", "-e", "GET / echo: Hello: World"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("|"));
}

TEST_F(Cli, RoutesListsEveryRule) {
  const Outcome outcome = RunQuipd({"routes", "-c", File()});
  EXPECT_EQ(outcome.status, 0);
  for (const char* word : {"GET", "POST", "/x", "/{id}", "echo", "json", "api.example.com",
                           "quipd.yaml:3", "quipd.yaml:8"}) {
    EXPECT_THAT(outcome.output, HasSubstr(word));
  }
  EXPECT_THAT(outcome.errors, IsEmpty());
}

TEST_F(Cli, ExplainNamesTheRuleAndTheLosers) {
  const Outcome outcome = RunQuipd({"explain", "-c", File(), "GET", "/x"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("quipd.yaml:3"), HasSubstr("GET /x echo"), HasSubstr("quipd.yaml:4"),
                    HasSubstr("goes before {id}"), HasSubstr("quipd.yaml:8"),
                    HasSubstr("api.example.com"), HasSubstr("200")));
}

TEST_F(Cli, ExplainTakesHostAndFields) {
  for (const std::vector<std::string>& request :
       {std::vector<std::string>{"GET", "/x", "-H", "Host: api.example.com"},
        std::vector<std::string>{"GET", "http://api.example.com/x"}}) {
    SCOPED_TRACE(testing::PrintToString(request));
    std::vector<std::string> arguments{"explain", "-c", File()};
    arguments.insert(arguments.end(), request.begin(), request.end());
    const Outcome outcome = RunQuipd(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("quipd.yaml:8"));
  }
}

TEST_F(Cli, ExplainSaysWhyNothingAnswers) {
  const Outcome lost = RunQuipd({"explain", "-c", File(), "GET", "/a/b"});
  EXPECT_EQ(lost.status, 0);
  EXPECT_THAT(lost.output, HasSubstr("404"));
  const Outcome refused = RunQuipd({"explain", "-c", File(), "PUT", "/x"});
  EXPECT_THAT(refused.output, HasSubstr("405"));
}

// The shipped example, with a pair of the test's own; rules are told without one.
TEST_F(Cli, CheckReadsCertificates) {
  const Certificate pair = MakeCertificate();
  const Certificate other = MakeCertificate();
  folder_.Write("site.pem", pair.certificate);
  folder_.Write("site.key", pair.key);
  folder_.Write("other.key", other.key);
  const std::string example = QUIPD_SOURCE_DIR "/config/examples/tls-redirect.yaml";
  const auto run = [&](std::vector<std::string> arguments, const std::string& key) {
    arguments.insert(arguments.begin() + 1, {"-c", example});
    ProcessSetup setup;
    setup.environment = {{"WELL_KNOWN", folder_.path()},
                         {"CERTIFICATE", folder_.File("site.pem")},
                         {"KEY", folder_.File(key)}};
    return RunQuipd(arguments, setup);
  };
  const Outcome good = run({"check"}, "site.key");
  EXPECT_EQ(good.status, 0);
  EXPECT_THAT(good.errors, IsEmpty());
  for (const char* key : {"other.key", "none.key"}) {
    SCOPED_TRACE(key);
    const Outcome bad = run({"check"}, key);
    EXPECT_EQ(bad.status, 1);
    EXPECT_THAT(bad.errors, AllOf(HasSubstr("tls-redirect.yaml:10:"), HasSubstr(key)));
    EXPECT_EQ(run({"routes"}, key).status, 0);
    const Outcome secure = run({"explain", "GET", "https://example.com/"}, key);
    EXPECT_THAT(secure.output, HasSubstr("GET / echo\nanswer: 200 OK\n"));
    const Outcome plain = run({"explain", "GET", "http://example.com/"}, key);
    EXPECT_THAT(plain.output, HasSubstr("answer: 308 Permanent Redirect\n"));
  }
}

// What is opened for each request is named, whether it is there or not.
TEST_F(Cli, DirectoriesAndLargeFiles) {
  folder_.Write("site/index.html", "<h1>Home</h1>");
  folder_.Write("large.bin", "0123456789");
  folder_.Write("quipd.yaml",
                "limits: {inline_file: 9B}\nroutes:\n  - GET /site/ dir: site\n"
                "  - GET /large file: large.bin\n");
  const Outcome routes = RunQuipd({"routes", "-c", File()});
  EXPECT_THAT(routes.output, AllOf(ContainsRegex("GET +\\* +/site/ +dir +.*quipd.yaml:3"),
                                   ContainsRegex("/large +file \\(live\\) +.*quipd.yaml:4")));
  const std::pair<const char*, std::string> kFiles[] = {
      {"/site/a/b.txt", "site/a/b.txt"}, {"/site/", "site/"}, {"/large", "large.bin"}};
  for (const auto& [path, file] : kFiles) {
    SCOPED_TRACE(path);
    EXPECT_THAT(RunQuipd({"explain", "-c", File(), "GET", path}).output,
                AllOf(HasSubstr("answer: 200 OK\n"),
                      HasSubstr("file: " + folder_.File(file) + ", if it is there\n")));
  }
  const Outcome slash = RunQuipd({"explain", "-c", File(), "GET", "/site"});
  EXPECT_THAT(slash.output, AllOf(HasSubstr("answer: 301"), Not(HasSubstr("if it is there"))));
}

}  // namespace
}  // namespace quipd::test
