// SPDX-License-Identifier: MIT
// Files below a directory that others may change at any time: renamed, replaced, linked elsewhere,
// swapped as a whole by a deployment. Hides how a name is kept within the directory (openat2(2)),
// and how what must not be opened (FIFOs, sockets, devices) never is.
//
// One thread. A Folder holds its directory open between two calls, and sees each time whether
// another one has taken its place. Nothing is allocated once its memory is warm.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "config/config.h"

namespace quipd::server {

struct FileState {
  enum class Kind : uint8_t {
    kMissing,  // nothing, or what is never served: no file, or one that the policy keeps out
    kFile,
    kDirectory,
    kFault,  // the system refuses: no right, no descriptor left, a failing disk
  };
  Kind kind = Kind::kMissing;
  int error = 0;  // errno of kFault
  uint64_t size = 0;
  int64_t seconds = 0;  // of its last change, since 1970
  uint32_t nanoseconds = 0;
  uint64_t device = 0;
  uint64_t inode = 0;

  [[nodiscard]] bool IsSame(const FileState& other) const {
    return device == other.device && inode == other.inode;
  }
};

// Opens the file at `path` to be read, by whatever links.
[[nodiscard]] FileState OpenFile(const std::string& path, FileDescriptor* file);

class Folder {
 public:
  // `path` may be relative to the process's working directory.
  Folder(std::string path, config::Symlinks links);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] config::Symlinks links() const { return links_; }

  // Names are of any bytes but NUL, relative, without dot segments; empty is the folder itself.

  // What stands there as far as can be told without opening it; links out of the folder are
  // followed, so that a kFile may be kMissing when opened.
  [[nodiscard]] FileState Look(std::string_view name);
  // Opens a file to be read; only for kFile is `file` set.
  [[nodiscard]] FileState Open(std::string_view name, FileDescriptor* file);
  // What would be served of it: a kFile or kDirectory that isn't led out of the folder.
  [[nodiscard]] FileState Find(std::string_view name);
  // Opens a directory to be read.
  [[nodiscard]] FileState OpenDirectory(std::string_view name, FileDescriptor* directory);

  // The path of the name that was asked for last, for logs.
  [[nodiscard]] const std::string& last_path() const { return full_; }

 private:
  [[nodiscard]] FileState OpenAs(std::string_view name, FileState::Kind kind, int flags,
                                 FileDescriptor* opened);
  [[nodiscard]] int OpenBeneath(const char* name, int flags) const;
  [[nodiscard]] bool Reopen();

  const std::string path_;
  const config::Symlinks links_;
  FileDescriptor folder_;
  std::string full_;  // path_, '/' and a name
};

}  // namespace quipd::server
