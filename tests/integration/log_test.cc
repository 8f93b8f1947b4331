// SPDX-License-Identifier: MIT
// The log: its formats, and reopening after a rotation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kConfig =
    "listen: 127.0.0.1:0\n"
    "log: {target: @DIR@/quipd.log}\n"
    "routes:\n  - GET / echo: x\n";

TEST(Log, JsonIsOneObjectALine) {
  Daemon daemon(
      "listen: 127.0.0.1:0\nlog: {format: json, level: debug}\nroutes:\n  - GET / echo: x\n");
  ASSERT_TRUE(daemon.ready());
  daemon.Configure("routes: \"broken\\n\nand \\\"more\n");
  EXPECT_EQ(daemon.Reload().reload, "failed");
  EXPECT_EQ(daemon.Stop(), 0);
  std::istringstream lines(daemon.Log());
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    EXPECT_TRUE(object.is_object()) << line;
  }
  EXPECT_GE(count, 2u);
}

TEST(Log, TextIsOneLineAnEntry) {
  Daemon daemon("listen: 127.0.0.1:0\nlog: {level: debug}\nroutes:\n  - GET / echo: x\n");
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_THAT(daemon.Log(), HasSubstr(daemon.listening().at(0)));
}

// C91: rename and SIGUSR1.
TEST(Log, UserSignalReopensTheFile) {
  Daemon daemon(kConfig);
  ASSERT_TRUE(daemon.ready());
  const std::string path = daemon.folder().File("quipd.log");
  EXPECT_THAT(ReadWhole(path), Not(testing::IsEmpty()));
  std::filesystem::rename(path, path + ".1");
  daemon.Signal(SIGUSR1);
  ASSERT_TRUE(Eventually([&] { return Exists(path); }));
  const std::string rotated = ReadWhole(path + ".1");
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_THAT(ReadWhole(path), Not(testing::IsEmpty()));
  EXPECT_EQ(ReadWhole(path + ".1"), rotated);
}

TEST(Log, ReloadReopensTheFile) {
  Daemon daemon(kConfig);
  ASSERT_TRUE(daemon.ready());
  const std::string path = daemon.folder().File("quipd.log");
  std::filesystem::rename(path, path + ".1");
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_TRUE(Exists(path));
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_THAT(ReadWhole(path), Not(testing::IsEmpty()));
}

// What the package installs, by logrotate itself; the folder, the owner and how the signal is sent
// are the test's.
TEST(Log, IsRotatedByThePackagesLogrotate) {
  if (!Exists("/usr/sbin/logrotate")) GTEST_SKIP() << "logrotate is not installed";
  if (geteuid() != 0) GTEST_SKIP() << "logrotate changes its user as root alone";
  Daemon daemon(DaemonSetup{.config = "listen: 127.0.0.1:0\n"
                                      "log: {target: @DIR@/log/quipd.log}\n"
                                      "routes:\n  - GET / echo: x\n",
                            .files = {{"log/other.txt", "x"}}});
  ASSERT_TRUE(daemon.ready());
  std::string rules = ReadWhole(QUIPD_SOURCE_DIR "/packaging/logrotate/quipd");
  const auto put = [&rules](const std::string& pattern, const std::string& text) {
    ASSERT_TRUE(std::regex_search(rules, std::regex(pattern))) << pattern;
    rules = std::regex_replace(rules, std::regex(pattern), text);
  };
  put("/var/log/quipd/", daemon.folder().File("log/"));
  put("quipd quipd", "root root");
  put("systemctl kill [^\n]*", "kill -USR1 " + std::to_string(daemon.pid()));
  daemon.Write("logrotate", rules);
  for (const char* rotated : {".1", ".2.gz"}) {
    SCOPED_TRACE(rotated);
    ProcessSetup setup;
    setup.arguments = {"/usr/sbin/logrotate", "-f", "-s", daemon.folder().File("state"),
                       daemon.folder().File("logrotate")};
    Process logrotate(setup);
    EXPECT_EQ(logrotate.Wait(), 0) << logrotate.Errors();
    EXPECT_EQ(daemon.Reload().reload, "ok");
    EXPECT_TRUE(Exists(daemon.folder().File("log/quipd.log") + rotated));
    EXPECT_THAT(ReadWhole(daemon.folder().File("log/quipd.log")), HasSubstr("info: reloaded"));
  }
  EXPECT_THAT(ReadWhole(daemon.folder().File("log/quipd.log.1")), Not(HasSubstr("ready")));
}

// copytruncate: the file is emptied under the daemon, which must go on at its new end.
TEST(Log, TruncatedFileHasNoHole) {
  Daemon daemon(kConfig);
  ASSERT_TRUE(daemon.ready());
  const std::string path = daemon.folder().File("quipd.log");
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(daemon.Stop(), 0);
  const std::string text = ReadWhole(path);
  EXPECT_THAT(text, Not(testing::IsEmpty()));
  EXPECT_EQ(text.find('\0'), std::string::npos);
}

// C91: what can't be reopened is told, and the old file stays in use.
TEST(Log, FileThatCannotBeReopenedStaysOpen) {
  Daemon daemon(DaemonSetup{.config = "listen: 127.0.0.1:0\n"
                                      "log: {target: @DIR@/log/quipd.log}\n"
                                      "routes:\n  - GET / echo: x\n",
                            .files = {{"log/keep", ""}}});
  ASSERT_TRUE(daemon.ready());
  const std::string folder = daemon.folder().File("log");
  std::filesystem::rename(folder, folder + ".moved");
  const std::string moved = folder + ".moved/quipd.log";
  const size_t before = ReadWhole(moved).size();
  daemon.Signal(SIGUSR1);
  EXPECT_TRUE(Eventually([&] { return ReadWhole(moved).size() > before; }));
  EXPECT_THAT(ReadWhole(moved).substr(before), HasSubstr("log/quipd.log"));
  EXPECT_EQ(daemon.Connect().Get("/").status, 200);
}

}  // namespace
}  // namespace quipd::test
