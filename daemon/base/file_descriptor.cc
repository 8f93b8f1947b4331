// SPDX-License-Identifier: MIT
#include "base/file_descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace quipd {

void FileDescriptor::Reset(int fd) {
  if (fd_ >= 0) {
    const int saved = errno;
    close(fd_);
    errno = saved;
  }
  fd_ = fd;
}

}  // namespace quipd
