// SPDX-License-Identifier: MIT
#include "client/tls_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/handle.h"

namespace quipd::test {
namespace {

using Store = Handle<X509_STORE, X509_STORE_free>;
using Ssl = Handle<SSL, SSL_free>;

std::string LastError(const std::string& operation) {
  std::array<char, 256> text{};
  const unsigned long error = ERR_peek_last_error();
  ERR_error_string_n(error, text.data(), text.size());
  return operation + ": " + (error == 0 ? std::strerror(errno) : text.data());
}

// For a name or an address.
bool ExpectName(SSL* ssl, const std::string& name) {
  X509_VERIFY_PARAM* const parameters = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) == 1) {
    return true;
  }
  // The macro for it casts in C's way.
  const long named = SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                              const_cast<char*>(name.c_str()));
  return named == 1 && SSL_set1_host(ssl, name.c_str()) == 1;
}

bool OfferProtocol(SSL* ssl, const std::string& protocol) {
  const std::string list = static_cast<char>(protocol.size()) + protocol;
  return SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(list.data()),
                             static_cast<unsigned>(list.size())) == 0;
}

}  // namespace

struct TlsStream::Impl {
  Ssl ssl;
};

namespace {

// One for all: to make one takes as long as a handshake. What is trusted belongs to the connection.
SSL_CTX* ClientContext() {
  static SSL_CTX* const context = [] {
    SSL_CTX* const made = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_mode(made, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return made;
  }();
  return context;
}

bool TrustOnly(SSL* ssl, const std::string& file) {
  const Store store(X509_STORE_new());
  return X509_STORE_load_file(store.get(), file.c_str()) == 1 &&
         SSL_set1_verify_cert_store(ssl, store.get()) == 1;
}

}  // namespace

TlsStream::TlsStream(int fd, const TlsOptions& options) : impl_(std::make_unique<Impl>()) {
  impl_->ssl.reset(SSL_new(ClientContext()));
  SSL* const ssl = impl_->ssl.get();
  if (!TrustOnly(ssl, options.trusted)) {
    fault_ = LastError("reading " + options.trusted);
  }
  if (options.only_tls12) {
    SSL_set_max_proto_version(ssl, TLS1_2_VERSION);
  }
  if (!options.name.empty() && !ExpectName(ssl, options.name)) {
    fault_ = LastError("expecting " + options.name);
  }
  if (!options.alpn.empty() && !OfferProtocol(ssl, options.alpn)) {
    fault_ = LastError("offering " + options.alpn);
  }
  if (options.session != nullptr) {
    SSL_set_session(ssl, options.session.get());
  }
  SSL_set_fd(ssl, fd);
  SSL_set_connect_state(ssl);
}

// A session whose connection was dropped without a word would not be good any more.
TlsStream::~TlsStream() {
  if (impl_ != nullptr) {
    SSL_set_shutdown(impl_->ssl.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }
}
TlsStream::TlsStream(TlsStream&&) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&&) noexcept = default;

TlsStream::Status TlsStream::StatusOf(int result) {
  const int error = errno;
  switch (SSL_get_error(impl_->ssl.get(), result)) {
    case SSL_ERROR_NONE:
      return Status::kDone;
    case SSL_ERROR_WANT_READ:
      return Status::kWantsRead;
    case SSL_ERROR_WANT_WRITE:
      return Status::kWantsWrite;
    case SSL_ERROR_ZERO_RETURN:
      return Status::kClosed;
    case SSL_ERROR_SYSCALL:
      return error == ECONNRESET || error == EPIPE ? Status::kReset : Status::kCut;
    default:
      break;
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return Status::kCut;
  }
  fault_ = LastError("TLS");
  return Status::kFailed;
}

TlsStream::Status TlsStream::Handshake() {
  if (!fault_.empty()) {
    return Status::kFailed;
  }
  ERR_clear_error();
  const Status status = StatusOf(SSL_do_handshake(impl_->ssl.get()));
  const long verified = SSL_get_verify_result(impl_->ssl.get());
  if (status == Status::kFailed && verified != X509_V_OK) {
    fault_ = std::string("the certificate: ") + X509_verify_cert_error_string(verified);
  }
  return status;
}

TlsStream::Status TlsStream::Read(char* bytes, size_t size, size_t* got) {
  ERR_clear_error();
  errno = 0;
  return StatusOf(SSL_read_ex(impl_->ssl.get(), bytes, size, got));
}

TlsStream::Status TlsStream::Write(std::string_view bytes, size_t* sent) {
  ERR_clear_error();
  errno = 0;
  return StatusOf(SSL_write_ex(impl_->ssl.get(), bytes.data(), bytes.size(), sent));
}

void TlsStream::Close() {
  ERR_clear_error();
  SSL_shutdown(impl_->ssl.get());
}

std::string TlsStream::version() const { return SSL_get_version(impl_->ssl.get()); }

std::string TlsStream::alpn() const {
  const unsigned char* bytes = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(impl_->ssl.get(), &bytes, &size);
  return size == 0 ? "" : std::string(reinterpret_cast<const char*>(bytes), size);
}

bool TlsStream::resumed() const { return SSL_session_reused(impl_->ssl.get()) == 1; }

std::string TlsStream::subject() const {
  const X509* const certificate = SSL_get0_peer_certificate(impl_->ssl.get());
  std::array<char, 256> name{};
  if (certificate != nullptr) {
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                              static_cast<int>(name.size()));
  }
  return name.data();
}

TlsSession TlsStream::session() const {
  SSL_SESSION* const session = SSL_get1_session(impl_->ssl.get());
  if (session != nullptr && SSL_SESSION_is_resumable(session) == 0) {
    SSL_SESSION_free(session);
    return nullptr;
  }
  return {session, SSL_SESSION_free};
}

}  // namespace quipd::test
