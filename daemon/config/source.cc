// SPDX-License-Identifier: MIT
#include "config/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/file_descriptor.h"
#include "base/utf8.h"

namespace quipd::config {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kShownLineBytes = 64 * 1024;  // a longer line is not attached to a diagnostic

int Characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), StartsCharacter));
}

std::string Reason(int error) {
  std::string reason = std::generic_category().message(error);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z') {
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  }
  return reason;
}

tl::unexpected<Diagnostics> CannotRead(const std::string& path, const std::string& reason) {
  return Fail("can't read " + path + ": " + reason);
}

// What a file is that is not a regular one.
std::string KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a directory";
  if (S_ISFIFO(mode)) return "it is a FIFO";
  if (S_ISSOCK(mode)) return "it is a socket";
  return "it is a device";
}

// Opens what was found to be a regular file, and nothing else: what opening does to a device or a
// FIFO is not known.
Result<FileDescriptor> OpenRegular(const std::string& path, struct stat* status) {
  if (stat(path.c_str(), status) != 0) return CannotRead(path, Reason(errno));
  if (!S_ISREG(status->st_mode)) return CannotRead(path, KindOf(status->st_mode));
  // O_NONBLOCK: it may have become a FIFO, where opening must not wait for a writer.
  FileDescriptor file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));  // NOLINT: varargs
  if (!file) return CannotRead(path, Reason(errno));
  if (fstat(file.get(), status) != 0) return CannotRead(path, Reason(errno));
  if (!S_ISREG(status->st_mode)) return CannotRead(path, KindOf(status->st_mode));
  return file;
}

std::string TooLarge(size_t max_bytes) {
  constexpr size_t kMebibyte = 1024 * 1024;
  const bool whole = max_bytes >= kMebibyte && max_bytes % kMebibyte == 0;
  return "it is larger than " + std::to_string(whole ? max_bytes / kMebibyte : max_bytes) +
         (whole ? " MiB" : " bytes");
}

// Reads to the end of the file, or one byte more than allowed. Returns errno, or 0.
int ReadToEnd(int fd, size_t max_bytes, size_t expected, std::string& bytes) {
  bytes.resize(std::min(expected, max_bytes) + 1);
  size_t size = 0;
  while (size <= max_bytes) {
    if (size == bytes.size()) bytes.resize(std::min(bytes.size() * 2, max_bytes + 1));
    const ssize_t count = read(fd, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  bytes.resize(size);
  return 0;
}

}  // namespace

Source::Source(std::string name, std::string folder, std::string bytes)
    : name_(std::move(name)), folder_(std::move(folder)), bytes_(std::move(bytes)) {
  if (bytes_.starts_with(kByteOrderMark)) bytes_.erase(0, kByteOrderMark.size());
}

Diagnostic Source::At(Diagnostic::Severity severity, Mark mark, std::string message,
                      std::string hint) const {
  const std::string_view line = LineAt(mark);
  const size_t begin = line.data() - bytes_.data();
  const size_t offset = std::min<size_t>(mark.offset, bytes_.size());
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.file = name_;
  diagnostic.line = static_cast<int>(mark.line) + 1;
  diagnostic.column = Characters(std::string_view(bytes_).substr(begin, offset - begin)) + 1;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  if (line.size() <= kShownLineBytes) diagnostic.source = line;
  return diagnostic;
}

Diagnostic Source::Error(Mark mark, std::string message, std::string hint) const {
  return At(Diagnostic::Severity::kError, mark, std::move(message), std::move(hint));
}

Diagnostic Source::Warning(Mark mark, std::string message, std::string hint) const {
  return At(Diagnostic::Severity::kWarning, mark, std::move(message), std::move(hint));
}

std::string_view Source::LineAt(Mark mark) const {
  const std::string_view bytes = bytes_;
  const size_t offset = std::min<size_t>(mark.offset, bytes.size());
  const size_t before = offset == 0 ? std::string_view::npos : bytes.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(bytes.find('\n', offset), bytes.size());
  std::string_view line = bytes.substr(begin, end - begin);
  if (line.ends_with('\r') && begin + line.size() > offset) line.remove_suffix(1);
  return line;
}

Mark Source::MarkAt(size_t offset) const {
  const size_t end = std::min(offset, bytes_.size());
  const std::string_view before = std::string_view(bytes_).substr(0, end);
  const size_t line_end = before.rfind('\n');
  Mark mark;
  mark.offset = static_cast<uint32_t>(end);
  mark.line = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n'));
  mark.column =
      static_cast<uint32_t>(line_end == std::string_view::npos ? end : end - line_end - 1);
  return mark;
}

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  struct stat status = {};
  const Result<FileDescriptor> file = OpenRegular(path, &status);
  if (!file) return tl::unexpected(file.error());
  const auto size = static_cast<size_t>(status.st_size);
  if (size > max_bytes) return CannotRead(path, TooLarge(max_bytes));

  std::string bytes;
  const int error = ReadToEnd(file->get(), max_bytes, size, bytes);
  if (error != 0) return CannotRead(path, Reason(error));
  if (bytes.size() > max_bytes) return CannotRead(path, TooLarge(max_bytes));
  return bytes;
}

Result<FileState> StateOfFile(const std::string& path) {
  struct stat status = {};
  const Result<FileDescriptor> file = OpenRegular(path, &status);
  if (!file) return tl::unexpected(file.error());
  return FileState{static_cast<uint64_t>(status.st_size), status.st_mtim.tv_sec};
}

Result<void> CheckFolder(const std::string& path, bool listed) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return CannotRead(path, Reason(errno));
  if (S_ISREG(status.st_mode)) return CannotRead(path, "it is a file");
  if (!S_ISDIR(status.st_mode)) return CannotRead(path, KindOf(status.st_mode));
  if (eaccess(path.c_str(), listed ? R_OK | X_OK : X_OK) == 0) return {};
  return CannotRead(path, Reason(errno));
}

Result<std::shared_ptr<const Source>> ReadSource(const std::string& path) {
  Result<std::string> bytes = ReadFile(path, kMaxFileBytes);
  if (!bytes) return tl::unexpected(std::move(bytes.error()));
  const size_t slash = path.rfind('/');
  // "/quipd.yaml" stands in "/".
  std::string folder =
      slash == std::string::npos ? std::string() : path.substr(0, std::max<size_t>(slash, 1));
  return std::make_shared<const Source>(path, std::move(folder), std::move(*bytes));
}

}  // namespace quipd::config
