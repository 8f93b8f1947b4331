// SPDX-License-Identifier: MIT
#include "config/source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace quipd::config {
namespace {

class SourceFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "quipd-source-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

std::string Words(const Result<std::string>& result) {
  return result ? "read" : ToText(result.error());
}

TEST_F(SourceFiles, ReadsRegularFilesAlone) {
  std::ofstream(Path("empty"));
  std::ofstream(Path("ten")) << "0123456789";
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("ten", Path("link"));

  EXPECT_EQ(ReadFile(Path("empty"), 10).value(), "");
  EXPECT_EQ(ReadFile(Path("ten"), 10).value(), "0123456789");
  EXPECT_EQ(ReadFile(Path("link"), 10).value(), "0123456789");
  EXPECT_FALSE(ReadFile("/proc/self/status", 1024 * 1024).value().empty());  // says its size is 0

  EXPECT_EQ(Words(ReadFile(Path("ten"), 9)),
            "error: can't read " + Path("ten") + ": it is larger than 9 bytes\n");
  EXPECT_EQ(Words(ReadFile("/proc/self/status", 5)),
            "error: can't read /proc/self/status: it is larger than 5 bytes\n");
  EXPECT_EQ(Words(ReadFile(folder_, 9)), "error: can't read " + folder_ + ": it is a directory\n");
  EXPECT_EQ(Words(ReadFile(Path("fifo"), 9)),
            "error: can't read " + Path("fifo") + ": it is a FIFO\n");
  EXPECT_EQ(Words(ReadFile("/dev/zero", 9)), "error: can't read /dev/zero: it is a device\n");
  EXPECT_EQ(Words(ReadFile(Path("none"), 9)),
            "error: can't read " + Path("none") + ": no such file or directory\n");
}

TEST_F(SourceFiles, AHugeFileIsRefusedUnread) {
  std::ofstream(Path("huge"));
  std::filesystem::resize_file(Path("huge"), 100 * 1024 * 1024);
  const auto source = ReadSource(Path("huge"));
  ASSERT_FALSE(source);
  EXPECT_EQ(ToText(source.error()),
            "error: can't read " + Path("huge") + ": it is larger than 64 MiB\n");
}

TEST_F(SourceFiles, KnowsItsNameAndFolder) {
  std::ofstream(Path("a.yaml")) << "\uFEFFx: y";
  const auto source = ReadSource(Path("a.yaml"));
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->name(), Path("a.yaml"));
  EXPECT_EQ((*source)->folder(), folder_);
  EXPECT_EQ((*source)->bytes(), "x: y");
}

TEST(Source, DiagnosticsCountCharactersAndShowTheLine) {
  const Source source("f.yaml", "", "one\r\näö x\nlast");
  struct Case {
    size_t offset;
    int line;
    int column;
    const char* text;
  };
  const Case kCases[] = {
      {0, 1, 1, "one"},   {3, 1, 4, "one"},   {5, 2, 1, "äö x"},   {10, 2, 4, "äö x"},
      {12, 3, 1, "last"}, {16, 3, 5, "last"}, {999, 3, 5, "last"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.offset);
    const Diagnostic diagnostic = source.Error(source.MarkAt(test.offset), "m", "h");
    EXPECT_EQ(diagnostic.line, test.line);
    EXPECT_EQ(diagnostic.column, test.column);
    EXPECT_EQ(diagnostic.source, test.text);
  }
}

}  // namespace
}  // namespace quipd::config
