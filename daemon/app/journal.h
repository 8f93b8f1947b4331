// SPDX-License-Identifier: MIT
// Entries of systemd's journal, sent as its native protocol has them
// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/). By our own hand for one reason:
// sd_journal_sendv(3) waits for as long as the journal's daemon hangs, and nothing that logs may.
// Used by one thread at a time.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/file_descriptor.h"

namespace quipd::app {

inline constexpr const char* kJournalSocket = "/run/systemd/journal/socket";

// Appends a field to the entry `out`; the value may hold any bytes, a name is A to Z, 0 to 9 and _.
void AddJournalField(std::string_view name, std::string_view value, std::string* out);

// The fields that each entry of quipd's begins with. Priorities are those of syslog(3).
void BeginJournalEntry(int priority, std::string_view message, std::string* out);

// FILE, LINE, COLUMN and HINT of what is said of a file.
void AddDiagnosticFields(const Diagnostic& diagnostic, std::string* out);

class Journal {
 public:
  // `path` of the socket, `what` as an error calls what is to be written there.
  [[nodiscard]] static Result<Journal> Open(std::string_view what,
                                            std::string path = kJournalSocket);

  // Sends an entry at once or not at all: 0, EAGAIN where there is no room, or why it can't be
  // sent. A journal that was started again is found again.
  [[nodiscard]] int Send(std::string_view entry);
  void AwaitRoom(int timeout_ms) const;

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] int Connect();

  std::string path_;
  FileDescriptor socket_;
};

// Standard error is connected to the journal (systemd.exec(5), JOURNAL_STREAM), and the journal's
// socket is there.
[[nodiscard]] bool StderrIsJournal();

}  // namespace quipd::app
