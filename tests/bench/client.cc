// SPDX-License-Identifier: MIT
#include "client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace quipd::bench {
namespace {

constexpr int kPatienceMs = 3000;
constexpr size_t kMostAwaited = 256u << 10;

// Of recv().
Client::Got Received(ssize_t got) {
  if (got > 0) return {Client::State::kDone, static_cast<size_t>(got)};
  if (got == 0) return {Client::State::kEnd, 0};
  return {errno == EAGAIN ? Client::State::kAgain : Client::State::kBroken, 0};
}

bool AwaitRoom(int fd) {
  pollfd wait{fd, POLLOUT, 0};
  return poll(&wait, 1, kPatienceMs) > 0;
}

}  // namespace

TlsClients::TlsClients(const std::string& cipher, bool resume)
    : context_(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free), resume_(resume) {
  SSL_CTX* const context = context_.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context, cipher.c_str()) != 1 ||
      SSL_CTX_set1_groups_list(context, "X25519") != 1) {
    std::fprintf(stderr, "cannot set up TLS with %s\n", cipher.c_str());
    std::exit(2);
  }
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  if (resume) SSL_CTX_sess_set_new_cb(context, &Client::KeepSession);
}

int Client::KeepSession(SSL* ssl, SSL_SESSION* session) {
  static_cast<Client*>(SSL_get_app_data(ssl))->session_.reset(session);
  return 1;  // it is ours now
}

bool Client::Open(uint16_t port, const TlsClients* tls) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return false;
  ready_ = tls == nullptr;
  return tls == nullptr || StartTls(*tls);
}

bool Client::StartTls(const TlsClients& tls) {
  // OpenSSL knows nothing of MSG_DONTWAIT.
  if (fcntl(fd_, F_SETFL, O_NONBLOCK) != 0) return false;
  ssl_.reset(SSL_new(tls.context()));
  if (ssl_ == nullptr || SSL_set_fd(ssl_.get(), fd_) != 1) return false;
  SSL_set_app_data(ssl_.get(), this);
  std::string host = "localhost";
  SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data());
  SSL_set_quiet_shutdown(ssl_.get(), 1);
  if (tls.resumes() && session_ != nullptr) SSL_set_session(ssl_.get(), session_.get());
  session_.reset();  // a ticket is for one use
  SSL_set_connect_state(ssl_.get());
  return Handshake() != State::kBroken;
}

Client::State Client::Handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result != 1) {
    const State state = Failure(result);
    return state == State::kEnd ? State::kBroken : state;
  }
  ready_ = true;
  ++handshakes_;
  return State::kDone;
}

Client::State Client::Failure(int result) const {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return State::kAgain;
    case SSL_ERROR_ZERO_RETURN:
      return State::kEnd;
    default:
      return State::kBroken;
  }
}

bool Client::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (ssl_ != nullptr) {
      ERR_clear_error();
      const int sent = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (sent > 0) return true;
      if (Failure(sent) != State::kAgain) return false;
    } else {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
        continue;
      }
      if (errno != EAGAIN) return false;
    }
    if (!AwaitRoom(fd_)) return false;
  }
  return true;
}

Client::Got Client::Read(char* buffer, size_t size) {
  if (ssl_ == nullptr) return Received(recv(fd_, buffer, size, MSG_DONTWAIT));
  ERR_clear_error();
  const int got = SSL_read(ssl_.get(), buffer, static_cast<int>(size));
  if (got > 0) return {State::kDone, static_cast<size_t>(got)};
  return {Failure(got), 0};
}

Client::Got Client::Discard(char* buffer, size_t buffer_size, size_t size) {
  if (ssl_ != nullptr) return Read(buffer, std::min(buffer_size, size));
  // TCP throws so many bytes away and writes none of them to the buffer (tcp(7)).
  return Received(recv(fd_, nullptr, size, MSG_DONTWAIT | MSG_TRUNC));
}

void Client::AwaitAtLeast(size_t bytes) {
  const auto low = static_cast<int>(std::clamp<size_t>(bytes, 1, kMostAwaited));
  if (ssl_ != nullptr || static_cast<size_t>(low) == awaited_) return;
  setsockopt(fd_, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low);
  awaited_ = static_cast<size_t>(low);
}

void Client::Close() {
  // Quiet, so nothing is sent; but OpenSSL would spoil the session of a connection that just ends.
  if (ready_ && ssl_ != nullptr) SSL_shutdown(ssl_.get());
  ssl_.reset();
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  ready_ = false;
  awaited_ = 1;
}

std::string Client::protocol() const {
  if (ssl_ == nullptr) return {};
  return std::string(SSL_get_version(ssl_.get())) + ' ' + SSL_get_cipher_name(ssl_.get());
}

}  // namespace quipd::bench
