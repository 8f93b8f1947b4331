// SPDX-License-Identifier: MIT
// A client's socket as a stream of bytes, plain or by TLS. Hides the system calls, OpenSSL and how
// they fail. Non-blocking; one thread; owns the socket.
//
// Results are those of recv(2) and send(2): a count, or -1 with errno; IsBlocked tells the errno of
// a socket that can't go on now from one that is lost. Behind a write that could not go on, the
// same bytes must be offered first, and not fewer.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"
#include "server/tls_stream.h"

struct evbuffer;

namespace quipd::server {

[[nodiscard]] inline bool IsBlocked(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

class Transport {
 public:
  // Plain where there is no `tls`.
  Transport(FileDescriptor socket, std::shared_ptr<const TlsContext> tls)
      : socket_(std::move(socket)),
        tls_(tls == nullptr ? nullptr
                            : std::make_unique<TlsStream>(std::move(tls), socket_.get())) {}
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] int fd() const { return socket_.get(); }
  [[nodiscard]] bool secure() const { return tls_ != nullptr; }

  // 0 where the client has sent all that it will.
  [[nodiscard]] ssize_t Read(char* out, size_t size) {
    if (tls_ == nullptr) [[likely]]
      return recv(socket_.get(), out, size, MSG_DONTWAIT);
    return tls_->Read(out, size);
  }
  // Bytes that nobody wants, as they lie on the socket.
  [[nodiscard]] ssize_t Discard(char* scratch, size_t size) {
    return recv(socket_.get(), scratch, size, MSG_DONTWAIT);
  }

  // TLS alone, as of the last Read (TlsStream).
  [[nodiscard]] bool in_handshake() const { return tls_ != nullptr && tls_->in_handshake(); }
  [[nodiscard]] bool wants_write() const { return tls_ != nullptr && tls_->wants_write(); }
  [[nodiscard]] bool has_pending() const { return tls_ != nullptr && tls_->has_pending(); }
  [[nodiscard]] bool heard_plain_http() const {
    return tls_ != nullptr && tls_->heard_plain_http();
  }
  // Answers a client that doesn't speak TLS as it speaks.
  void BecomePlain() { tls_.reset(); }

  // With `more`, more follows at once, and a small rest may wait for it.
  [[nodiscard]] ssize_t Write(std::string_view bytes, bool more = false) {
    if (tls_ == nullptr) [[likely]] {
      return send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    }
    return tls_->Write(bytes);
  }
  // Both, one behind the other.
  [[nodiscard]] ssize_t Write(std::string_view first, std::string_view second);
  // From the front of the buffer, which what was written leaves.
  [[nodiscard]] ssize_t Write(evbuffer* buffer);
  // Bytes of a file; 0 where it ends before `offset`.
  [[nodiscard]] ssize_t WriteFile(int file, uint64_t offset, size_t size);

  // What was written is all (RFC 9112 9.8); false where the socket can't take that now. Once the
  // client was told, nothing may be written.
  [[nodiscard]] bool CloseNotify() { return tls_ == nullptr || tls_->CloseNotify(); }
  // What was written is not all, and the client must not be told that it is.
  void Abandon() {
    if (tls_ != nullptr) tls_->Abandon();
  }
  // Closing the socket throws away what the client has not taken, which the system would keep for
  // him for minutes otherwise.
  void DropUntaken();
  // No more is sent; false where that failed.
  [[nodiscard]] bool Shutdown() { return shutdown(socket_.get(), SHUT_WR) == 0; }

 private:
  FileDescriptor socket_;
  std::unique_ptr<TlsStream> tls_;  // null: plain; dies before its socket
};

}  // namespace quipd::server
