// SPDX-License-Identifier: MIT
// Where lines of a log go: a file, a FIFO, a terminal, whatever standard output or error is. Hides
// how each is written to without ever waiting for a disk's room or a slow reader, and keeps what
// could be written of a line apart from the next one. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/file_descriptor.h"

namespace quipd::app {

class LogTarget {
 public:
  struct Written {
    size_t bytes = 0;
    int error = 0;  // 0: all of it; EAGAIN: no room for more; else why the rest can't be written
  };

  // Opened for appending, so that a file which was cut short (copytruncate) goes on at its end;
  // made with 0640 where it isn't there. A FIFO that nobody reads is an error, never waited for.
  // `what` is what the error calls it. A line that somebody began at the file's end, as a full disk
  // leaves it, is kept apart from the first one.
  [[nodiscard]] static Result<LogTarget> Open(const std::string& path, std::string_view what);
  // Of a descriptor that stays open, its flags as they are: others may share them.
  [[nodiscard]] static LogTarget Borrow(int fd);

  LogTarget(LogTarget&&) = default;
  LogTarget& operator=(LogTarget&&) = default;

  // Writes what finds room at once, whole lines together.
  [[nodiscard]] Written Write(std::string_view lines);
  // What is missing of the line that was begun won't come: the next one is kept apart from it.
  void GiveUpLine() { torn_ = mid_line_; }
  // Waits until there is room again, or the time is over.
  void AwaitRoom(int timeout_ms) const;

 private:
  enum class Kind : uint8_t { kFile, kPipe, kSocket };

  explicit LogTarget(int fd);
  [[nodiscard]] size_t PortionOf(std::string_view lines) const;
  [[nodiscard]] ssize_t WriteOnce(std::string_view bytes) const;
  [[nodiscard]] int EndTornLine();

  int fd_;
  Kind kind_ = Kind::kFile;
  bool mid_line_ = false;  // the last byte that was written ends no line
  bool torn_ = false;
  FileDescriptor owned_;
};

}  // namespace quipd::app
