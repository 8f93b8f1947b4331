// SPDX-License-Identifier: MIT
// The writer, its rings filled as workers fill them.
#include "app/access_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <sstream>
#include <thread>

#include "server/access_ring.h"
#include "unit/app/temp_folder.h"

namespace quipd::app {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

bool Eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

size_t LinesOf(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

class AccessLogs : public testing::Test {
 protected:
  AccessLogs() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(told_);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("quipd", sink));
  }
  ~AccessLogs() override { spdlog::set_default_logger(std::make_shared<spdlog::logger>("quipd")); }

  // As a worker answers: entries, then one publication.
  static void Serve(AccessLog* log, size_t worker, size_t count, std::string_view target = "/x") {
    server::AccessEntry entry;
    entry.unix_ms = 971'186'136'045;
    entry.status = 200;
    entry.method = "GET";
    entry.target = target;
    entry.latency_us = 1;
    server::AccessRing& ring = log->rings()->of(worker);
    for (size_t i = 0; i < count; ++i) ring.Add(entry);
    ring.Publish(0);
    log->rings()->Ring(ring);
  }

  [[nodiscard]] config::AccessLog File(const std::string& name) const {
    return {folder_.File(name), config::AccessLog::Format::kCommon, {}};
  }
  [[nodiscard]] std::string Text(const std::string& name) const {
    return ReadFile(folder_.File(name));
  }

  TempFolder folder_;
  std::ostringstream told_;  // read when the log has ended
};

TEST_F(AccessLogs, WriteWhatEveryWorkerServed) {
  AccessLog log(3);
  ASSERT_TRUE(log.Configure(File("a")));
  for (size_t worker = 0; worker < 3; ++worker) Serve(&log, worker, 500);
  EXPECT_TRUE(Eventually([&] { return log.counts().written == 1500; }));
  EXPECT_EQ(LinesOf(Text("a")), 1500u);
  EXPECT_THAT(Text("a"), StartsWith("unix - - ["));
  Serve(&log, 1, 1, "/later");
  EXPECT_TRUE(Eventually([&] { return Text("a").ends_with("\"GET /later HTTP/1.1\" 200 -\n"); }));
}

TEST_F(AccessLogs, WriteTheRestAtTheEnd) {
  {
    AccessLog log(2);
    ASSERT_TRUE(log.Configure(File("a")));
    Serve(&log, 0, 3000);
    Serve(&log, 1, 3000);
  }
  EXPECT_EQ(LinesOf(Text("a")), 6000u);
  EXPECT_EQ(told_.str(), "");
}

TEST_F(AccessLogs, ChangeTheirTargetAtOnce) {
  AccessLog log(1);
  ASSERT_TRUE(log.Configure(File("a")));
  Serve(&log, 0, 10);
  ASSERT_TRUE(log.Configure(File("b")));
  EXPECT_EQ(LinesOf(Text("a")), 10u);
  Serve(&log, 0, 5);
  std::filesystem::rename(folder_.File("b"), folder_.File("b.1"));
  ASSERT_TRUE(log.Reopen());
  EXPECT_EQ(LinesOf(Text("b.1")), 5u);
  Serve(&log, 0, 2);
  ASSERT_TRUE(log.Configure({}));
  EXPECT_EQ(LinesOf(Text("b")), 2u);
  EXPECT_EQ(log.counts().written, 17u);
}

TEST_F(AccessLogs, KeepTheOldTargetWhereTheNewOneCannotBeOpened) {
  AccessLog log(1);
  ASSERT_TRUE(log.Configure(File("a")));
  const Result<void> changed = log.Configure(File("none/b"));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().front().message,
            "opening the access log " + folder_.File("none/b") + ": No such file or directory");
  Serve(&log, 0, 1);
  EXPECT_TRUE(Eventually([&] { return LinesOf(Text("a")) == 1; }));
  // And it is still the old one that is opened anew.
  std::filesystem::rename(folder_.File("a"), folder_.File("a.1"));
  EXPECT_TRUE(log.Reopen());
  EXPECT_EQ(LinesOf(Text("a.1")), 1u);
  EXPECT_EQ(Text("a"), "");
}

