// SPDX-License-Identifier: MIT
// What becomes of the log's target is no business of who is served: full and read-only disks,
// readers that sleep, paths that can't be opened.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string LoggingTo(const std::string& target, const std::string& more = {}) {
  return "listen: 127.0.0.1:0\nlog: {target: " + target + "}\n" + more +
         "routes:\n  - GET / echo: x\n";
}

TEST(LogFaults, FullDeviceCostsLinesAlone) {
  Daemon daemon(LoggingTo("/dev/full"));
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(daemon.Connect().Get("/").status, 200);
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_EQ(daemon.Log(), "");
}

// Both logs on a disk that fills up, and has room again.
TEST(LogFaults, FullDiskIsSurvivedAndItsEndNoticed) {
  if (!MayMount()) GTEST_SKIP() << kMayNotMount;
  Daemon daemon(
      DaemonSetup{.config = LoggingTo("@DIR@/log/quipd.log", "access_log: @DIR@/log/access.log\n"),
                  .files = {{"log/keep", ""}},
                  .mounts = {{.path = "@DIR@/log", .options = "size=64k"}}});
  ASSERT_TRUE(daemon.ready());
  const std::string log = daemon.Seen(daemon.folder().File("log/quipd.log"));
  const std::string filler = daemon.Seen(daemon.folder().File("log/filler"));
  std::ofstream(filler) << std::string(100'000, 'x');
  const size_t full = ReadWhole(log).size();
  // More than what is left of the log's last page.
  std::string faults = LoggingTo("@DIR@/log/quipd.log");
  for (int i = 0; i < 50; ++i) faults += "  - GET /a ecko: x\n";
  daemon.Configure(faults);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(daemon.Reload().reload, "failed");
  EXPECT_EQ(daemon.Connect().Get("/").status, 200);
  const std::string torn = ReadWhole(log);
  EXPECT_LE(torn.size(), (full + 4095) / 4096 * 4096);
  unlink(filler.c_str());
  daemon.Configure(LoggingTo("@DIR@/log/quipd.log", "access_log: @DIR@/log/access.log\n"));
  EXPECT_EQ(daemon.Reload().reload, "ok");
  const std::string text = ReadWhole(log);
  EXPECT_THAT(text, HasSubstr("lines of this log could not be written: No space left on device\n"));
  EXPECT_THAT(text, HasSubstr(" info: reloaded, generation 2"));
}

TEST(LogFaults, ReadOnlyFileSystemIsAnErrorWithItsPlace) {
  if (!MayMount()) GTEST_SKIP() << kMayNotMount;
  const TempFolder folder;
  folder.Write("log/keep", "");
  for (const char* key : {"log: {target: @DIR@/log/x}", "access_log: @DIR@/log/x"}) {
    SCOPED_TRACE(key);
    folder.Write("quipd.yaml",
                 "listen: 127.0.0.1:0\n" + std::string(key) + "\nroutes:\n  - GET / echo: x\n");
    ProcessSetup setup;
    setup.mounts = {{.path = folder.File("log"), .folder = folder.File("log"), .read_only = true}};
    const Outcome outcome = RunQuipd({"run", "-c", folder.File("quipd.yaml")}, setup);
    EXPECT_EQ(outcome.status, 1);
    const bool own = std::string_view(key).starts_with("log");
    EXPECT_THAT(outcome.errors, HasSubstr(folder.File("quipd.yaml") + (own ? ":2:15" : ":2:13") +
                                          ": error: opening the " + (own ? "log " : "access log ") +
                                          folder.File("log/x") + ": Read-only file system\n"));
  }
}

// C80, C91: the old logs stay, nothing of the new configuration holds, and it can be mended.
TEST(LogFaults, PathThatCannotBeOpenedFailsTheReload) {
  Daemon daemon(LoggingTo("@DIR@/quipd.log", "access_log: @DIR@/access.log\n"));
  ASSERT_TRUE(daemon.ready());
  const std::string log = daemon.folder().File("quipd.log");
  const struct {
    std::string config;
    std::string reason;
  } rows[] = {
      {LoggingTo("@DIR@/none/quipd.log"),
       ":2:15: error: opening the log @DIR@/none/quipd.log: No such file or directory"},
      {LoggingTo("@DIR@/other.log", "access_log: @DIR@/none/access.log\n"),
       ":3:13: error: opening the access log @DIR@/none/access.log: No such file or directory"},
      {LoggingTo("@DIR@/other.log", "access_log:\n  format: json\n  target: /\n"),
       ":5:11: error: opening the access log /: Is a directory"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    daemon.Configure(row.config + "  - GET /new echo: y\n");
    const Notice outcome = daemon.Reload();
    EXPECT_EQ(outcome.reload, "failed");
    const std::string reason =
        daemon.folder().Placed("@DIR@/quipd.yaml") + daemon.folder().Placed(row.reason);
    EXPECT_THAT(outcome.status, HasSubstr(reason));
    EXPECT_THAT(ReadWhole(log), HasSubstr(reason));
    EXPECT_EQ(daemon.Connect().Get("/new").status, 404);
  }
  daemon.Configure(LoggingTo("@DIR@/other.log") + "  - GET /new echo: y\n");
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(daemon.Connect().Get("/new").status, 200);
  EXPECT_THAT(ReadWhole(daemon.folder().File("other.log")), HasSubstr("reloaded, generation 2"));
}

// A reader that sleeps: the daemon goes on, and what he reads later is whole lines.
TEST(LogFaults, SleepingReaderHoldsNothingUp) {
  const TempFolder folder;
  const std::string fifo = folder.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const FileDescriptor reader(open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  Daemon daemon(LoggingTo(fifo));
  ASSERT_TRUE(daemon.ready());
  std::string faults = LoggingTo(fifo);
  for (int i = 0; i < 200; ++i) faults += "  - GET /a ecko: x\n";
  daemon.Configure(faults);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(daemon.Reload().reload, "failed");
  EXPECT_EQ(daemon.Connect().Get("/").status, 200);
  std::string text;
  std::vector<char> part(1 << 16);
  const auto read_all = [&] {
    ssize_t count;
    while ((count = read(reader.get(), part.data(), part.size())) > 0) {
      text.append(part.data(), static_cast<size_t>(count));
    }
  };
  read_all();
  daemon.Configure(LoggingTo(fifo));
  EXPECT_EQ(daemon.Reload().reload, "ok");
  read_all();
  EXPECT_THAT(text, HasSubstr("reloaded, generation 2"));
  EXPECT_THAT(text, EndsWith("\n"));
}

// A FIFO that nobody reads is told, never waited for.
TEST(LogFaults, FifoWithoutAReaderIsAnError) {
  const TempFolder folder;
  ASSERT_EQ(mkfifo(folder.File("fifo").c_str(), 0600), 0);
  for (const std::string key : {"log: {target: @DIR@/fifo}", "access_log: @DIR@/fifo"}) {
    folder.Write("quipd.yaml", key + "\nroutes:\n  - GET / echo: x\n");
    const Outcome outcome = RunQuipd({"run", "-c", folder.File("quipd.yaml")});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("nobody reads this FIFO"));
  }
}

}  // namespace
}  // namespace quipd::test
