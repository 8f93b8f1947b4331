// SPDX-License-Identifier: MIT
#include "app/log_target.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace quipd::app {
namespace {

// False also where it can't be read.
bool EndsInMidLine(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!file || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  char last = '\n';
  return facts.st_size > 0 && pread(file.get(), &last, 1, facts.st_size - 1) == 1 && last != '\n';
}

}  // namespace

Result<LogTarget> LogTarget::Open(const std::string& path, std::string_view what) {
  FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0640));
  if (!file) {
    const int error = errno;
    return Fail("opening " + std::string(what) + " " + path + ": " +
                (error == ENXIO ? "nobody reads this FIFO" : std::strerror(error)));
  }
  LogTarget target(file.get());
  target.torn_ = target.kind_ == Kind::kFile && EndsInMidLine(path);
  target.owned_ = std::move(file);
  return target;
}

LogTarget LogTarget::Borrow(int fd) { return LogTarget(fd); }

LogTarget::LogTarget(int fd) : fd_(fd) {
  struct stat facts {};
  if (fstat(fd, &facts) != 0) return;
  if (S_ISFIFO(facts.st_mode) || S_ISCHR(facts.st_mode)) kind_ = Kind::kPipe;
  if (S_ISSOCK(facts.st_mode)) kind_ = Kind::kSocket;
}

LogTarget::Written LogTarget::Write(std::string_view lines) {
  if (torn_) {
    if (const int error = EndTornLine(); error != 0) return {0, error};
  }
  size_t at = 0;
  while (at < lines.size()) {
    const std::string_view rest = lines.substr(at);
    const ssize_t count = WriteOnce(rest.substr(0, PortionOf(rest)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {at, errno};
    if (count == 0) return {at, EIO};
    at += static_cast<size_t>(count);
    mid_line_ = lines[at - 1] != '\n';
  }
  return {at, 0};
}

// As much as a pipe takes as a whole or not at all (pipe(7)), ended where a line ends.
size_t LogTarget::PortionOf(std::string_view lines) const {
  if (kind_ != Kind::kPipe || lines.size() <= PIPE_BUF) return lines.size();
  const size_t last = lines.rfind('\n', PIPE_BUF - 1);
  return last == lines.npos ? PIPE_BUF : last + 1;
}

ssize_t LogTarget::WriteOnce(std::string_view bytes) const {
  if (kind_ == Kind::kSocket) {
    return send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  if (kind_ == Kind::kPipe) {
    pollfd room{fd_, POLLOUT, 0};
    if (poll(&room, 1, 0) == 0) {
      errno = EAGAIN;
      return -1;
    }
  }
  return write(fd_, bytes.data(), bytes.size());
}

// A file that was emptied since has no torn line any more.
int LogTarget::EndTornLine() {
  struct stat facts {};
  const bool emptied = kind_ == Kind::kFile && fstat(fd_, &facts) == 0 && S_ISREG(facts.st_mode) &&
                       facts.st_size == 0;
  if (!emptied) {
    const ssize_t count = WriteOnce("\n");
    if (count != 1) return count < 0 ? errno : EIO;
  }
  torn_ = mid_line_ = false;
  return 0;
}

void LogTarget::AwaitRoom(int timeout_ms) const {
  pollfd room{fd_, POLLOUT, 0};
  static_cast<void>(poll(&room, 1, timeout_ms));
}

}  // namespace quipd::app