TEST_F(AccessLogs, CountWhatAFullDiskCosts) {
  {
    AccessLog log(1);
    ASSERT_TRUE(log.Configure({"/dev/full", {}, {}}));
    for (size_t i = 1; i <= 5; ++i) {
      Serve(&log, 0, 100);
      EXPECT_TRUE(Eventually([&] { return log.counts().failed == i * 100; }));
    }
    EXPECT_EQ(log.counts().written, 0u);
    ASSERT_TRUE(log.Configure(File("a")));
    Serve(&log, 0, 3);
  }
  EXPECT_EQ(LinesOf(Text("a")), 3u);
  // The first loss at once, the others not before ten seconds or the end.
  EXPECT_THAT(told_.str(), HasSubstr("100 lines of the access log lost: writing to /dev/full: No "
                                     "space left on device"));
  EXPECT_THAT(told_.str(), HasSubstr("400 lines of the access log lost"));
  EXPECT_EQ(LinesOf(told_.str()), 2u) << told_.str();
}

// Lines that the reader doesn't take are lost; he gets whole ones, and the next when he reads
// again.
TEST_F(AccessLogs, DropWhatASleepingReaderDoesNotTake) {
  ASSERT_EQ(mkfifo(folder_.File("fifo").c_str(), 0600), 0);
  const FileDescriptor reader(open(folder_.File("fifo").c_str(), O_RDONLY | O_NONBLOCK));
  std::string got;
  const auto read_all = [&] {
    char bytes[65536];
    ssize_t count;
    while ((count = read(reader.get(), bytes, sizeof bytes)) > 0) {
      got.append(bytes, static_cast<size_t>(count));
    }
  };
  constexpr size_t kServed = 40'000;
  AccessLogCounts counts;
  {
    AccessLog log(1);
    ASSERT_TRUE(log.Configure(File("fifo")));
    for (size_t i = 0; i < kServed / 100; ++i) Serve(&log, 0, 100);
    EXPECT_TRUE(Eventually([&] { return log.counts().dropped > 0; }));
    EXPECT_GT(log.counts().written, 0u);
    EXPECT_EQ(log.counts().failed, 0u);
    EXPECT_TRUE(Eventually([&] {
      read_all();
      counts = log.counts();
      return counts.written + counts.dropped == kServed;
    }));
    Serve(&log, 0, 1, "/awake");
    EXPECT_TRUE(Eventually([&] {
      read_all();
      return got.ends_with("\"GET /awake HTTP/1.1\" 200 -\n");
    }));
  }
  EXPECT_EQ(LinesOf(got), counts.written + 1);
  EXPECT_EQ(LinesOf(got), static_cast<size_t>(std::count(got.begin(), got.end(), '[')));
  EXPECT_THAT(told_.str(), HasSubstr("lines of the access log lost: the reader of "));
}

TEST_F(AccessLogs, EndWithinASecondWhereNobodyReads) {
  ASSERT_EQ(mkfifo(folder_.File("fifo").c_str(), 0600), 0);
  const FileDescriptor reader(open(folder_.File("fifo").c_str(), O_RDONLY | O_NONBLOCK));
  auto log = std::make_unique<AccessLog>(1);
  ASSERT_TRUE(log->Configure(File("fifo")));
  Serve(log.get(), 0, 5000);
  const auto begin = std::chrono::steady_clock::now();
  log.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(3000));
  EXPECT_THAT(told_.str(), HasSubstr("had no room at the end"));
}

TEST_F(AccessLogs, AreOffWithoutATarget) {
  AccessLog log(1);
  ASSERT_TRUE(log.Configure({}));
  ASSERT_TRUE(log.Configure(File("a")));
  ASSERT_TRUE(log.Configure({}));
  Serve(&log, 0, 7);
  ASSERT_TRUE(log.Configure(File("a")));
  EXPECT_EQ(Text("a"), "");
  EXPECT_EQ(log.counts().written + log.counts().failed + log.counts().dropped, 0u);
}

}  // namespace
}  // namespace quipd::app
