// SPDX-License-Identifier: MIT
// The journal as the target of the log, heard on a socket of the test's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

constexpr const char* kToJournal =
    "listen: 127.0.0.1:0\nlog: {target: journal}\nroutes:\n  - GET / echo: x\n";
constexpr const char* kAuto = "listen: 127.0.0.1:0\nroutes:\n  - GET / echo: x\n";

TEST(Journal, HasEntriesWithPriority) {
  if (!MayMount()) GTEST_SKIP() << kMayNotMount;
  Daemon daemon(DaemonSetup{.config = kToJournal, .journal = true});
  ASSERT_TRUE(daemon.ready());
  const auto entry = daemon.NextEntryWith("ready");
  ASSERT_TRUE(entry);
  EXPECT_THAT(*entry,
              AllOf(Contains(Pair("PRIORITY", "6")), Contains(Pair("SYSLOG_IDENTIFIER", "quipd")),
                    Contains(Pair("MESSAGE", HasSubstr(daemon.address()))),
                    Not(Contains(Key("QUIPD_FILE")))));
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_TRUE(daemon.NextEntryWith("stopped"));
  EXPECT_EQ(daemon.Log(), "");
}

// Under systemd it is the journal without a word in the file, and stderr anywhere else.
TEST(Journal, IsChosenWhereStderrIsConnectedToIt) {
  if (!MayMount()) GTEST_SKIP() << kMayNotMount;
  for (const bool connected : {false, true}) {
    SCOPED_TRACE(connected);
    Daemon daemon(DaemonSetup{.config = kAuto, .stderr_is_journal = connected, .journal = true});
    ASSERT_TRUE(daemon.ready());
    EXPECT_EQ(daemon.Stop(), 0);
    EXPECT_EQ(daemon.NextEntry(std::chrono::milliseconds(0)).has_value(), connected);
    EXPECT_EQ(daemon.Log().empty(), connected) << daemon.Log();
  }
}

// JOURNAL_STREAM of who started us, our own stderr being something else.
TEST(Journal, IsNotChosenForAnothersStream) {
  if (!MayMount()) GTEST_SKIP() << kMayNotMount;
  Daemon daemon(
      DaemonSetup{.config = kAuto, .environment = {{"JOURNAL_STREAM", "8:1234"}}, .journal = true});
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_FALSE(daemon.NextEntry(std::chrono::milliseconds(0)));
  EXPECT_THAT(daemon.Log(), HasSubstr("ready"));
}

TEST(Journal, EachFaultOfAReloadIsAnEntryWithItsPlace) {
  if (!MayMount()) GTEST_SKIP() << kMayNotMount;
  Daemon daemon(DaemonSetup{.config = kToJournal, .journal = true});
  ASSERT_TRUE(daemon.ready());
  daemon.Configure(std::string(kToJournal) +
                   "  - GET /a ecko: x\n  - {GET /b echo: y, cahce: 1h}\n");
  EXPECT_EQ(daemon.Reload().reload, "failed");
  const auto heading = daemon.NextEntryWith("the reload failed");
  ASSERT_TRUE(heading);
  EXPECT_THAT(*heading, Contains(Pair("PRIORITY", "4")));
  const std::string file = daemon.folder().File("quipd.yaml");
  const auto first = daemon.NextEntry();
  ASSERT_TRUE(first);
  EXPECT_THAT(*first, AllOf(Contains(Pair("PRIORITY", "3")), Contains(Pair("QUIPD_FILE", file)),
                            Contains(Pair("QUIPD_LINE", "5")),
                            Contains(Pair("MESSAGE", HasSubstr(file + ":5:")))));
  const auto second = daemon.NextEntry();
  ASSERT_TRUE(second);
  EXPECT_THAT(*second,
              AllOf(Contains(Pair("QUIPD_LINE", "6")), Contains(Pair("QUIPD_COLUMN", "22")),
                    Contains(Pair("QUIPD_HINT", HasSubstr("cache"))),
                    Contains(Pair("MESSAGE", HasSubstr("cahce")))));
  // A warning of one that succeeds.
  daemon.Configure(std::string(kToJournal) + "include: none/*.yaml\n");
  EXPECT_EQ(daemon.Reload().reload, "ok");
  const auto warning = daemon.NextEntryWith("none/*.yaml");
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning, AllOf(Contains(Pair("PRIORITY", "4")), Contains(Pair("QUIPD_LINE", "5"))));
}

TEST(Journal, HearsWhyQuipdDoesNotStart) {
  if (!MayMount()) GTEST_SKIP() << kMayNotMount;
  const TempFolder folder;
  folder.Write("quipd.yaml", "routes:\n  - GET / ecko: x\n");
  std::filesystem::create_directories(folder.File("run/systemd/journal"));
  const FileDescriptor journal = BindJournal(folder.File("run/systemd/journal/socket"));
  ProcessSetup setup;
  setup.mounts = {{.path = "/run", .folder = folder.File("run")}};
  setup.stderr_is_journal = true;
  const Outcome outcome = RunQuipd({"run", "-c", folder.File("quipd.yaml")}, setup);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.errors, "");
  const auto entry = NextJournalEntry(journal);
  ASSERT_TRUE(entry);
  EXPECT_THAT(*entry, AllOf(Contains(Pair("PRIORITY", "3")), Contains(Pair("QUIPD_LINE", "2")),
                            Contains(Pair("QUIPD_FILE", folder.File("quipd.yaml"))),
                            Contains(Pair("MESSAGE", HasSubstr("ecko")))));
}

// A journal that takes nothing holds nothing up, and hears later how much it missed.
TEST(Journal, ThatHangsHoldsNothingUp) {
  if (!MayMount()) GTEST_SKIP() << kMayNotMount;
  Daemon daemon(DaemonSetup{.config = kToJournal, .journal = true});
  ASSERT_TRUE(daemon.ready());
  std::string faults = kToJournal;
  for (int i = 0; i < 2000; ++i) faults += "  - GET /a ecko: x\n";
  daemon.Configure(faults);
  EXPECT_EQ(daemon.Reload().reload, "failed");
  EXPECT_EQ(daemon.Connect().Get("/").status, 200);
  while (daemon.NextEntry(std::chrono::milliseconds(0))) {
  }
  daemon.Configure(kToJournal);
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_TRUE(daemon.NextEntryWith("lines of this log could not be written"));
}

TEST(Journal, ThatIsMissingIsAnError) {
  if (!MayMount()) GTEST_SKIP() << kMayNotMount;
  const TempFolder folder;
  std::filesystem::create_directories(folder.File("run"));
  folder.Write("quipd.yaml", kToJournal);
  ProcessSetup setup;
  setup.mounts = {{.path = "/run", .folder = folder.File("run")}};
  const Outcome outcome = RunQuipd({"run", "-c", folder.File("quipd.yaml")}, setup);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr(folder.File("quipd.yaml") +
                                        ":2:15: error: opening the log: the journal at "
                                        "/run/systemd/journal/socket: No such file or directory\n"
                                        "    log: {target: journal}\n"));
}

}  // namespace
}  // namespace quipd::test
