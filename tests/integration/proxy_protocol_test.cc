// SPDX-License-Identifier: MIT
// The PROXY protocol on listeners that want it, plain and over TLS (C65): whose address counts,
// that nothing but the header is taken, and what becomes of those who send none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

const std::string kListen =
    "listen:\n"
    "  - {address: 127.0.0.1:0, proxy_protocol: on}\n"
    "  - {address: 127.0.0.1:0, name: secure, proxy_protocol: on,"
    " tls: {certificate: certificate.pem, key: key.pem}}\n"
    "  - 127.0.0.1:0\n"
    "  - {address: unix:@DIR@/web.sock, proxy_protocol: on}\n"
    "workers: 1\n";
const std::string kRules =
    "routes:\n"
    "  - GET / echo: '{{client}} by {{scheme}}'\n"
    "    template: on\n"
    "  - GET /1 echo: one\n"
    "  - GET /2 echo: two\n"
    "  - ANY /reflect reflect: json\n";

const std::string kLine = "PROXY TCP4 192.0.2.7 198.51.100.1 1234 443\r\n";

// Version 2; `transport` as its fourteenth byte.
std::string Binary(char command, char transport, const std::string& behind) {
  std::string header("\r\n\r\n\0\r\nQUIT\n", 12);
  header += command;
  header += transport;
  header += static_cast<char>(behind.size() >> 8);
  header += static_cast<char>(behind.size() & 0xFF);
  return header + behind;
}

std::string Binary6() {
  std::string addresses("\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\x07", 16);
  addresses += addresses + std::string("\x04\xD2\x01\xBB", 4);
  return Binary('\x21', '\x21', addresses + std::string("\x03\0\x04tlvs", 7));
}

class ProxyProtocol : public testing::Test {
 protected:
  explicit ProxyProtocol(const std::string& more = "")
      : daemon_(DaemonSetup{.config = kListen + more + kRules, .files = CertificateFiles()}) {}

  void SetUp() override { ASSERT_TRUE(daemon_.ready()); }

  // A client that begins so, plain or over TLS.
  [[nodiscard]] Client Connect(bool tls, const std::vector<std::string>& header) const {
    if (tls) {
      TlsOptions options{.trusted = daemon_.folder().File("certificate.pem")};
      options.preface = header;
      return Client(daemon_.address(1), options);
    }
    Client client(daemon_.address(0));
    for (const std::string& part : header) client.Send(part);
    return client;
  }

  Daemon daemon_;
};

TEST_F(ProxyProtocol, NamesTheClient) {
  const struct {
    std::string header;
    const char* client;
  } rows[] = {
      {kLine, "192.0.2.7"},
      {"PROXY TCP6 2001:db8::7 2001:db8::1 1234 443\r\n", "2001:db8::7"},
      {Binary6(), "2001:db8::7"},
      {Binary('\x21', '\x31', std::string(216, 'p')), "unix"},
      {"PROXY UNKNOWN\r\n", "127.0.0.1"},
      {"PROXY UNKNOWN 1 2 3\r\n", "127.0.0.1"},
      {Binary('\x20', '\0', ""), "127.0.0.1"},
  };
  for (const bool tls : {false, true}) {
    for (const auto& row : rows) {
      SCOPED_TRACE(row.header.substr(0, 50) + (tls ? " over TLS" : ""));
      Client client = Connect(tls, {row.header});
      const std::string client_text = row.client;
      const Response first = client.Get("/");
      EXPECT_EQ(first.body, client_text + " by " + (tls ? "https" : "http")) << first.fault;
      EXPECT_THAT(client.Get("/reflect").body, HasSubstr("\"client\":\"" + client_text + "\""));
    }
  }
  Client client(daemon_.address(3));
  client.Send(kLine);
  EXPECT_EQ(client.Get("/").body, "192.0.2.7 by http");
}

TEST_F(ProxyProtocol, CutAtEveryByteWithRequestsBehind) {
  const std::string requests = GetRequest("/1") + GetRequest("/") + GetRequest("/2");
  for (const std::string& header : {kLine, Binary6()}) {
    const std::string client_text = header == kLine ? "192.0.2.7" : "2001:db8::7";
    for (size_t cut = 0; cut <= header.size(); ++cut) {
      SCOPED_TRACE(cut);
      Client client = Connect(false, {header.substr(0, cut)});
      client.Send(header.substr(cut) + requests);
      EXPECT_EQ(client.Read().body, "one");
      EXPECT_EQ(client.Read().body, client_text + " by http");
      ASSERT_EQ(client.Read().body, "two");
    }
  }
  for (size_t cut = 0; cut <= kLine.size(); cut += 7) {
    SCOPED_TRACE(cut);
    Client client = Connect(true, {kLine.substr(0, cut), kLine.substr(cut)});
    ASSERT_TRUE(client.connected()) << client.fault();
    client.Send(requests);
    EXPECT_EQ(client.Read().body, "one");
    EXPECT_EQ(client.Read().body, "192.0.2.7 by https");
    ASSERT_EQ(client.Read().body, "two");
  }
}

