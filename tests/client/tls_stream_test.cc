// SPDX-License-Identifier: MIT
// The client over TLS against a server of OpenSSL's in this process: what it verifies, and how it
// tells the ends of a connection apart.
#include "client/tls_stream.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <fstream>
#include <thread>

#include "base/handle.h"
#include "client/certificate.h"
#include "client/client.h"

namespace quipd::test {
namespace {

using SslContext = Handle<SSL_CTX, SSL_CTX_free>;
using Ssl = Handle<SSL, SSL_free>;

enum class Farewell { kCloseNotify, kFinAlone, kReset };

// Answers one connection with "hello" and ends it in that way.
class OneShotServer {
 public:
  explicit OneShotServer(Farewell farewell, int max_version = 0)
      : listener_(socket(AF_INET, SOCK_STREAM, 0)), context_(SSL_CTX_new(TLS_server_method())) {
    const Certificate pair = MakeCertificate();
    static int number = 0;
    const std::string stem =
        testing::TempDir() + "quipd-" + std::to_string(getpid()) + "-" + std::to_string(++number);
    certificate_file_ = stem + "-certificate.pem";
    std::ofstream(certificate_file_) << pair.certificate;
    const std::string key_file = stem + "-key.pem";
    std::ofstream(key_file) << pair.key;
    SSL_CTX_use_certificate_file(context_.get(), certificate_file_.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context_.get(), key_file.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_set_max_proto_version(context_.get(), max_version);
    std::remove(key_file.c_str());
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name));
    listen(listener_.get(), 1);
    socklen_t size = sizeof(name);
    getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&name), &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
    thread_ = std::thread([this, farewell] { Serve(farewell); });
  }
  ~OneShotServer() {
    thread_.join();
    std::remove(certificate_file_.c_str());
  }

  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] TlsOptions Options() const { return {.trusted = certificate_file_}; }

 private:
  void Serve(Farewell farewell) {
    const FileDescriptor connection(accept(listener_.get(), nullptr, nullptr));
    const Ssl ssl(SSL_new(context_.get()));
    SSL_set_fd(ssl.get(), connection.get());
    if (SSL_accept(ssl.get()) != 1) {
      return;
    }
    std::string_view left = "hello";
    SSL_write(ssl.get(), left.data(), static_cast<int>(left.size()));
    char byte = 0;
    SSL_read(ssl.get(), &byte, 1);  // what was said has arrived
    if (farewell == Farewell::kCloseNotify) {
      SSL_shutdown(ssl.get());
    } else if (farewell == Farewell::kReset) {
      const linger now{1, 0};
      setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    }
  }

  FileDescriptor listener_;
  SslContext context_;
  std::string certificate_file_;
  std::string address_;
  std::thread thread_;
};

TEST(TlsStream, TellsTheEndsApart) {
  const struct {
    Farewell farewell;
    int version;
    End end;
  } rows[] = {
      {Farewell::kCloseNotify, 0, End::kClosed},
      {Farewell::kFinAlone, 0, End::kCut},
      {Farewell::kReset, 0, End::kReset},
      {Farewell::kCloseNotify, TLS1_2_VERSION, End::kClosed},
      {Farewell::kFinAlone, TLS1_2_VERSION, End::kCut},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(static_cast<int>(row.farewell));
    const OneShotServer server(row.farewell, row.version);
    Client client(server.address(), server.Options());
    ASSERT_TRUE(client.connected()) << client.fault();
    EXPECT_EQ(client.tls().version(), row.version == 0 ? "TLSv1.3" : "TLSv1.2");
    EXPECT_EQ(client.tls().subject(), "localhost");
    EXPECT_EQ(client.WaitEnd(), End::kBytes);
    EXPECT_TRUE(client.Send("x"));
    EXPECT_EQ(client.ReadToEnd(), "hello");
    EXPECT_EQ(client.WaitEnd(), row.end);
  }
}

TEST(TlsStream, VerifiesTheCertificate) {
  for (const char* name : {"a.test", "x.b.test", "b.test", "other.test"}) {
    SCOPED_TRACE(name);
    const OneShotServer server(Farewell::kCloseNotify);
    TlsOptions options = server.Options();
    options.name = name;
    Client client(server.address(), options);
    EXPECT_EQ(client.connected(),
              std::string_view(name) == "a.test" || std::string_view(name) == "x.b.test")
        << client.fault();
    client.Close();
  }
  const OneShotServer server(Farewell::kCloseNotify);
  const OneShotServer another(Farewell::kCloseNotify);
  Client(another.address(), another.Options()).Send("x");
  TlsOptions options = another.Options();
  options.name = "localhost";
  EXPECT_FALSE(Client(server.address(), options).connected());
}

}  // namespace
}  // namespace quipd::test
