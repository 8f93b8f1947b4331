// SPDX-License-Identifier: MIT
#include "app/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "client/journal_socket.h"
#include "unit/app/temp_folder.h"

namespace quipd::app {
namespace {

using testing::Contains;
using testing::Pair;

TEST(Journal, EntriesHoldAnyBytes) {
  const TempFolder folder;
  const FileDescriptor socket = test::BindJournal(folder.File("socket"));
  Result<Journal> journal = Journal::Open("the log", folder.File("socket"));
  ASSERT_TRUE(journal);
  std::string entry;
  BeginJournalEntry(4, "two\nlines\n", &entry);
  const std::string odd("a=b\0\xff\n\n", 7);
  AddJournalField("QUIPD_TARGET", odd, &entry);
  Diagnostic diagnostic = Fault("what", "write x");
  diagnostic.file = "q.yaml";
  diagnostic.line = 12;
  diagnostic.column = 5;
  AddDiagnosticFields(diagnostic, &entry);
  EXPECT_EQ(journal->Send(entry), 0);
  EXPECT_EQ(test::NextJournalEntry(socket).value(),
            (test::JournalFields{{"MESSAGE", "two\nlines\n"},
                                 {"PRIORITY", "4"},
                                 {"SYSLOG_IDENTIFIER", "quipd"},
                                 {"QUIPD_TARGET", odd},
                                 {"QUIPD_FILE", "q.yaml"},
                                 {"QUIPD_LINE", "12"},
                                 {"QUIPD_COLUMN", "5"},
                                 {"QUIPD_HINT", "write x"}}));
}

TEST(Journal, ALongValueIsCut) {
  const TempFolder folder;
  const FileDescriptor socket = test::BindJournal(folder.File("socket"));
  Result<Journal> journal = Journal::Open("the log", folder.File("socket"));
  ASSERT_TRUE(journal);
  std::string entry;
  BeginJournalEntry(6, std::string(1 << 20, 'x'), &entry);
  EXPECT_EQ(journal->Send(entry), 0);
  EXPECT_EQ(test::NextJournalEntry(socket).value()["MESSAGE"], std::string(48 * 1024, 'x'));
}

TEST(Journal, NeverWaitsForOneThatHangs) {
  const TempFolder folder;
  const FileDescriptor socket = test::BindJournal(folder.File("socket"));
  Result<Journal> journal = Journal::Open("the log", folder.File("socket"));
  ASSERT_TRUE(journal);
  int error = 0;
  for (int i = 0; i < 100'000 && error == 0; ++i) error = journal->Send("MESSAGE=x\n");
  EXPECT_EQ(error, EAGAIN);
}

TEST(Journal, IsFoundAgainAfterItsRestart) {
  const TempFolder folder;
  const std::string path = folder.File("socket");
  FileDescriptor socket = test::BindJournal(path);
  Result<Journal> journal = Journal::Open("the log", path);
  ASSERT_TRUE(journal);
  socket.Reset();
  EXPECT_EQ(journal->Send("MESSAGE=lost\n"), ECONNREFUSED);
  unlink(path.c_str());
  EXPECT_EQ(journal->Send("MESSAGE=lost\n"), ENOENT);
  socket = test::BindJournal(path);
  EXPECT_EQ(journal->Send("MESSAGE=found\n"), 0);
  EXPECT_THAT(test::NextJournalEntry(socket).value(), Contains(Pair("MESSAGE", "found")));
}

TEST(Journal, MissingOneIsNamed) {
  const TempFolder folder;
  const Result<Journal> journal = Journal::Open("the log", folder.File("none"));
  ASSERT_FALSE(journal);
  EXPECT_EQ(
      journal.error().front().message,
      "opening the log: the journal at " + folder.File("none") + ": No such file or directory");
}

}  // namespace
}  // namespace quipd::app
