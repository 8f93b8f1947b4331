// SPDX-License-Identifier: MIT
#include "server/tls_context.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "server/tls_certificate.h"

namespace quipd::server {
namespace {

constexpr int kSecurityLevel = 2;  // keys of 112 bits: RSA of 2048; no SHA-1 signatures
constexpr std::string_view kHttp11 = "http/1.1";

// --- Callbacks of the handshake ---

// The client's list is of length-prefixed names (RFC 7301 3.1).
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned int size, void*) {
  std::string_view rest(reinterpret_cast<const char*>(offered), size);
  while (!rest.empty()) {
    const size_t length = std::min<size_t>(static_cast<unsigned char>(rest[0]), rest.size() - 1);
    if (rest.substr(1, length) == kHttp11) {
      *out = reinterpret_cast<const unsigned char*>(rest.data() + 1);
      *out_size = static_cast<unsigned char>(length);
      return SSL_TLSEXT_ERR_OK;
    }
    rest.remove_prefix(length + 1);
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

size_t SizeAt(const unsigned char* bytes) { return static_cast<size_t>(bytes[0] << 8 | bytes[1]); }

// The name that a client asks for: a list of one, of the kind host_name (RFC 6066 3).
std::string_view RequestedName(SSL* ssl) {
  constexpr size_t kHeader = 5;
  const unsigned char* bytes = nullptr;
  size_t size = 0;
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &bytes, &size) != 1) return {};
  if (size < kHeader || SizeAt(bytes) + 2 != size || bytes[2] != TLSEXT_NAMETYPE_host_name) {
    return {};
  }
  const size_t length = SizeAt(bytes + 3);
  if (length > size - kHeader) return {};
  return {reinterpret_cast<const char*>(bytes) + kHeader, length};
}

// Before a session is looked at, so that none is resumed under another certificate.
int ChooseCertificate(SSL* ssl, int*, void* self) {
  SSL_CTX* const chosen = static_cast<const TlsContext*>(self)->ContextFor(RequestedName(ssl));
  if (chosen != SSL_get_SSL_CTX(ssl)) SSL_set_SSL_CTX(ssl, chosen);
  return SSL_CLIENT_HELLO_SUCCESS;
}

bool InitMac(EVP_MAC_CTX* mac, TicketKey* key) {
  std::array<char, 7> digest{"SHA256"};
  const std::array<OSSL_PARAM, 3> parameters{
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key->mac.data(), key->mac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, parameters.data()) == 1;
}

int SealTicket(TicketKeys* keys, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
               EVP_MAC_CTX* mac) {
  std::optional<TicketKey> key = keys->Newest();
  if (!key || RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1) return -1;
  std::memcpy(name, key->name.data(), key->name.size());
  const bool ok =
      EVP_EncryptInit_ex2(cipher, EVP_aes_256_cbc(), key->cipher.data(), iv, nullptr) == 1 &&
      InitMac(mac, &*key);
  return ok ? 1 : -1;
}

// 0: no key of ours, a full handshake then; 1: opened; 2: opened, a new ticket is due. That it is
// in TLS 1.3 always: there, a ticket is for one use (RFC 8446 C.4).
int OpenTicket(TicketKeys* keys, bool one_use, const unsigned char* name, const unsigned char* iv,
               EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  TicketKey::Name wanted;
  std::copy_n(name, wanted.size(), wanted.begin());
  std::optional<TicketKeys::Found> found = keys->Find(wanted);
  if (!found) return 0;
  const bool ok =
      EVP_DecryptInit_ex2(cipher, EVP_aes_256_cbc(), found->key.cipher.data(), iv, nullptr) == 1 &&
      InitMac(mac, &found->key);
  if (!ok) return -1;
  return found->newest && !one_use ? 1 : 2;
}

int UseTicketKey(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                 EVP_MAC_CTX* mac, int sealing) {
  auto* keys = static_cast<TicketKeys*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0));
  return sealing == 1 ? SealTicket(keys, name, iv, cipher, mac)
                      : OpenTicket(keys, SSL_version(ssl) >= TLS1_3_VERSION, name, iv, cipher, mac);
}

// --- What a context is made of ---

// Sessions are resumed under the same certificate only, at whichever listener.
bool SetSessionScope(SSL_CTX* context, const X509* leaf) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  return X509_digest(leaf, EVP_sha256(), digest.data(), &size) == 1 &&
         SSL_CTX_set_session_id_context(context, digest.data(), size) == 1;
}

// Gives the context its certificate; what OpenSSL refuses is named in `what`.
bool Install(SSL_CTX* context, const CertifiedKey& pair, const config::TlsPair& files,
             std::string* what) {
  *what = "certificate " + files.certificate;
  if (SSL_CTX_use_certificate(context, pair.leaf.get()) != 1) return false;
  for (size_t i = 0; i < pair.chain.size(); ++i) {
    *what = "certificate " + std::to_string(i + 2) + " of " + files.certificate;
    if (SSL_CTX_add1_chain_cert(context, pair.chain[i].get()) != 1) return false;
  }
  *what = "key " + files.key;
  return SSL_CTX_use_PrivateKey(context, pair.key.get()) == 1 &&
         SSL_CTX_check_private_key(context) == 1 && SetSessionScope(context, pair.leaf.get());
}

