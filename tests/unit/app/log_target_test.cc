// SPDX-License-Identifier: MIT
#include "app/log_target.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "unit/app/temp_folder.h"

namespace quipd::app {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    reader.Reset(ends[0]);
    writer.Reset(ends[1]);
  }
  [[nodiscard]] std::string Read(size_t bytes) const {
    std::string text(bytes, '\0');
    const ssize_t count = read(reader.get(), text.data(), text.size());
    text.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return text;
  }
  FileDescriptor reader;
  FileDescriptor writer;
};

// Lines of 100 bytes each, numbered.
std::string Lines(size_t count) {
  std::string lines;
  for (size_t i = 0; i < count; ++i) {
    std::string line = std::to_string(i);
    line.resize(99, '.');
    lines += line + "\n";
  }
  return lines;
}

TEST(LogTarget, AppendsToAFileOfItsOwnMode) {
  const TempFolder folder;
  const mode_t mask = umask(0);
  Result<LogTarget> target = LogTarget::Open(folder.File("x"), "the log");
  umask(mask);
  ASSERT_TRUE(target);
  const LogTarget::Written written = target->Write("one\ntwo\n");
  EXPECT_EQ(written.bytes, 8u);
  EXPECT_EQ(written.error, 0);
  std::ofstream(folder.File("x"), std::ios::app) << "between\n";
  EXPECT_EQ(target->Write("three\n").error, 0);
  EXPECT_EQ(ReadFile(folder.File("x")), "one\ntwo\nbetween\nthree\n");
  struct stat facts {};
  ASSERT_EQ(stat(folder.File("x").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0640u);
}

TEST(LogTarget, SaysWhyItCannotBeOpened) {
  const TempFolder folder;
  ASSERT_EQ(mkfifo(folder.File("fifo").c_str(), 0600), 0);
  const struct {
    std::string path;
    const char* reason;
  } rows[] = {{folder.File("none/x"), "No such file or directory"},
              {"/tmp", "Is a directory"},
              {folder.File("fifo"), "nobody reads this FIFO"}};
  for (const auto& row : rows) {
    const Result<LogTarget> target = LogTarget::Open(row.path, "the log");
    ASSERT_FALSE(target) << row.path;
    EXPECT_EQ(target.error().front().message, "opening the log " + row.path + ": " + row.reason);
  }
}

// A reader that sleeps costs no wait, and what he gets is whole lines.
TEST(LogTarget, NeverWaitsForAPipe) {
  const Pipe pipe;
  LogTarget target = LogTarget::Borrow(pipe.writer.get());
  const std::string lines = Lines(2000);
  const LogTarget::Written first = target.Write(lines);
  EXPECT_EQ(first.error, EAGAIN);
  EXPECT_GT(first.bytes, 0u);
  EXPECT_EQ(first.bytes % 100, 0u);
  EXPECT_EQ(fcntl(pipe.writer.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(target.Write(lines.substr(first.bytes)).bytes, 0u);
  EXPECT_EQ(pipe.Read(first.bytes), lines.substr(0, first.bytes));
  const LogTarget::Written second = target.Write(lines.substr(first.bytes, 1000));
  EXPECT_EQ(second.bytes, 1000u);
  EXPECT_EQ(pipe.Read(1000), lines.substr(first.bytes, 1000));
}

TEST(LogTarget, WritesALineLongerThanAPipeTakesAtOnce) {
  const Pipe pipe;
  LogTarget target = LogTarget::Borrow(pipe.writer.get());
  const std::string line = std::string(3 * PIPE_BUF, 'x') + "\n";
  EXPECT_EQ(target.Write(line).error, 0);
  EXPECT_EQ(pipe.Read(4 * PIPE_BUF), line);
}

TEST(LogTarget, NeverWaitsForASocket) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const FileDescriptor mine(ends[0]);
  FileDescriptor other(ends[1]);
  LogTarget target = LogTarget::Borrow(mine.get());
  EXPECT_EQ(target.Write(Lines(100'000)).error, EAGAIN);
  other.Reset();
  EXPECT_EQ(target.Write("x\n").error, EPIPE);
}

TEST(LogTarget, TellsOfAFullDiskAndAClosedPipe) {
  signal(SIGPIPE, SIG_IGN);
  Result<LogTarget> full = LogTarget::Open("/dev/full", "the log");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->Write("x\n").error, ENOSPC);
  Pipe pipe;
  LogTarget target = LogTarget::Borrow(pipe.writer.get());
  pipe.reader.Reset();
  EXPECT_EQ(target.Write("x\n").error, EPIPE);
}

// Such as the process before, which was killed.
TEST(LogTarget, KeepsALineThatAnotherTimeBeganApart) {
  const TempFolder folder;
  std::ofstream(folder.File("x")) << "whole\nto";
  Result<LogTarget> target = LogTarget::Open(folder.File("x"), "the log");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->Write("next\n").error, 0);
  EXPECT_EQ(ReadFile(folder.File("x")), "whole\nto\nnext\n");
}

// The rest of a line that was given up isn't glued to the next one.
TEST(LogTarget, KeepsATornLineApart) {
  const TempFolder folder;
  Result<LogTarget> target = LogTarget::Open(folder.File("x"), "the log");
  ASSERT_TRUE(target);
  for (const bool emptied : {false, true}) {
    EXPECT_EQ(target->Write("whole\nto").error, 0);
    target->GiveUpLine();
    if (emptied) std::filesystem::resize_file(folder.File("x"), 0);
    EXPECT_EQ(target->Write("next\n").error, 0);
    EXPECT_EQ(target->Write("last\n").error, 0);
    EXPECT_EQ(ReadFile(folder.File("x")), emptied ? "next\nlast\n" : "whole\nto\nnext\nlast\n");
  }
}

}  // namespace
}  // namespace quipd::app
