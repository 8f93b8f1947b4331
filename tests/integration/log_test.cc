// SPDX-License-Identifier: MIT
// The log: its formats, and reopening after a rotation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
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