Diagnostic Refused(const config::Config& config, const config::TlsPair& files,
                   const std::string& what) {
  const unsigned long error = ERR_peek_last_error();
  const char* const reason = ERR_reason_error_string(error);
  std::string hint;
  switch (ERR_GET_REASON(error)) {
    case SSL_R_EE_KEY_TOO_SMALL:
    case SSL_R_CA_KEY_TOO_SMALL:
    case SSL_R_CA_MD_TOO_WEAK:
      hint =
          "OpenSSL's security level 2 asks for RSA of 2048 bits or an elliptic curve, and SHA-256";
      break;
    default:
      break;
  }
  ERR_clear_error();
  const bool of_key = what.starts_with("key ");
  return config.Error(of_key ? files.key_place : files.certificate_place,
                      what + " is refused: " + (reason == nullptr ? "unknown reason" : reason),
                      std::move(hint));
}

}  // namespace

void FreeSsl(ssl_st* ssl) { SSL_free(ssl); }
void FreeSslContext(ssl_ctx_st* context) { SSL_CTX_free(context); }

SslContext TlsContext::NewContext() const {
  SslContext made(SSL_CTX_new(TLS_server_method()));
  if (made == nullptr) return made;
  SSL_CTX* const context = made.get();
  // The system's policy may ask for more.
  if (SSL_CTX_get_min_proto_version(context) < TLS1_2_VERSION) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  }
  SSL_CTX_set_security_level(context,
                             std::max(SSL_CTX_get_security_level(context), kSecurityLevel));
  // A request says how long it is: a client that leaves without close_notify cuts nothing off.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // A flood of records without data ends a read with what was received so far.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(context, std::chrono::seconds(TicketKeys::kLifetime).count());
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
  SSL_CTX_set_ex_data(context, 0, tickets_.get());
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, UseTicketKey);
  return made;
}

bool TlsContext::Add(const config::Config& config, const config::TlsPair& pair,
                     Diagnostics* diagnostics) {
  const std::optional<CertifiedKey> read = ReadCertifiedKey(config, pair, diagnostics);
  if (!read) return false;
  SslContext context = NewContext();
  std::string what = "a context of TLS";
  if (context == nullptr || !Install(context.get(), *read, pair, &what)) {
    diagnostics->push_back(Refused(config, pair, what));
    return false;
  }
  contexts_.push_back(std::move(context));
  if (!AddNames(read->names) && contexts_.size() > 1) {
    diagnostics->push_back(config.Warning(
        pair.certificate_place, "certificate " + pair.certificate +
                                    " is never chosen: every name in it is in an earlier one"));
  }
  return true;
}

// Of a name in several certificates the first has it; false where none was new.
bool TlsContext::AddNames(const std::vector<std::string>& names) {
  bool added = false;
  for (const std::string& name : names) {
    added = by_name_.try_emplace(name, contexts_.back().get()).second || added;
  }
  return added;
}

std::shared_ptr<const TlsContext> TlsContext::Load(const config::Config& config,
                                                   const config::Listener& listener,
                                                   std::shared_ptr<TicketKeys> tickets,
                                                   Diagnostics* diagnostics) {
  const std::shared_ptr<TlsContext> made(new TlsContext(std::move(tickets)));
  bool ok = true;
  for (const config::TlsPair& pair : listener.tls) {
    ok = made->Add(config, pair, diagnostics) && ok;
  }
  if (!ok) return nullptr;
  if (made->contexts_.size() > 1) {
    SSL_CTX_set_client_hello_cb(made->contexts_.front().get(), ChooseCertificate, made.get());
  }
  return made;
}

Ssl TlsContext::Accept(int socket) const {
  Ssl ssl(SSL_new(contexts_.front().get()));
  if (ssl == nullptr || SSL_set_fd(ssl.get(), socket) != 1) return nullptr;
  SSL_set_accept_state(ssl.get());
  return ssl;
}

ssl_ctx_st* TlsContext::ContextFor(std::string_view name) const {
  const std::string wanted = Lower(name);
  if (const auto found = by_name_.find(wanted); found != by_name_.end()) return found->second;
  const size_t dot = wanted.find('.');
  if (dot != std::string::npos && dot > 0) {
    const auto found = by_name_.find('*' + wanted.substr(dot));
    if (found != by_name_.end()) return found->second;
  }
  return contexts_.front().get();
}

TlsContexts LoadTls(const config::Config& config, const std::shared_ptr<TicketKeys>& tickets,
                    Diagnostics* diagnostics) {
  TlsContexts out;
  for (const config::Listener& listener : config.listeners) {
    out.push_back(listener.tls.empty() ? nullptr
                                       : TlsContext::Load(config, listener, tickets, diagnostics));
  }
  return out;
}

}  // namespace quipd::server
