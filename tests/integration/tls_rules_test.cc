// SPDX-License-Identifier: MIT
// Rules that tell plain connections from those over TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::HasSubstr;

constexpr const char* kRoutes =
    "workers: 2\n"
    "routes:\n"
    "  - GET / echo: plain\n"
    "  - ANY /reflect reflect: json\n"
    "  - listener: secure\n"
    "    routes:\n"
    "      - GET / echo: secure\n"
    "  - GET /scheme echo: \"{{scheme}}\"\n"
    "    template: on\n";

class TlsRules : public testing::Test {
 protected:
  TlsRules()
      : daemon_(DaemonSetup{.config = std::string(kPlainAndTls) + kRoutes,
                            .files = CertificateFiles()}) {}
  void SetUp() override { ASSERT_TRUE(daemon_.ready()); }

  Daemon daemon_;
};

TEST_F(TlsRules, KnowTheListener) {
  Client secure = daemon_.TlsEndpoint().Connect();
  EXPECT_EQ(secure.Get("/").body, "secure") << secure.fault();
  EXPECT_EQ(secure.Get("/scheme").body, "https");
  EXPECT_THAT(secure.Get("/reflect").body, HasSubstr("\"tls\":true"));
  Client plain = daemon_.Connect();
  EXPECT_EQ(plain.Get("/").body, "plain");
  EXPECT_EQ(plain.Get("/scheme").body, "http");
  EXPECT_THAT(plain.Get("/reflect").body, HasSubstr("\"tls\":false"));
}

// What is due for a port of HTTP where there is one of HTTPS: all goes there, but ACME.
TEST(TlsRedirect, KeepsPathAndQuery) {
  DaemonSetup setup{.config = std::string(kPlainAndTls) +
                              "routes:\n"
                              "  - GET /.well-known/acme-challenge/ dir: acme\n"
                              "  - ANY /{rest...} redirect: https://{{host}}/{{rest}}\n"
                              "    status: 308\n"
                              "  - listener: secure\n"
                              "    routes:\n"
                              "      - ANY /{rest...} status: 404\n"
                              "      - GET / echo: secure\n",
                    .files = CertificateFiles()};
  setup.files.emplace_back("acme/token", "token");
  const Daemon daemon(setup);
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  const Response moved = client.Exchange("GET /a/b?c=d HTTP/1.1\r\nHost: example.com:8080\r\n\r\n");
  EXPECT_EQ(moved.status, 308);
  EXPECT_EQ(moved.Value("Location"), "https://example.com/a/b?c=d");
  EXPECT_EQ(client.Get("/.well-known/acme-challenge/token").body, "token");
  EXPECT_EQ(daemon.TlsEndpoint().Connect().Get("/").body, "secure");
}

}  // namespace
}  // namespace quipd::test
