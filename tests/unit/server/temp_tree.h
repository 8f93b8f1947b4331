// SPDX-License-Identifier: MIT
// A folder with files of all kinds, removed with its owner. One thread.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace quipd::server {

class TempTree {
 public:
  TempTree() {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
    EXPECT_EQ(chmod(path_.c_str(), 0755), 0);
  }
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string At(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }

  void File(std::string_view name, std::string_view text, time_t seconds = 1'700'000'000) const {
    std::filesystem::create_directories(std::filesystem::path(At(name)).parent_path());
    std::ofstream(At(name), std::ios::binary) << text;
    Date(name, seconds);
  }
  void Folder(std::string_view name, time_t seconds = 1'700'000'000) const {
    std::filesystem::create_directories(At(name));
    Date(name, seconds);
  }
  void Link(std::string_view name, const std::string& target) const {
    EXPECT_EQ(symlink(target.c_str(), At(name).c_str()), 0) << name;
  }
  void Fifo(std::string_view name) const { EXPECT_EQ(mkfifo(At(name).c_str(), 0644), 0) << name; }
  void Rename(std::string_view from, std::string_view to) const {
    EXPECT_EQ(rename(At(from).c_str(), At(to).c_str()), 0) << from;
  }
  // When it was last changed.
  void Date(std::string_view name, time_t seconds, long nanoseconds = 0) const {
    const timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    EXPECT_EQ(utimensat(AT_FDCWD, At(name).c_str(), times, AT_SYMLINK_NOFOLLOW), 0) << name;
  }

 private:
  std::string path_ = "/tmp/quipd-tree-XXXXXX";
};

}  // namespace quipd::server
