// SPDX-License-Identifier: MIT
// The TLS of a test's client: on a connected socket that is not to block, verifying what the server
// shows, never waiting by itself. Built on OpenSSL, which stays out of this header. One thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ssl_session_st;

namespace quipd::test {

// What a session left behind for the next connection to resume.
using TlsSession = std::shared_ptr<ssl_session_st>;

struct TlsOptions {
  std::string trusted;             // PEM file of the certificates that are trusted, nothing else is
  std::string name = "localhost";  // for SNI, and to be found in the certificate; empty: neither
  std::string alpn = "http/1.1";   // empty: none is offered
  bool only_tls12 = false;
  TlsSession session = nullptr;           // to be resumed
  std::vector<std::string> preface = {};  // sent in the clear before it, each its own segment
};

class TlsStream {
 public:
  enum class Status {
    kDone,
    kWantsRead,
    kWantsWrite,
    kClosed,  // close_notify has come
    kCut,     // the connection ended without it
    kReset,
    kFailed,  // see fault
  };

  // `fd` must not block and outlive this.
  TlsStream(int fd, const TlsOptions& options);
  ~TlsStream();
  TlsStream(TlsStream&&) noexcept;
  TlsStream& operator=(TlsStream&&) noexcept;

  // Goes on with the handshake; kDone once it is over.
  [[nodiscard]] Status Handshake();
  // Reads at least one byte, or says why not.
  [[nodiscard]] Status Read(char* bytes, size_t size, size_t* got);
  [[nodiscard]] Status Write(std::string_view bytes, size_t* sent);
  // Sends close_notify; reading goes on.
  void Close();

  // Of a connection whose handshake is over.
  [[nodiscard]] std::string version() const;  // "TLSv1.3"
  [[nodiscard]] std::string alpn() const;     // what the server chose; empty: nothing
  [[nodiscard]] bool resumed() const;
  [[nodiscard]] std::string subject() const;  // the common name of the server's certificate
  // Null where the server has sent no ticket (TLS 1.3: before the first answer is read).
  [[nodiscard]] TlsSession session() const;

  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  struct Impl;
  Status StatusOf(int result);

  std::unique_ptr<Impl> impl_;
  std::string fault_;
};

}  // namespace quipd::test
