// SPDX-License-Identifier: MIT
#include "client/certificate.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/handle.h"

namespace quipd::test {
namespace {

using Key = Handle<EVP_PKEY, EVP_PKEY_free>;
using Bio = Handle<BIO, BIO_free_all>;
using X509Handle = Handle<X509, X509_free>;
using Extension = Handle<X509_EXTENSION, X509_EXTENSION_free>;

std::string TextOf(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_ctrl(bio, BIO_CTRL_INFO, 0, &bytes);
  return {bytes, static_cast<size_t>(size)};
}

std::string KeyText(EVP_PKEY* key, const std::string& passphrase) {
  const Bio bio(BIO_new(BIO_s_mem()));
  const EVP_CIPHER* const cipher = passphrase.empty() ? nullptr : EVP_aes_256_cbc();
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key, cipher, passphrase.data(),
                                static_cast<int>(passphrase.size()), nullptr, nullptr);
  return TextOf(bio.get());
}

void AddExtension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  X509_add_ext(certificate, extension.get(), -1);
}

void SetNames(X509* certificate, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "DNS:" : ",DNS:") + name;
  }
  X509_NAME* const subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(names.front().c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate, subject);
  AddExtension(certificate, NID_subject_alt_name, list);
  AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE");
}

}  // namespace

Certificate MakeCertificate(const CertificateSetup& setup) {
  const Key key(EVP_EC_gen("P-256"));
  const X509Handle certificate(X509_new());
  if (!key || !certificate) {
    return {};
  }
  long serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), 4);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), setup.valid_from_seconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), setup.valid_for_seconds);
  X509_set_pubkey(certificate.get(), key.get());
  SetNames(certificate.get(), setup.names);
  if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) {
    return {};
  }
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate.get());
  return {TextOf(bio.get()), KeyText(key.get(), setup.passphrase)};
}

}  // namespace quipd::test
