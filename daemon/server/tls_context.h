// SPDX-License-Identifier: MIT
// What the connections of a TLS listener have in common: its certificates, told apart by the name
// that the client asks for (SNI), the protocol that is agreed on (ALPN), and tickets to resume
// sessions. Immutable and thread-safe; outlives its connections, which each hold a share of it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/handle.h"
#include "config/config.h"
#include "server/tls_tickets.h"

struct ssl_ctx_st;
struct ssl_st;

namespace quipd::server {

struct CertifiedKey;

void FreeSsl(ssl_st* ssl);
using Ssl = Handle<ssl_st, FreeSsl>;
void FreeSslContext(ssl_ctx_st* context);
using SslContext = Handle<ssl_ctx_st, FreeSslContext>;

class TlsContext {
 public:
  // Reads the certificates of a listener; null where there is an error. Errors and warnings are
  // appended, each at its place in the configuration.
  [[nodiscard]] static std::shared_ptr<const TlsContext> Load(const config::Config& config,
                                                              const config::Listener& listener,
                                                              std::shared_ptr<TicketKeys> tickets,
                                                              Diagnostics* diagnostics);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // The server's end of a connection on the socket; null where there is no memory.
  [[nodiscard]] Ssl Accept(int socket) const;

  // The context for the name that a client asks for: of the certificate for it, else the first.
  [[nodiscard]] ssl_ctx_st* ContextFor(std::string_view name) const;

 private:
  explicit TlsContext(std::shared_ptr<TicketKeys> tickets) : tickets_(std::move(tickets)) {}

  bool Add(const config::Config& config, const config::TlsPair& pair, Diagnostics* diagnostics);
  bool AddNames(const std::vector<std::string>& names);
  SslContext NewContext() const;

  const std::shared_ptr<TicketKeys> tickets_;
  std::vector<SslContext> contexts_;  // one a pair; the first is the default
  std::map<std::string, ssl_ctx_st*, std::less<>> by_name_;
};

// One for each of the configuration's listeners; null for a plain one.
using TlsContexts = std::vector<std::shared_ptr<const TlsContext>>;

// Of all listeners; complete where `diagnostics` got no error.
[[nodiscard]] TlsContexts LoadTls(const config::Config& config,
                                  const std::shared_ptr<TicketKeys>& tickets,
                                  Diagnostics* diagnostics);

}  // namespace quipd::server
