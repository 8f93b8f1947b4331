// SPDX-License-Identifier: MIT
// Start: faulty configurations, what is said, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Start, AnswersFromAFile) {
  Daemon daemon("listen: 127.0.0.1:0\nroutes:\n  - GET / echo: Hello World!\n");
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  const Response response = client.Get("/");
  EXPECT_EQ(response.status, 200) << response.fault;
  EXPECT_EQ(response.body, "Hello World!");
  EXPECT_EQ(response.Value("Content-Type"), "text/plain; charset=utf-8");
}

TEST(Start, AnswersFromTheCommandLine) {
  Daemon daemon(DaemonSetup{.arguments = {"--listen", "127.0.0.1:0", "-e", "GET / echo: one", "-e",
                                          "GET /two json: [1, 2]"}});
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  EXPECT_EQ(client.Get("/").body, "one");
  EXPECT_EQ(client.Get("/two").body, "[1,2]");
}

TEST(Start, RulesOfTheCommandLineLieOverTheFile) {
  Daemon daemon(DaemonSetup{
      .config = "listen: 127.0.0.1:0\nroutes:\n  - GET / echo: file\n  - GET /file echo: file\n",
      .arguments = {"-e", "GET / echo: command line"}});
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  EXPECT_EQ(client.Get("/").body, "command line");
  EXPECT_EQ(client.Get("/file").body, "file");
}

TEST(Start, ListenOfTheCommandLineReplacesTheFile) {
  Daemon daemon(
      DaemonSetup{.config = "listen: unix:@DIR@/never.sock\nroutes:\n  - GET / echo: here\n",
                  .arguments = {"--listen", "127.0.0.1:0"}});
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.listening().size(), 1u);
  EXPECT_EQ(daemon.Connect().Get("/").body, "here");
  EXPECT_FALSE(Exists(daemon.folder().File("never.sock")));
}

TEST(Start, RuleOfAListenerThatIsReplacedWarns) {
  Daemon daemon(DaemonSetup{.config = "listen: {address: 127.0.0.1:0, name: gone}\n"
                                      "routes:\n"
                                      "  - GET / echo: here\n"
                                      "  - GET /gone echo: gone\n"
                                      "    listener: gone\n",
                            .arguments = {"--listen", "127.0.0.1:0"}});
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  EXPECT_EQ(client.Get("/").body, "here");
  EXPECT_EQ(client.Get("/gone").status, 404);
  EXPECT_TRUE(daemon.WaitForLog("gone")) << daemon.Log();
}

TEST(Start, ConfigurationComesFromStandardInput) {
  ProcessSetup setup;
  setup.input = "routes:\n  - GET / echo: x\n";
  EXPECT_EQ(RunQuipd({"check", "-c", "-"}, setup).status, 0);
  setup.input = "routes:\n  - GET / ecko: x\n";
  EXPECT_EQ(RunQuipd({"check", "-c", "-"}, setup).status, 1);
}

// Faults of a file: all of them are told, and nothing listens.
TEST(Start, FaultyFileTellsEveryFault) {
  const std::string faulty =
      "listen: unix:@DIR@/quipd.sock\n"
      "routes:\n"
      "  - GET / echo: good\n"
      "  - GET /a ecko: x\n"
      "  - GET /b echo: x\n"
      "    cahce: 1h\n"
      "  - GET c echo: x\n";
  for (const char* profile : {"prod", "dev"}) {
    SCOPED_TRACE(profile);
    TempFolder folder;
    folder.Write("quipd.yaml", faulty);
    const Outcome outcome =
        RunQuipd({"run", "-c", folder.File("quipd.yaml"), "--profile", profile});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.output, "");
    EXPECT_THAT(outcome.errors,
                AllOf(HasSubstr("quipd.yaml:4:"), HasSubstr("quipd.yaml:6:5: error:"),
                      HasSubstr("quipd.yaml:7:"), HasSubstr("cahce"), HasSubstr("cache")));
    EXPECT_FALSE(Exists(folder.File("quipd.sock")));
  }
}

