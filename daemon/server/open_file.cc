// SPDX-License-Identifier: MIT
#include "server/open_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace quipd::server {
namespace {

// O_NONBLOCK: should a FIFO come to stand there between the look and the opening, we don't wait.
constexpr int kToRead = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr int kAttempts = 3;

FileState StateOf(const struct stat& facts) {
  FileState state;
  if (S_ISREG(facts.st_mode)) {
    state.kind = FileState::Kind::kFile;
    state.size = static_cast<uint64_t>(facts.st_size);
  } else if (S_ISDIR(facts.st_mode)) {
    state.kind = FileState::Kind::kDirectory;
  }
  state.seconds = facts.st_mtim.tv_sec;
  state.nanoseconds = static_cast<uint32_t>(facts.st_mtim.tv_nsec);
  state.device = facts.st_dev;
  state.inode = facts.st_ino;
  return state;
}

// An error that says of the name, not of the system.
bool IsOfTheName(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:         // or a link, where none is followed
    case EXDEV:         // a link that leads out
    case ENAMETOOLONG:  // no file has such a name
    case EISDIR:
    case EINVAL:  // a byte that the file system has no names with
    case EILSEQ:
    case ENXIO:
    case ENODEV:
      return true;
    default:
      return false;
  }
}

FileState Failed(int error) {
  FileState state;
  if (IsOfTheName(error)) return state;
  state.kind = FileState::Kind::kFault;
  state.error = error;
  return state;
}

FileState LookAt(const char* path) {
  struct stat facts;
  return stat(path, &facts) == 0 ? StateOf(facts) : Failed(errno);
}

FileState StateOf(const FileDescriptor& file) {
  struct stat facts;
  return fstat(file.get(), &facts) == 0 ? StateOf(facts) : Failed(errno);
}

uint64_t ResolutionOf(config::Symlinks links) {
  switch (links) {
    case config::Symlinks::kOff:
      return RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    case config::Symlinks::kInside:
      return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    case config::Symlinks::kAnywhere:
      return RESOLVE_NO_MAGICLINKS;
  }
  return RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
}

}  // namespace

FileState OpenFile(const std::string& path, FileDescriptor* file) {
  const FileState seen = LookAt(path.c_str());
  if (seen.kind != FileState::Kind::kFile) return seen;
  FileDescriptor opened(open(path.c_str(), kToRead));
  if (!opened) return Failed(errno);
  const FileState state = StateOf(opened);
  if (state.kind == FileState::Kind::kFile) *file = std::move(opened);
  return state;
}

Folder::Folder(std::string path, config::Symlinks links) : path_(std::move(path)), links_(links) {}

FileState Folder::Look(std::string_view name) {
  full_.assign(path_);
  if (!name.empty()) full_.append("/").append(name);
  return LookAt(full_.c_str());
}

FileState Folder::Open(std::string_view name, FileDescriptor* file) {
  return OpenAs(name, FileState::Kind::kFile, kToRead, file);
}

FileState Folder::Find(std::string_view name) {
  const FileState seen = Look(name);
  if (seen.kind != FileState::Kind::kFile && seen.kind != FileState::Kind::kDirectory) return seen;
  FileDescriptor found;
  return OpenAs(name, seen.kind, O_PATH | O_CLOEXEC, &found);
}

FileState Folder::OpenDirectory(std::string_view name, FileDescriptor* directory) {
  return OpenAs(name, FileState::Kind::kDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, directory);
}

bool Folder::Reopen() {
  folder_.Reset(open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return static_cast<bool>(folder_);
}

int Folder::OpenBeneath(const char* name, int flags) const {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = ResolutionOf(links_);
  return static_cast<int>(
      syscall(SYS_openat2, folder_.get(), *name == '\0' ? "." : name, &how, sizeof how));
}

// Looks by the whole path first, then opens beneath the directory that is held. The look costs one
// call and does two things: what is no file is never opened, as opening a FIFO wakes its writer and
// opening a device may act (to open with O_PATH, look at that and open it again through /proc costs
// two calls more; without the look the harm is done when fstat tells). And where the opened file
// isn't the one that was seen, the directory at the path is no longer the one that is held.
FileState Folder::OpenAs(std::string_view name, FileState::Kind kind, int flags,
                         FileDescriptor* opened) {
  FileState failure;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    const FileState seen = Look(name);
    if (seen.kind != kind) return seen;
    if ((!folder_ || attempt > 1) && !Reopen()) return Failed(errno);
    const char* below = full_.c_str() + path_.size();
    FileDescriptor file(OpenBeneath(*below == '/' ? below + 1 : below, flags));
    if (!file) {
      failure = Failed(errno);
      continue;
    }
    const FileState state = StateOf(file);
    // On the last attempt it is one that was just renamed to that place.
    if (!state.IsSame(seen) && attempt < kAttempts) continue;
    if (state.kind == kind) *opened = std::move(file);
    return state;
  }
  return failure;
}

}  // namespace quipd::server
