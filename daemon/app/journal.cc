// SPDX-License-Identifier: MIT
#include "app/journal.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace quipd::app {
namespace {

// So that an entry never exceeds what a datagram may be.
constexpr size_t kLongestValue = 48 * 1024;
constexpr int kSendBuffer = 4 * 1024 * 1024;

}  // namespace

void AddJournalField(std::string_view name, std::string_view value, std::string* out) {
  value = value.substr(0, kLongestValue);
  out->append(name);
  if (value.find('\n') == value.npos) {
    out->push_back('=');
  } else {  // its length in 64 bits, little-endian
    out->push_back('\n');
    for (int shift = 0; shift < 64; shift += 8) {
      out->push_back(static_cast<char>(value.size() >> shift & 0xFF));
    }
  }
  out->append(value).push_back('\n');
}

void BeginJournalEntry(int priority, std::string_view message, std::string* out) {
  AddJournalField("MESSAGE", message, out);
  AddJournalField("PRIORITY", std::to_string(priority), out);
  AddJournalField("SYSLOG_IDENTIFIER", "quipd", out);
}

void AddDiagnosticFields(const Diagnostic& diagnostic, std::string* out) {
  if (!diagnostic.file.empty()) AddJournalField("QUIPD_FILE", diagnostic.file, out);
  if (diagnostic.line > 0) AddJournalField("QUIPD_LINE", std::to_string(diagnostic.line), out);
  if (diagnostic.column > 0) {
    AddJournalField("QUIPD_COLUMN", std::to_string(diagnostic.column), out);
  }
  if (!diagnostic.hint.empty()) AddJournalField("QUIPD_HINT", diagnostic.hint, out);
}

Result<Journal> Journal::Open(std::string_view what, std::string path) {
  Journal journal(std::move(path));
  if (const int error = journal.Connect(); error != 0) {
    return Fail("opening " + std::string(what) + ": the journal at " + journal.path_ + ": " +
                std::strerror(error));
  }
  return journal;
}

int Journal::Connect() {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path_.size() >= sizeof name.sun_path) return ENAMETOOLONG;
  std::memcpy(name.sun_path, path_.data(), path_.size());
  FileDescriptor fresh(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fresh) return errno;
  // A long entry needs room; as far as the system allows it.
  static_cast<void>(
      setsockopt(fresh.get(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer));
  if (connect(fresh.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
    return errno;
  }
  socket_ = std::move(fresh);
  return 0;
}

int Journal::Send(std::string_view entry) {
  const auto send_once = [&] {
    return send(socket_.get(), entry.data(), entry.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0
               ? 0
               : errno;
  };
  const int error = send_once();
  if (error != ECONNREFUSED && error != ENOTCONN && error != ECONNRESET) return error;
  const int gone = Connect();
  return gone != 0 ? gone : send_once();
}

void Journal::AwaitRoom(int timeout_ms) const {
  pollfd room{socket_.get(), POLLOUT, 0};
  static_cast<void>(poll(&room, 1, timeout_ms));
}

bool StderrIsJournal() {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  if (stream == nullptr) return false;
  struct stat facts {};
  if (fstat(STDERR_FILENO, &facts) != 0) return false;
  std::array<char, 48> own{};
  std::snprintf(own.data(), own.size(), "%" PRIu64 ":%" PRIu64, uint64_t{facts.st_dev},
                uint64_t{facts.st_ino});
  return std::strcmp(stream, own.data()) == 0 && access(kJournalSocket, F_OK) == 0;
}

}  // namespace quipd::app
