// SPDX-License-Identifier: MIT
#include "server/tls_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "server/tls_files.h"

namespace quipd::server {
namespace {

using test::Certificate;
using test::CertificateSetup;
using test::ListenerWith;
using test::MakeCertificate;
using test::TlsFiles;

struct Outcome {
  std::shared_ptr<const TlsContext> context;
  Diagnostics diagnostics;

  [[nodiscard]] std::string Text() const { return ToText(diagnostics); }
};

Outcome Load(std::vector<config::TlsPair> pairs) {
  Outcome outcome;
  outcome.context = TlsContext::Load(config::Config(), ListenerWith(std::move(pairs)),
                                     std::make_shared<TicketKeys>(), &outcome.diagnostics);
  return outcome;
}

std::string TextOf(const Handle<BIO, BIO_free_all>& bio) {
  char* bytes = nullptr;
  const long size = BIO_ctrl(bio.get(), BIO_CTRL_INFO, 0, &bytes);
  return {bytes, static_cast<size_t>(size)};
}

// Self-signed, RSA, without any name but its subject.
Certificate MakeRsa(unsigned bits) {
  const Handle<EVP_PKEY, EVP_PKEY_free> key(EVP_RSA_gen(bits));
  const Handle<X509, X509_free> made(X509_new());
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  X509_set_pubkey(made.get(), key.get());
  X509_sign(made.get(), key.get(), EVP_sha256());
  const Handle<BIO, BIO_free_all> of_certificate(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(of_certificate.get(), made.get());
  const Handle<BIO, BIO_free_all> of_key(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(of_key.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {TextOf(of_certificate), TextOf(of_key)};
}

TEST(TlsContext, TakesWhatIsRight) {
  const TlsFiles files;
  const Certificate good = MakeCertificate();
  const Certificate other = MakeCertificate();
  const struct {
    const char* name;
    Certificate pair;
  } rows[] = {
      {"a pair", good},
      {"a chain", {good.certificate + other.certificate, good.key}},
      {"both in each file", {good.key + good.certificate, good.certificate + good.key}},
      {"text around", {"Subject: a\n" + good.certificate + "end\n", "# a key\n" + good.key}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Outcome outcome = Load({files.Add("x", row.pair)});
    EXPECT_NE(outcome.context, nullptr);
    EXPECT_EQ(outcome.Text(), "");
  }
}

TEST(TlsContext, SaysWhatIsWrong) {
  const TlsFiles files;
  const Certificate good = MakeCertificate();
  const Certificate other = MakeCertificate();
  const std::string half = good.certificate.substr(0, good.certificate.size() / 2) +
                           good.certificate.substr(good.certificate.find("-----END"));
  const std::string gone = files.Path("gone");
  const struct {
    const char* name;
    config::TlsPair pair;
    const char* message;  // with @ for the path of the file that is at fault
    std::string path;
  } rows[] = {
      {"no certificate",
       {gone, files.Write("a.key", good.key), {}, {}},
       "reading certificate @: No such file or directory",
       gone},
      {"no key",
       {files.Write("a.pem", good.certificate), gone, {}, {}},
       "reading key @: No such file or directory",
       gone},
      {"a folder",
       {files.Path(""), files.Path("a.key"), {}, {}},
       "@: it is a directory",
       files.Path("")},
      {"no PEM", files.Add("b", {"hello\n", good.key}), "@: there is no PEM certificate in it",
       files.Path("b.pem")},
      {"an empty certificate", files.Add("c", {"", good.key}),
       "@: there is no PEM certificate in it", files.Path("c.pem")},
      {"a key in its place", files.Add("d", {good.key, good.key}),
       "@: there is no PEM certificate in it", files.Path("d.pem")},
      {"half a certificate", files.Add("e", {half, good.key}),
       "reading certificate 1 of @: ", files.Path("e.pem")},
      {"half a certificate behind a whole one", files.Add("f", {good.certificate + half, good.key}),
       "reading certificate 2 of @: ", files.Path("f.pem")},
      {"no PEM key", files.Add("g", {good.certificate, "hello\n"}),
       "@: there is no PEM private key in it", files.Path("g.key")},
      {"an empty key", files.Add("h", {good.certificate, ""}),
       "@: there is no PEM private key in it", files.Path("h.key")},
      {"a certificate for a key", files.Add("i", {good.certificate, good.certificate}),
       "@: there is no PEM private key in it", files.Path("i.key")},
      {"the key of another", files.Add("j", {good.certificate, other.key}),
       "doesn't belong to certificate @", files.Path("j.pem")},
      {"the chain first", files.Add("k", {other.certificate + good.certificate, good.key}),
       "it belongs to certificate 2 of @: the server's own must come first", files.Path("k.pem")},
      {"an encrypted key", files.Add("l", CertificateSetup{.passphrase = "secret"}),
       "reading key @: it is encrypted, and quipd asks for no passphrase", files.Path("l.key")},
      {"expired", files.Add("m", CertificateSetup{.valid_for_seconds = -60}),
       "certificate @ expired on 20", files.Path("m.pem")},
      {"not valid yet", files.Add("n", CertificateSetup{.valid_from_seconds = 3600}),
       "certificate @ is not valid before 20", files.Path("n.pem")},
      {"a weak key", files.Add("o", MakeRsa(1024)), "certificate @ is refused: ee key too small",
       files.Path("o.pem")},
      {"a weak chain", files.Add("p", {good.certificate + MakeRsa(1024).certificate, good.key}),
       "certificate 2 of @ is refused: ca key too small", files.Path("p.pem")},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Outcome outcome = Load({row.pair});
    EXPECT_EQ(outcome.context, nullptr);
    EXPECT_TRUE(HasErrors(outcome.diagnostics));
    std::string message = row.message;
    message.replace(message.find('@'), 1, row.path);
    EXPECT_THAT(outcome.Text(), testing::HasSubstr(message));
  }
}

TEST(TlsContext, SaysAllThatIsWrong) {
  const TlsFiles files;
  const Outcome outcome = Load({{files.Path("no.pem"), files.Path("no.key"), {}, {}},
                                files.Add("old", CertificateSetup{.valid_for_seconds = -60})});
  EXPECT_EQ(outcome.context, nullptr);
  EXPECT_EQ(outcome.diagnostics.size(), 3u) << outcome.Text();
}

TEST(TlsContext, FifoDoesNotHoldItUp) {
  const TlsFiles files;
  ASSERT_EQ(mkfifo(files.Path("fifo").c_str(), 0600), 0);
  const Outcome outcome = Load({{files.Path("fifo"), files.Path("fifo"), {}, {}}});
  EXPECT_EQ(outcome.context, nullptr);
  EXPECT_THAT(outcome.Text(), testing::HasSubstr("it is no regular file"));
}

TEST(TlsContext, WarnsOfWhatServesBadly) {
  const TlsFiles files;
  const config::TlsPair good = files.Add("good", CertificateSetup{.names = {"a.test"}});
  const Certificate fresh = MakeCertificate();
  const Certificate old = MakeCertificate({.valid_for_seconds = -60});
  const struct {
    const char* name;
    std::vector<config::TlsPair> pairs;
    const char* message;
  } rows[] = {
      {"no name", {files.Add("a", MakeRsa(2048))}, "names no host (subjectAltName)"},
      {"an old link of the chain",
       {files.Add("b", {fresh.certificate + old.certificate, fresh.key})},
       "certificate 2 of "},
      {"twice the same name",
       {good, files.Add("c", CertificateSetup{.names = {"A.test"}})},
       "is never chosen: every name in it is in an earlier one"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Outcome outcome = Load(row.pairs);
    EXPECT_NE(outcome.context, nullptr);
    ASSERT_EQ(outcome.diagnostics.size(), 1u) << outcome.Text();
    EXPECT_EQ(outcome.diagnostics[0].severity, Diagnostic::Severity::kWarning);
    EXPECT_THAT(outcome.Text(), testing::HasSubstr(row.message));
  }
}

TEST(TlsContext, ChoosesByName) {
  const TlsFiles files;
  const Outcome outcome = Load({files.Add("a", CertificateSetup{.names = {"first.test"}}),
                                files.Add("b", CertificateSetup{.names = {"*.b.test", "B.test"}}),
                                files.Add("c", CertificateSetup{.names = {"x.b.test"}})});
  ASSERT_NE(outcome.context, nullptr) << outcome.Text();
  const auto of = [&](const char* name) { return outcome.context->ContextFor(name); };
  SSL_CTX* const first = of("first.test");
  SSL_CTX* const second = of("b.test");
  SSL_CTX* const third = of("x.b.test");
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
  for (const char* name : {"", "other.test", "FIRST.test", "x.y.b.test", ".b.test", ".", "test"}) {
    EXPECT_EQ(of(name), first) << name;
  }
  for (const char* name : {"y.b.test", "Y.B.TEST", "B.test"}) EXPECT_EQ(of(name), second) << name;
  EXPECT_EQ(of("X.b.test"), third);
}

}  // namespace
}  // namespace quipd::server
