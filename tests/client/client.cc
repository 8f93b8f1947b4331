// SPDX-License-Identifier: MIT
#include "client/client.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

namespace quipd::test {
namespace {

using Clock = std::chrono::steady_clock;

int MillisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

// Waits for `events`; false where the deadline came first.
bool WaitFor(int fd, short events, Clock::time_point deadline) {
  while (true) {
    pollfd entry{fd, events, 0};
    const int ready = poll(&entry, 1, MillisecondsUntil(deadline));
    if (ready > 0) {
      return true;
    }
    if (ready == 0 || errno != EINTR) {
      return false;
    }
  }
}

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

// Of a path, or an abstract name behind '@'.
bool UnixAddress(std::string path, SocketAddress* address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(name.sun_path)) {
    return false;
  }
  const bool abstract = path[0] == '@';
  if (abstract) {
    path[0] = '\0';
  }
  std::memcpy(name.sun_path, path.data(), path.size());
  std::memcpy(&address->bytes, &name, sizeof(name));
  address->size = static_cast<socklen_t>(abstract ? offsetof(sockaddr_un, sun_path) + path.size()
                                                  : sizeof(name));
  return true;
}

bool InetAddress(const std::string& text, SocketAddress* address) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    return false;
  }
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), text.c_str() + colon + 1, &hints, &found) != 0) {
    return false;
  }
  std::memcpy(&address->bytes, found->ai_addr, found->ai_addrlen);
  address->size = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

}  // namespace

Client::Client(const std::string& address, int receive_buffer) {
  Connect(address, receive_buffer);
  if (!connected()) {
    socket_.Reset();
  }
}

Client::Client(const std::string& address, const TlsOptions& tls, int receive_buffer)
    : Client(address, receive_buffer) {
  if (!connected()) {
    return;
  }
  fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes by write(2)
  for (const std::string& part : tls.preface) {
    Send(part);
  }
  tls_.emplace(socket_.get(), tls);
  ShakeHands();
}

void Client::ShakeHands() {
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (true) {
    const TlsStream::Status status = tls_->Handshake();
    if (status == TlsStream::Status::kDone) {
      return;
    }
    if (!AwaitTls(status, deadline)) {
      fault_ = tls_->fault().empty() ? "the handshake breaks off" : tls_->fault();
      return;
    }
  }
}

// Waits for what TLS wants; false where it wants nothing or the deadline came first.
bool Client::AwaitTls(TlsStream::Status status, Clock::time_point deadline) {
  switch (status) {
    case TlsStream::Status::kWantsRead:
      return WaitFor(socket_.get(), POLLIN, deadline);
    case TlsStream::Status::kWantsWrite:
      return WaitFor(socket_.get(), POLLOUT, deadline);
    default:
      return false;
  }
}

void Client::Connect(const std::string& text, int receive_buffer) {
  SocketAddress address;
  const bool is_unix = text.rfind("unix:", 0) == 0;
  if (!(is_unix ? UnixAddress(text.substr(5), &address) : InetAddress(text, &address))) {
    fault_ = "not an address: " + text;
    return;
  }
  socket_.Reset(socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (receive_buffer > 0) {
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  }
  if (connect(socket_.get(), reinterpret_cast<sockaddr*>(&address.bytes), address.size) != 0) {
    fault_ = "connecting to " + text + ": " + std::strerror(errno);
    return;
  }
  const int on = 1;
  if (!is_unix) {
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
}

bool Client::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t sent = SendSome(bytes);
    bytes.remove_prefix(sent);
    if (sent == 0 && (cant_send_ || !WaitFor(socket_.get(), POLLOUT, Clock::now() + kPatience))) {
      return false;
    }
  }
  return true;
}

size_t Client::SendSome(std::string_view bytes) {
  if (tls_) {
    return SendSomeTls(bytes);
  }
  const ssize_t sent = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) {
    return static_cast<size_t>(sent);
  }
  if (errno != EAGAIN && errno != EINTR) {
    // The server has closed; what it sent before can still be read.
    cant_send_ = true;
    reset_ = reset_ || errno == ECONNRESET;
  }
  return 0;
}

size_t Client::SendSomeTls(std::string_view bytes) {
  size_t sent = 0;
  switch (tls_->Write(bytes, &sent)) {
    case TlsStream::Status::kDone:
      return sent;
    case TlsStream::Status::kWantsRead:
    case TlsStream::Status::kWantsWrite:
      return 0;
    case TlsStream::Status::kReset:
      reset_ = true;
      break;
    default:
      break;
  }
  cant_send_ = true;
  return 0;
}

bool Client::SendInPieces(std::string_view bytes, size_t size) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) {
    if (!Send(bytes.substr(0, size))) {
      return false;
    }
  }
  return true;
}

Client::Got Client::Receive(Clock::time_point deadline) {
  thread_local std::array<char, 65536> part;
  if (!socket_) {
    return Got::kEnd;
  }
  size_t got = 0;
  const Got result = tls_ ? ReceiveTls(part.data(), part.size(), &got, deadline)
                          : ReceivePlain(part.data(), part.size(), &got, deadline);
  input_.append(part.data(), got);
  return result;
}

