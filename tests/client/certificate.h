// SPDX-License-Identifier: MIT
// Certificates for the tests, made when they run: self-signed, P-256, so that no key is ever kept
// in the sources. Thread-safe.
#pragma once

#include <string>
#include <vector>

namespace quipd::test {

struct CertificateSetup {
  std::vector<std::string> names = {"localhost", "a.test", "*.b.test"};  // the first is its subject
  long valid_from_seconds = -3600;                                       // from now on
  long valid_for_seconds = 10L * 365 * 24 * 3600;                        // negative: expired
  std::string passphrase = {};                                           // encrypts the key
};

// Both as PEM.
struct Certificate {
  std::string certificate;
  std::string key;
};

// Empty where OpenSSL refuses, which fails the test that uses it.
[[nodiscard]] Certificate MakeCertificate(const CertificateSetup& setup = {});

}  // namespace quipd::test
