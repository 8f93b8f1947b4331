// SPDX-License-Identifier: MIT
// A file descriptor that is closed with its owner. Moves, never copies; -1 is none. Not
// thread-safe, like what it owns.
#pragma once

#include <utility>

namespace quipd {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    Reset(other.Release());
    return *this;
  }
  ~FileDescriptor() { Reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  // Gives the descriptor away; the caller closes it.
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }

  // Closes what is held, errno kept as it was, and holds `fd` from now on.
  void Reset(int fd = -1);

 private:
  int fd_ = -1;
};

}  // namespace quipd
