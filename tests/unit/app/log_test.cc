// SPDX-License-Identifier: MIT
#include "app/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace quipd::app {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LogFile : public testing::Test {
 protected:
  LogFile() {
    char name[] = "/tmp/quipd-log-XXXXXX";
    folder_ = mkdtemp(name);
    log_.target = folder_ + "/quipd.log";
    StartLog();
  }
  ~LogFile() override {
    StartLog();
    std::filesystem::remove_all(folder_);
  }

  static std::string Read(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }

  std::string folder_;
  config::Log log_;
};

TEST_F(LogFile, TextLinesAreAppended) {
  std::ofstream(log_.target) << "before\n";
  ASSERT_TRUE(ConfigureLog(log_));
  spdlog::info("hello");
  EXPECT_THAT(Read(log_.target), StartsWith("before\n"));
  EXPECT_THAT(Read(log_.target), HasSubstr(" info: hello\n"));
}

TEST_F(LogFile, JsonEscapesWhatItIsGiven) {
  log_.json = true;
  ASSERT_TRUE(ConfigureLog(log_));
  spdlog::warn("a \"b\"\n\xff");
  EXPECT_THAT(Read(log_.target),
              HasSubstr("\"level\":\"warning\",\"message\":\"a \\\"b\\\"\\n\xef\xbf\xbd\"}\n"));
}

TEST_F(LogFile, ReopenWritesToTheNewFileAfterARename) {
  ASSERT_TRUE(ConfigureLog(log_));
  spdlog::info("one");
  std::filesystem::rename(log_.target, log_.target + ".1");
  ASSERT_TRUE(ReopenLog());
  spdlog::info("two");
  EXPECT_THAT(Read(log_.target + ".1"), HasSubstr("one"));
  EXPECT_THAT(Read(log_.target), HasSubstr("two"));
}

TEST_F(LogFile, AFileThatCannotBeOpenedKeepsTheOldOne) {
  ASSERT_TRUE(ConfigureLog(log_));
  config::Log other = log_;
  other.target = folder_ + "/none/x.log";
  const Result<void> changed = ConfigureLog(other);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error()[0].message,
            "opening the log " + other.target + ": No such file or directory");
  spdlog::info("still here");
  EXPECT_THAT(Read(log_.target), HasSubstr("still here"));
}

TEST_F(LogFile, LevelHides) {
  log_.level = config::LogLevel::kError;
  ASSERT_TRUE(ConfigureLog(log_));
  spdlog::warn("quiet");
  spdlog::error("loud");
  EXPECT_THAT(Read(log_.target), testing::Not(HasSubstr("quiet")));
  EXPECT_THAT(Read(log_.target), HasSubstr("loud"));
}

}  // namespace
}  // namespace quipd::app
