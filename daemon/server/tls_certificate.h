// SPDX-License-Identifier: MIT
// A certificate with its chain and its key, read from PEM files and checked as far as that can be
// done before a client comes. Hides OpenSSL's readers and their errors. Never asks for a
// passphrase. Pure but for the files; thread-safe.
#pragma once

#include <openssl/ssl.h>

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/handle.h"
#include "config/config.h"

namespace quipd::server {

using Certificate = Handle<X509, X509_free>;
using PrivateKey = Handle<EVP_PKEY, EVP_PKEY_free>;

struct CertifiedKey {
  Certificate leaf;
  std::vector<Certificate> chain;  // the rest of the file, in its order
  PrivateKey key;
  std::vector<std::string> names;  // the host names that it is for, lower case; "*.x" for wildcards
};

// None where there is an error; errors and warnings are appended, each at the place of the file's
// name in the configuration.
[[nodiscard]] std::optional<CertifiedKey> ReadCertifiedKey(const config::Config& config,
                                                           const config::TlsPair& pair,
                                                           Diagnostics* diagnostics);

}  // namespace quipd::server
