// SPDX-License-Identifier: MIT
// One destination of the access log with its format, and the lines that wait to go there. Hides
// whether they go as lines of text or as entries of the journal. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "app/access_format.h"
#include "app/journal.h"
#include "app/log_target.h"
#include "base/diagnostic.h"
#include "config/config.h"
#include "server/access_ring.h"

namespace quipd::app {

class AccessOutlet {
 public:
  // From this many bytes on what waits is worth a write.
  static constexpr size_t kWorthAWrite = 64 * 1024;

  struct Flushed {
    uint64_t written = 0;  // lines
    uint64_t failed = 0;   // lines that were given up
    int error = 0;         // 0; EAGAIN: what is left waits for room; else why lines were given up
  };

  // `log` names a target. The message of an error isn't placed.
  [[nodiscard]] static Result<std::unique_ptr<AccessOutlet>> Open(const config::AccessLog& log);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] size_t waiting_bytes() const { return end_ - begin_; }
  [[nodiscard]] uint64_t waiting_lines() const { return lines_; }

  void Add(const server::AccessEntry& entry);
  // Writes what waits, as far as there is room at once.
  [[nodiscard]] Flushed Flush();
  void AwaitRoom(int timeout_ms) const;

 private:
  using Destination = std::variant<LogTarget, Journal>;

  AccessOutlet(const config::AccessLog& log, Destination destination);
  [[nodiscard]] char* RoomFor(size_t bytes);
  void AddEntry(const server::AccessEntry& entry, std::string_view message);
  [[nodiscard]] Flushed FlushLines(LogTarget* target);
  [[nodiscard]] Flushed FlushEntries(Journal* journal);

  std::string name_;
  AccessFormat format_;
  Destination destination_;
  // What waits is [begin_, end_): lines, or entries of the journal, each behind its length.
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t lines_ = 0;
  std::string entry_;
};

}  // namespace quipd::app
