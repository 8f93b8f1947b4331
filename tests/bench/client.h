// SPDX-License-Identifier: MIT
// A client's end of a connection to 127.0.0.1: TCP, and TLS over it where it is asked for.
//
// Hides OpenSSL. TLS is offered in one way only, so that all servers do the same work: version 1.3,
// one cipher suite, X25519, and the last session's ticket where sessions are resumed.
// Not thread-safe. A Client doesn't move while a handshake of it may still bring a ticket.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace quipd::bench {

// What the clients of a program have in common.
class TlsClients {
 public:
  // `cipher` as OpenSSL calls it: TLS_AES_256_GCM_SHA384. Ends the program where it is unknown.
  TlsClients(const std::string& cipher, bool resume);

  [[nodiscard]] SSL_CTX* context() const { return context_.get(); }
  [[nodiscard]] bool resumes() const { return resume_; }

 private:
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  bool resume_;
};

class Client {
 public:
  enum class State : uint8_t { kDone, kAgain, kEnd, kBroken };
  struct Got {
    State state;  // kDone: `bytes` came. kEnd: an orderly end, with TLS a close_notify
    size_t bytes;
  };

  Client() = default;
  ~Client() { Close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Opens TCP, and begins a handshake if `tls` isn't null. False: refused, or no descriptor.
  [[nodiscard]] bool Open(uint16_t port, const TlsClients* tls);
  // Goes on with the handshake: kDone, kAgain (call again when readable) or kBroken.
  [[nodiscard]] State Handshake();
  // Open, and through with the handshake if there is one.
  [[nodiscard]] bool ready() const { return fd_ >= 0 && ready_; }
  // All of it, waiting up to 3 s for the server to take it.
  [[nodiscard]] bool Write(std::string_view bytes);
  // At most `size` bytes of what is there.
  [[nodiscard]] Got Read(char* buffer, size_t size);
  // Throws away up to `size` bytes of what is there; `buffer` of `buffer_size` may be used.
  [[nodiscard]] Got Discard(char* buffer, size_t buffer_size, size_t size);
  // Tells of input from so many bytes on, so that a server isn't charged for waking its client at
  // each piece of a large body: clients are elsewhere, mostly. Nothing with TLS.
  void AwaitAtLeast(size_t bytes);
  // Whether bytes are held back that epoll doesn't tell of.
  [[nodiscard]] bool pending() const { return ssl_ != nullptr && SSL_has_pending(ssl_.get()) == 1; }
  // Frees what TLS needs and leaves the connection open: enough to be idle.
  void Rest() { ssl_.reset(); }
  void Close();

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool reused() const { return SSL_session_reused(ssl_.get()) == 1; }
  [[nodiscard]] uint64_t handshakes() const { return handshakes_; }
  // Such as "TLSv1.3 TLS_AES_256_GCM_SHA384"; empty without TLS.
  [[nodiscard]] std::string protocol() const;

 private:
  friend class TlsClients;

  bool StartTls(const TlsClients& tls);
  [[nodiscard]] State Failure(int result) const;
  static int KeepSession(SSL* ssl, SSL_SESSION* session);

  int fd_ = -1;
  bool ready_ = false;
  size_t awaited_ = 1;
  uint64_t handshakes_ = 0;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_{nullptr, &SSL_free};
  std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)> session_{nullptr, &SSL_SESSION_free};
};

}  // namespace quipd::bench
