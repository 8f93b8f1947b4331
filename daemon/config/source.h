// SPDX-License-Identifier: MIT
// The bytes of one configuration file (or of one -e rule) and where a fault in them lies. Immutable
// after reading, so thread-safe. Reading is bounded and opens nothing but regular files. A byte
// order mark at the start is dropped when a Source is made: offsets count from behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace quipd::config {

inline constexpr size_t kMaxFileBytes = 64 * 1024 * 1024;  // of one configuration file

// A place in a source; from 0, in bytes. Diagnostics print from 1, in characters.
struct Mark {
  uint32_t offset = 0;
  uint32_t line = 0;
  uint32_t column = 0;

  bool operator==(const Mark&) const = default;
};

class Source {
 public:
  // `name` is what diagnostics call it; `folder` is where its relative paths start ("" for the
  // working directory).
  Source(std::string name, std::string folder, std::string bytes);

  const std::string& name() const { return name_; }
  const std::string& folder() const { return folder_; }
  std::string_view bytes() const { return bytes_; }

  // A diagnostic at that place, with its source line.
  [[nodiscard]] Diagnostic Error(Mark mark, std::string message, std::string hint = {}) const;
  [[nodiscard]] Diagnostic Warning(Mark mark, std::string message, std::string hint = {}) const;

  // The line that `mark` is on, without its end (LF or CR LF). Only its offset is looked at.
  [[nodiscard]] std::string_view LineAt(Mark mark) const;

  // The place of a byte; counts lines from the start. An offset behind the end is the end.
  [[nodiscard]] Mark MarkAt(size_t offset) const;

 private:
  [[nodiscard]] Diagnostic At(Diagnostic::Severity severity, Mark mark, std::string message,
                              std::string hint) const;

  std::string name_;
  std::string folder_;
  std::string bytes_;
};

// A whole file as bytes, regular files only. The error names the operation, the path as given and
// the reason.
[[nodiscard]] Result<std::string> ReadFile(const std::string& path, size_t max_bytes);

struct FileState {
  uint64_t size = 0;
  int64_t modified = 0;  // seconds since 1970
};

// The state of a regular file that can be opened for reading. Errors as of ReadFile.
[[nodiscard]] Result<FileState> StateOfFile(const std::string& path);

// Whether a directory is there whose files can be opened, and whose names can be read where it is
// `listed`. Errors as of ReadFile.
[[nodiscard]] Result<void> CheckFolder(const std::string& path, bool listed);

// Reads a configuration file; its name is the path as the user wrote it, its folder the part of
// that before the last slash.
[[nodiscard]] Result<std::shared_ptr<const Source>> ReadSource(const std::string& path);

}  // namespace quipd::config