TEST(Start, FileThatCannotBeReadIsNamed) {
  TempFolder folder;
  folder.Write("in/quipd.yaml", "routes:\n  - GET / echo: x\n");
  folder.Write("loops.yaml", "include: loops.yaml\nroutes:\n  - GET / echo: x\n");
  folder.Write("empty.yaml", "");
  folder.Write("binary.yaml", std::string("\x7f"
                                          "ELF\0\1\2\xff\xfe",
                                          9));
  folder.Write("file.yaml", "routes:\n  - GET / file: in\n");
  folder.Write("no-file.yaml", "routes:\n  - GET / file: not-there.txt\n");
  folder.Write("no-include.yaml", "include: not-there.yaml\nroutes:\n  - GET / echo: x\n");
  folder.Write("deep.yaml", "x-deep: " + std::string(100'000, '[') + "\n");
  ASSERT_EQ(mkfifo(folder.File("fifo.yaml").c_str(), 0600), 0);
  const struct {
    const char* name;
    const char* told;
  } rows[] = {
      {"not-there-at-all.yaml", "not-there-at-all.yaml"},
      {"in", "directory"},
      {"loops.yaml", "loops.yaml"},
      {"empty.yaml", "empty"},
      {"binary.yaml", "binary.yaml:1:"},
      {"file.yaml", "directory"},
      {"no-file.yaml", "not-there.txt"},
      {"no-include.yaml", "not-there.yaml"},
      {"deep.yaml", "deep.yaml:1:"},
      {"fifo.yaml", "fifo.yaml"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Outcome outcome = RunQuipd({"run", "-c", folder.File(row.name)});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.errors,
                AllOf(HasSubstr(row.told), HasSubstr("error"), Not(HasSubstr("terminate called"))));
  }
}

TEST(Start, FileWithoutTheRightToReadIsNamed) {
  TempFolder folder;
  folder.Write("quipd.yaml", "routes:\n  - GET / echo: x\n");
  ASSERT_EQ(chmod(folder.File("quipd.yaml").c_str(), 0), 0);
  ProcessSetup setup;
  setup.obeys_modes = true;
  const Outcome outcome = RunQuipd({"run", "-c", folder.File("quipd.yaml")}, setup);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("quipd.yaml"), HasSubstr("ermission denied")));
}

TEST(Start, LogThatCannotBeOpenedIsNamed) {
  TempFolder folder;
  folder.Write("quipd.yaml",
               "listen: 127.0.0.1:0\nlog: {target: @DIR@/no/such/folder/quipd.log}\n"
               "routes:\n  - GET / echo: x\n");
  const Outcome outcome = RunQuipd({"run", "-c", folder.File("quipd.yaml")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("no/such/folder/quipd.log"));
}

TEST(Start, WhatIsNotServedYetIsRefused) {
  for (const char* key : {"admin: /tmp/x.sock", "watch: on", "trusted_proxies: 10.0.0.0/8"}) {
    SCOPED_TRACE(key);
    TempFolder folder;
    folder.Write("quipd.yaml", std::string(key) + "\nroutes:\n  - GET / echo: x\n");
    const Outcome outcome = RunQuipd({"run", "-c", folder.File("quipd.yaml")});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.errors, AllOf(HasSubstr("quipd.yaml:1:"), HasSubstr("not yet")));
  }
}

TEST(Start, DevTellsWhatItServes) {
  Daemon daemon(
      DaemonSetup{.config = "listen: 127.0.0.1:0\nroutes:\n  - GET / echo: x\n  - GET /y echo: y\n",
                  .arguments = {"--profile", "dev"}});
  ASSERT_TRUE(daemon.ready());
  const std::string address = daemon.address();
  const Response response = daemon.Connect().Get("/");
  EXPECT_EQ(response.Value("Cache-Control"), "no-store");
  const int pid = daemon.pid();
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_THAT(daemon.Log() + daemon.Output(),
              AllOf(HasSubstr("dev"), HasSubstr("quipd.yaml"), HasSubstr(std::to_string(pid)),
                    HasSubstr("http://" + address), HasSubstr(" ms")));
}

TEST(Start, ProdIsQuiet) {
  Daemon daemon("listen: 127.0.0.1:0\nroutes:\n  - GET / echo: x\n");
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.Connect().Get("/").status, 200);
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_THAT(daemon.Log(), AllOf(Not(HasSubstr("warning")), Not(HasSubstr("error"))));
  EXPECT_EQ(daemon.Output(), "");
}

TEST(Start, ProfileComesFromTheEnvironmentToo) {
  const std::string config =
      "listen: 127.0.0.1:0\n"
      "routes:\n  - GET / echo: plain\n"
      "profiles:\n  mine:\n    routes:\n      - GET / echo: mine\n";
  Daemon daemon(DaemonSetup{.config = config, .environment = {{"QUIPD_PROFILE", "mine"}}});
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.Connect().Get("/").body, "mine");
}

}  // namespace
}  // namespace quipd::test