Client::Got Client::ReceivePlain(char* bytes, size_t size, size_t* got,
                                 Clock::time_point deadline) {
  while (WaitFor(socket_.get(), POLLIN, deadline)) {
    const ssize_t count = recv(socket_.get(), bytes, size, MSG_DONTWAIT);
    if (count > 0) {
      *got = static_cast<size_t>(count);
      return Got::kBytes;
    }
    if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      reset_ = reset_ || count < 0;
      return Got::kEnd;
    }
  }
  return Got::kTimeout;
}

Client::Got Client::ReceiveTls(char* bytes, size_t size, size_t* got, Clock::time_point deadline) {
  while (true) {
    const TlsStream::Status status = tls_->Read(bytes, size, got);
    switch (status) {
      case TlsStream::Status::kDone:
        return Got::kBytes;
      case TlsStream::Status::kWantsRead:
      case TlsStream::Status::kWantsWrite:
        if (!AwaitTls(status, deadline)) {
          return Got::kTimeout;
        }
        break;
      case TlsStream::Status::kClosed:
        return AwaitFin(deadline);
      case TlsStream::Status::kReset:
        reset_ = true;
        return Got::kEnd;
      case TlsStream::Status::kCut:
      case TlsStream::Status::kFailed:
        fault_ = tls_->fault();
        cut_ = true;
        return Got::kEnd;
    }
  }
}

// Behind close_notify the connection itself must end, with nothing more.
Client::Got Client::AwaitFin(Clock::time_point deadline) {
  char byte = 0;
  size_t got = 0;
  const Got result = ReceivePlain(&byte, 1, &got, deadline);
  if (result != Got::kBytes) {
    return result;
  }
  fault_ = "bytes behind close_notify";
  cut_ = true;
  return Got::kEnd;
}

void Client::Compact() {
  if (read_ == input_.size() || read_ > 1024 * 1024) {
    input_.erase(0, read_);
    read_ = 0;
  }
}

Response Client::Read(bool to_head, std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  bool at_end = false;
  while (true) {
    ParsedResponse parsed = ParseResponse(std::string_view(input_).substr(read_), to_head, at_end);
    if (parsed.state == ParseState::kDone) {
      read_ += parsed.length;
      Compact();
      return std::move(parsed.response);
    }
    if (parsed.state == ParseState::kBroken) {
      parsed.response.fault += fault_.empty() ? "" : " (" + fault_ + ")";
      return std::move(parsed.response);
    }
    const Got got = Receive(deadline);
    if (got == Got::kTimeout) {
      parsed.response.status = 0;
      parsed.response.fault = "no whole response in time";
      return std::move(parsed.response);
    }
    at_end = got == Got::kEnd;
  }
}

Response Client::Get(std::string_view target, std::string_view fields) {
  return Exchange(GetRequest(target, fields));
}

Response Client::Exchange(std::string_view request) {
  Send(request);
  return Read(request.rfind("HEAD ", 0) == 0);
}

End Client::WaitEnd(std::chrono::milliseconds patience) {
  if (read_ < input_.size()) {
    return End::kBytes;
  }
  switch (Receive(Clock::now() + patience)) {
    case Got::kBytes:
      return End::kBytes;
    case Got::kTimeout:
      return End::kOpen;
    case Got::kEnd:
      break;
  }
  return reset_ ? End::kReset : cut_ ? End::kCut : End::kClosed;
}

bool Client::StaysQuiet(std::chrono::milliseconds time) { return WaitEnd(time) == End::kOpen; }

std::string Client::ReadSome() {
  if (read_ == input_.size()) {
    (void)Receive(Clock::now() + kPatience);
  }
  std::string some = input_.substr(read_);
  input_.clear();
  read_ = 0;
  return some;
}

std::string Client::ReadToEnd() {
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (Receive(deadline) == Got::kBytes) {
  }
  std::string all = input_.substr(read_);
  input_.clear();
  read_ = 0;
  return all;
}

bool Client::WaitWritable(std::chrono::milliseconds time) {
  return WaitFor(socket_.get(), POLLOUT, Clock::now() + time);
}

void Client::HalfClose() {
  if (tls_) {
    tls_->Close();
  }
  shutdown(socket_.get(), SHUT_WR);
}

void Client::Reset() {
  const linger now{1, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  Close();
}

void Client::Close() {
  tls_.reset();
  socket_.Reset();
}

std::string GetRequest(std::string_view target, std::string_view fields) {
  std::string request = "GET ";
  request.append(target).append(" HTTP/1.1\r\nHost: test\r\n").append(fields).append("\r\n");
  return request;
}

std::string PostRequest(std::string_view target, std::string_view body, std::string_view fields) {
  std::string request = "POST ";
  request.append(target).append(" HTTP/1.1\r\nHost: test\r\n").append(fields);
  request.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  request.append(body);
  return request;
}

}  // namespace quipd::test
