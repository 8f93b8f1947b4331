// SPDX-License-Identifier: MIT
// A journal of the test's own: its socket, and what is sent there as fields.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace quipd::test {

using JournalFields = std::map<std::string, std::string>;

inline FileDescriptor BindJournal(const std::string& path) {
  FileDescriptor fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0) << path;
  return fd;
}

// As https://systemd.io/JOURNAL_NATIVE_PROTOCOL/ has it.
inline JournalFields ParseJournalEntry(const std::string& entry) {
  JournalFields fields;
  for (size_t at = 0; at < entry.size();) {
    const size_t line_end = entry.find('\n', at);
    if (line_end == std::string::npos) break;
    const std::string line = entry.substr(at, line_end - at);
    const size_t equals = line.find('=');
    if (equals != std::string::npos) {
      fields[line.substr(0, equals)] = line.substr(equals + 1);
      at = line_end + 1;
      continue;
    }
    uint64_t length = 0;
    for (size_t i = 0; i < 8; ++i) {
      length |= uint64_t{static_cast<unsigned char>(entry.at(line_end + 1 + i))} << (8 * i);
    }
    fields[line] = entry.substr(line_end + 9, length);
    EXPECT_EQ(entry.at(line_end + 9 + length), '\n');
    at = line_end + 9 + length + 1;
  }
  return fields;
}

// The next entry, waited for as long; none where none comes.
inline std::optional<JournalFields> NextJournalEntry(const FileDescriptor& journal,
                                                     std::chrono::milliseconds patience = {}) {
  pollfd readable{journal.get(), POLLIN, 0};
  if (poll(&readable, 1, static_cast<int>(patience.count())) <= 0) return std::nullopt;
  std::vector<char> bytes(1 << 20);
  const ssize_t size = recv(journal.get(), bytes.data(), bytes.size(), 0);
  if (size < 0) return std::nullopt;
  return ParseJournalEntry(std::string(bytes.data(), static_cast<size_t>(size)));
}

}  // namespace quipd::test