TEST_F(ProxyProtocol, ByteByByte) {
  Client client(daemon_.address(0));
  client.SendInPieces(Binary6() + GetRequest("/"), 1);
  EXPECT_EQ(client.Read().body, "2001:db8::7 by http");
}

// At once and without a byte.
TEST_F(ProxyProtocol, WithoutAHeaderIsClosed) {
  const std::string rows[] = {
      GetRequest("/"),
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
      "PROXY TCP4 192.0.2.7 198.51.100.1 1234 99999\r\n" + GetRequest("/"),
      "PROXY UNKNOWN " + std::string(100, 'x') + "\r\n" + GetRequest("/"),
      Binary('\x31', '\x11', std::string(12, 'x')),
      "\r\n" + GetRequest("/"),
  };
  for (const size_t address : {0, 1}) {
    for (const std::string& row : rows) {
      SCOPED_TRACE(row.substr(0, 50));
      Client client(daemon_.address(address));
      client.Send(row);
      EXPECT_EQ(client.ReadToEnd(), "");
      EXPECT_NE(client.WaitEnd(), End::kOpen);
    }
    Client half(daemon_.address(address));
    half.Send(kLine.substr(0, 20));
    half.HalfClose();
    EXPECT_EQ(half.ReadToEnd(), "");
  }
  EXPECT_EQ(Connect(false, {kLine}).Get("/1").body, "one");
}

// A listener that wants no header takes it for a malformed request.
TEST_F(ProxyProtocol, IsOfItsListenerAlone) {
  Client client(daemon_.address(2));
  client.Send(kLine + GetRequest("/"));
  EXPECT_EQ(client.Read().status, 400);
  EXPECT_EQ(Client(daemon_.address(2)).Get("/").body, "127.0.0.1 by http");
}

TEST_F(ProxyProtocol, ReloadSwitchesIt) {
  Client old = Connect(false, {kLine});
  EXPECT_EQ(old.Get("/1").body, "one");
  std::string plain = kListen;
  plain.replace(plain.find("on}"), 3, "off}");
  daemon_.Configure(plain + kRules);
  EXPECT_EQ(daemon_.Reload().reload, "ok");
  EXPECT_EQ(Client(daemon_.address(0)).Get("/").body, "127.0.0.1 by http");
  EXPECT_EQ(old.Get("/").body, "192.0.2.7 by http");
  daemon_.Configure(kListen + kRules);
  EXPECT_EQ(daemon_.Reload().reload, "ok");
  EXPECT_EQ(Client(daemon_.address(0)).Get("/").status, 0);
  EXPECT_EQ(Connect(false, {kLine}).Get("/").body, "192.0.2.7 by http");
}

class LateProxyProtocol : public ProxyProtocol {
 protected:
  LateProxyProtocol() : ProxyProtocol("timeouts: {head: 700ms, idle: 60s}\n") {}
};

// Whatever trickles in: the time runs from the accept, nothing spins, and nobody else waits.
TEST_F(LateProxyProtocol, IsClosed) {
  const Clock::time_point begin = Clock::now();
  for (const size_t address : {0, 1}) {
    Client silent(daemon_.address(address));
    Client half(daemon_.address(address));
    half.Send(kLine.substr(0, 10));
    Client trickling(daemon_.address(address));
    Client canary = Connect(false, {kLine});
    const std::string long_header = Binary('\x21', '\x11', std::string(60'000, 'x'));
    trickling.Send(long_header.substr(0, 100));
    for (int i = 0; i < 1000 && trickling.StaysQuiet(milliseconds(50)); ++i) {
      trickling.Send("x");
      EXPECT_EQ(canary.Get("/1").body, "one");
    }
    for (Client* client : {&silent, &half, &trickling}) {
      EXPECT_EQ(client->ReadToEnd(), "");
      EXPECT_NE(client->WaitEnd(), End::kOpen);
    }
    EXPECT_EQ(canary.Get("/1").body, "one");
  }
  EXPECT_GE(Clock::now() - begin, milliseconds(1200));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(ProxyProtocol, WaitingCostsNothing) {
  Client half = Connect(false, {Binary6().substr(0, 40)});
  EXPECT_EQ(Connect(false, {kLine}).Get("/1").body, "one");
  const milliseconds before = daemon_.CpuTime();
  EXPECT_TRUE(half.StaysQuiet(milliseconds(1000)));
  EXPECT_LT(daemon_.CpuTime() - before, milliseconds(300));
  half.Send(Binary6().substr(40));
  EXPECT_EQ(half.Get("/1").body, "one");
}

}  // namespace
}  // namespace quipd::test
