// SPDX-License-Identifier: MIT
// TLS on a client's socket, below HTTP: records instead of bytes. Hides OpenSSL's handshake, its
// errors and its rules for a write that is tried again. Never blocks; one thread; the socket is the
// Transport's and outlives it.
//
// Results are the Transport's: a count, or -1 with errno, EAGAIN where the socket can't go on now.
// Behind a write that could not go on, the same bytes must be offered first, and not fewer.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "server/tls_context.h"

struct evbuffer;

namespace quipd::server {

class TlsStream {
 public:
  TlsStream(std::shared_ptr<const TlsContext> context, int socket)
      : context_(std::move(context)), socket_(socket) {}
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Goes on with the handshake, then reads all there is, up to `size`. 0 where the client has sent
  // all that it will.
  [[nodiscard]] ssize_t Read(char* out, size_t size);

  [[nodiscard]] bool in_handshake() const { return in_handshake_; }
  // The last Read waits for the socket to take bytes, not to have some.
  [[nodiscard]] bool wants_write() const { return wants_write_; }
  // Input was received that the last Read had no room for: no event will tell of it.
  [[nodiscard]] bool has_pending() const { return has_pending_; }
  // What has come is plain HTTP.
  [[nodiscard]] bool heard_plain_http() const { return heard_plain_http_; }

  [[nodiscard]] ssize_t Write(std::string_view bytes);
  [[nodiscard]] ssize_t Write(std::string_view first, std::string_view second);
  [[nodiscard]] ssize_t Write(evbuffer* buffer);
  [[nodiscard]] ssize_t WriteFile(int file, uint64_t offset, size_t size);

  // Tells the client that no more comes; false where the socket doesn't take that now. Nothing
  // where it was told, and where the connection failed or never began.
  [[nodiscard]] bool CloseNotify();
  // The client is never told: what it has is not all.
  void Abandon() { failed_ = true; }

 private:
  [[nodiscard]] bool Begin();
  [[nodiscard]] bool ShakeHands();
  [[nodiscard]] ssize_t ReadRecords(char* out, size_t size);
  // An SSL_write; adds what it took to `written`.
  [[nodiscard]] bool WriteSome(std::string_view bytes, size_t* written);
  // Says by errno why a call did not go on.
  void Explain(int result);
  void Fail();

  const std::shared_ptr<const TlsContext> context_;
  const int socket_;
  Ssl ssl_;  // null before the first byte: who says nothing costs nothing
  bool in_handshake_ = true;
  bool was_asked_ = false;
  bool wants_write_ = false;
  bool has_pending_ = false;
  bool at_end_ = false;  // the client has said so
  bool failed_ = false;
  bool notified_ = false;  // the client knows that no more comes
  bool heard_plain_http_ = false;
};

}  // namespace quipd::server
