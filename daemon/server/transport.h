// SPDX-License-Identifier: MIT
// A client's socket as a stream of bytes. Hides the system calls and how they fail. Non-blocking;
// one thread; owns the socket.
//
// Results are those of recv(2) and send(2): a count, or -1 with errno; IsBlocked tells the errno of
// a socket that can't go on now from one that is lost.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"

struct evbuffer;

namespace quipd::server {

[[nodiscard]] inline bool IsBlocked(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

class Transport {
 public:
  explicit Transport(FileDescriptor socket) : socket_(std::move(socket)) {}
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] int fd() const { return socket_.get(); }

  // 0 where the client has sent all that it will.
  [[nodiscard]] ssize_t Read(char* out, size_t size) {
    return recv(socket_.get(), out, size, MSG_DONTWAIT);
  }

  // With `more`, more follows at once, and a small rest may wait for it.
  [[nodiscard]] ssize_t Write(std::string_view bytes, bool more = false) {
    return send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
  }
  // Both, one behind the other.
  [[nodiscard]] ssize_t Write(std::string_view first, std::string_view second);
  // From the front of the buffer, which what was written leaves.
  [[nodiscard]] ssize_t Write(evbuffer* buffer);
  // Bytes of a file; 0 where it ends before `offset`.
  [[nodiscard]] ssize_t WriteFile(int file, uint64_t offset, size_t size);

  // No more is sent; false where that failed.
  [[nodiscard]] bool Shutdown() { return shutdown(socket_.get(), SHUT_WR) == 0; }

 private:
  FileDescriptor socket_;
};

}  // namespace quipd::server
