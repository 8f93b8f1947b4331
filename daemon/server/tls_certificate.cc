// SPDX-License-Identifier: MIT
#include "server/tls_certificate.h"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/file_descriptor.h"

namespace quipd::server {
namespace {

using Bio = Handle<BIO, BIO_free_all>;
using GeneralNames = Handle<GENERAL_NAMES, GENERAL_NAMES_free>;

constexpr size_t kMostBytes = 1u << 20;  // of a file

// Bytes of a file, which may be a key's: wiped when they die.
struct Secret {
  Secret() = default;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

  std::string bytes;
};

// Why it failed; empty where it did not.
std::string ReadFile(const std::string& path, Secret* out) {
  // A FIFO without a writer must not hold up a reload.
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "it is a directory";
  if (!S_ISREG(status.st_mode)) return "it is no regular file";
  if (static_cast<size_t>(status.st_size) > kMostBytes) return "it is larger than 1 MiB";
  out->bytes.resize(static_cast<size_t>(status.st_size));
  const ssize_t size = read(file.get(), out->bytes.data(), out->bytes.size());
  if (size < 0) return std::strerror(errno);
  out->bytes.resize(static_cast<size_t>(size));
  return {};
}

Bio BioOf(const Secret& secret) {
  return Bio(BIO_new_mem_buf(secret.bytes.data(), static_cast<int>(secret.bytes.size())));
}

// Notes that a passphrase was asked for, and gives none: nobody is there to type one.
int RefusePassphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

std::string ReasonOf(unsigned long error) {
  const char* const reason = ERR_reason_error_string(error);
  return reason == nullptr ? "OpenSSL can't read it" : reason;
}

std::string DateOf(const ASN1_TIME* time) {
  std::tm parts{};
  std::array<char, 64> text{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "a date that can't be read";
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

// Why this certificate is of no use today; empty where it is.
std::string FaultOfDates(const X509* certificate) {
  const ASN1_TIME* const begin = X509_get0_notBefore(certificate);
  const ASN1_TIME* const end = X509_get0_notAfter(certificate);
  if (X509_cmp_current_time(end) <= 0) return "expired on " + DateOf(end);
  if (X509_cmp_current_time(begin) >= 0) return "is not valid before " + DateOf(begin);
  return {};
}

// Reads one pair; each step reports its own fault.
class PairReader {
 public:
  PairReader(const config::Config& config, const config::TlsPair& pair, Diagnostics* diagnostics)
      : config_(config), pair_(pair), diagnostics_(*diagnostics) {}

  std::optional<CertifiedKey> Read() {
    ERR_clear_error();
    const bool has_certificate = ReadCertificates();
    const bool has_key = ReadKey();
    const bool ok = has_certificate && has_key && CheckThatTheyMatch();
    if (has_certificate) ReadNames();
    const bool in_time = !has_certificate || CheckDates();
    ERR_clear_error();
    if (!ok || !in_time) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool Certificate(std::string message, std::string hint = {}) {
    diagnostics_.push_back(
        config_.Error(pair_.certificate_place, std::move(message), std::move(hint)));
    return false;
  }
  bool Key(std::string message, std::string hint = {}) {
    diagnostics_.push_back(config_.Error(pair_.key_place, std::move(message), std::move(hint)));
    return false;
  }
  void Warn(std::string message, std::string hint = {}) {
    diagnostics_.push_back(
        config_.Warning(pair_.certificate_place, std::move(message), std::move(hint)));
  }
  [[nodiscard]] std::string Numbered(size_t number) const {
    return "certificate " + std::to_string(number) + " of " + pair_.certificate;
  }

  bool ReadCertificates();
  bool ReadKey();
  bool CheckThatTheyMatch();
  bool CheckDates();
  void ReadNames();
  void AddName(const GENERAL_NAME* name, bool* has_address);

  const config::Config& config_;
  const config::TlsPair& pair_;
  Diagnostics& diagnostics_;
  CertifiedKey out_;
};

bool PairReader::ReadCertificates() {
  const std::string reading = "reading certificate " + pair_.certificate + ": ";
  Secret text;
  if (std::string fault = ReadFile(pair_.certificate, &text); !fault.empty()) {
    return Certificate(reading + fault);
  }
  const Bio bio = BioOf(text);
  bool asked = false;
  while (X509* const one = PEM_read_bio_X509(bio.get(), nullptr, RefusePassphrase, &asked)) {
    server::Certificate read(one);
    if (out_.leaf == nullptr) {
      out_.leaf = std::move(read);
    } else {
      out_.chain.push_back(std::move(read));
    }
  }
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  const size_t count = out_.chain.size() + (out_.leaf == nullptr ? 0 : 1);
  const bool at_end = ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (at_end && count > 0) return true;
  if (at_end) {
    return Certificate(reading + "there is no PEM certificate in it",
                       "one begins with -----BEGIN CERTIFICATE-----");
  }
  return Certificate("reading " + Numbered(count + 1) + ": " + ReasonOf(error));
}

bool PairReader::ReadKey() {
  const std::string reading = "reading key " + pair_.key + ": ";
  Secret text;
  if (std::string fault = ReadFile(pair_.key, &text); !fault.empty()) return Key(reading + fault);
  const Bio bio = BioOf(text);
  bool asked = false;
  out_.key.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, RefusePassphrase, &asked));
  ERR_clear_error();
  if (out_.key != nullptr) return true;
  if (asked) {
    return Key(reading + "it is encrypted, and quipd asks for no passphrase",
               "decrypt it with `openssl pkey -in OLD -out NEW`");
  }
  return Key(reading + "there is no PEM private key in it",
             "one begins with -----BEGIN PRIVATE KEY-----");
}

bool PairReader::CheckThatTheyMatch() {
  if (X509_check_private_key(out_.leaf.get(), out_.key.get()) == 1) return true;
  std::string hint;
  for (size_t i = 0; i < out_.chain.size(); ++i) {
    if (X509_check_private_key(out_.chain[i].get(), out_.key.get()) != 1) continue;
    hint = "it belongs to " + Numbered(i + 2) + ": the server's own must come first";
  }
  ERR_clear_error();
  return Key("key " + pair_.key + " doesn't belong to certificate " + pair_.certificate,
             std::move(hint));
}

// Of the chain, clients may know a newer one: no reason to refuse it.
bool PairReader::CheckDates() {
  for (size_t i = 0; i < out_.chain.size(); ++i) {
    const std::string fault = FaultOfDates(out_.chain[i].get());
    if (!fault.empty()) Warn(Numbered(i + 2) + ' ' + fault);
  }
  const std::string fault = FaultOfDates(out_.leaf.get());
  return fault.empty() || Certificate("certificate " + pair_.certificate + ' ' + fault);
}

void PairReader::AddName(const GENERAL_NAME* name, bool* has_address) {
  int kind = 0;
  const void* const value = GENERAL_NAME_get0_value(name, &kind);
  *has_address = *has_address || kind == GEN_IPADD;
  if (kind != GEN_DNS) return;
  const auto* text = static_cast<const ASN1_STRING*>(value);
  const std::string_view bytes(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                               static_cast<size_t>(ASN1_STRING_length(text)));
  out_.names.push_back(Lower(bytes));
}

void PairReader::ReadNames() {
  const GeneralNames names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(out_.leaf.get(), NID_subject_alt_name, nullptr, nullptr)));
  bool has_address = false;
  if (names != nullptr) {
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
      AddName(sk_GENERAL_NAME_value(names.get(), i), &has_address);
    }
  }
  if (!out_.names.empty() || has_address) return;
  Warn("certificate " + pair_.certificate + " names no host (subjectAltName): clients refuse it");
}

}  // namespace

std::optional<CertifiedKey> ReadCertifiedKey(const config::Config& config,
                                             const config::TlsPair& pair,
                                             Diagnostics* diagnostics) {
  return PairReader(config, pair, diagnostics).Read();
}

}  // namespace quipd::server
