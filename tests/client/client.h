// SPDX-License-Identifier: MIT
// A strict HTTP client over one connection, plain or TLS, for the tests: every wait has a deadline,
// nothing is retried, and what was not asked for is a fault. Not thread-safe; one thread a Client.
//
// Nothing here throws or fails a test by itself: a Response without status tells in `fault` what
// went wrong, so that the test that asked can show it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "client/response.h"
#include "client/tls_stream.h"

namespace quipd::test {

// Long enough for a sanitizer build on a busy machine; only a hang ever waits for it.
inline constexpr std::chrono::milliseconds kPatience{60'000};

// How a connection ends, as its client sees it.
enum class End {
  kClosed,  // the server's FIN; over TLS behind its close_notify
  kCut,     // over TLS: a FIN without close_notify
  kReset,
  kBytes,  // more bytes came instead
  kOpen,   // neither within the time
};

class Client {
 public:
  // Connects to "127.0.0.1:80", "[::1]:80" or "unix:/path" (or "unix:@name", abstract).
  // `receive_buffer` in bytes, 0: the
  // system's.
  explicit Client(const std::string& address, int receive_buffer = 0);
  // The same over TLS; connected() once the handshake is over.
  Client(const std::string& address, const TlsOptions& tls, int receive_buffer = 0);
  Client(Client&&) noexcept = default;
  Client& operator=(Client&&) noexcept = default;

  [[nodiscard]] bool connected() const { return fault_.empty(); }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] int fd() const { return socket_.get(); }
  // What TLS has agreed on; only of a client that was made with it.
  [[nodiscard]] const TlsStream& tls() const { return *tls_; }

  // Sends all of it; false where the server has closed, or took nothing for kPatience.
  bool Send(std::string_view bytes);
  // The same in pieces of `size` bytes, each its own segment as far as the system lets it.
  bool SendInPieces(std::string_view bytes, size_t size);
  // Sends what the socket takes now; the number of bytes.
  size_t SendSome(std::string_view bytes);

  // The next response, interim ones too. `to_head`: it answers a HEAD.
  [[nodiscard]] Response Read(bool to_head = false, std::chrono::milliseconds patience = kPatience);

  // Sends a GET of `target` with "Host: test" and the given field lines, and reads its answer.
  [[nodiscard]] Response Get(std::string_view target, std::string_view fields = "");
  // Sends the bytes and reads one answer.
  [[nodiscard]] Response Exchange(std::string_view request);

  // Waits until the connection ends or a byte comes.
  [[nodiscard]] End WaitEnd(std::chrono::milliseconds patience = kPatience);
  // True where nothing comes, not even an end, in that time.
  [[nodiscard]] bool StaysQuiet(std::chrono::milliseconds time);
  // Some bytes, at least one; empty where the connection has ended or none came for kPatience.
  [[nodiscard]] std::string ReadSome();
  // Everything until the connection ends.
  [[nodiscard]] std::string ReadToEnd();
  // True as soon as the socket takes bytes, false after that time.
  [[nodiscard]] bool WaitWritable(std::chrono::milliseconds time);

  void HalfClose();  // FIN, over TLS behind close_notify; reading goes on
  void Reset();      // RST
  void Close();

 private:
  enum class Got { kBytes, kEnd, kTimeout };

  void Connect(const std::string& address, int receive_buffer);
  void ShakeHands();
  Got Receive(std::chrono::steady_clock::time_point deadline);
  Got ReceivePlain(char* bytes, size_t size, size_t* got,
                   std::chrono::steady_clock::time_point deadline);
  Got ReceiveTls(char* bytes, size_t size, size_t* got,
                 std::chrono::steady_clock::time_point deadline);
  Got AwaitFin(std::chrono::steady_clock::time_point deadline);
  bool AwaitTls(TlsStream::Status status, std::chrono::steady_clock::time_point deadline);
  size_t SendSomeTls(std::string_view bytes);
  void Compact();

  FileDescriptor socket_;
  std::optional<TlsStream> tls_;  // dies before its socket
  std::string fault_;
  std::string input_;  // received, from read_ on not yet taken
  size_t read_ = 0;
  bool cant_send_ = false;  // the server takes no more
  bool reset_ = false;
  bool cut_ = false;
};

// Where a test connects, plain or over TLS.
struct Endpoint {
  const char* name = "";  // "plain", "TLS"
  std::string address;
  std::optional<TlsOptions> tls;

  [[nodiscard]] Client Connect(int receive_buffer = 0) const {
    return tls ? Client(address, *tls, receive_buffer) : Client(address, receive_buffer);
  }
};

// "GET TARGET HTTP/1.1" with a Host and the given field lines (each with its CRLF).
[[nodiscard]] std::string GetRequest(std::string_view target, std::string_view fields = "");
// "POST TARGET HTTP/1.1" with a Host, the given field lines, Content-Length and the body.
[[nodiscard]] std::string PostRequest(std::string_view target, std::string_view body,
                                      std::string_view fields = "");

}  // namespace quipd::test
