// SPDX-License-Identifier: MIT
// TLS on the real binary: what is agreed on, how it ends, what a reload does to it, and that HTTP
// above it is the same.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "client/certificate.h"
#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr size_t kInMemory = 300'000;
constexpr size_t kBig = 8u * 1024 * 1024;

std::string Pattern(size_t size) {
  std::string out;
  out.reserve(size + 4);
  for (uint32_t state = 1; out.size() < size; state = state * 1664525 + 1013904223) {
    out.push_back(static_cast<char>('a' + (state >> 24) % 26));
  }
  return out;
}

// A daemon with two certificates: "one" for localhost and two names more, "two" for others.
class TlsDaemon {
 public:
  explicit TlsDaemon(const std::string& more = "", const std::string& listener = kListener)
      : big_(Pattern(kBig)),
        daemon_(DaemonSetup{.config = Config(listener, more),
                            .files = {{"one.pem", one_.certificate},
                                      {"one.key", one_.key},
                                      {"two.pem", two_.certificate},
                                      {"two.key", two_.key},
                                      {"both.pem", one_.certificate + two_.certificate},
                                      {"big.txt", big_},
                                      {"memory.txt", big_.substr(0, kInMemory)},
                                      {"small.txt", "small"}}}) {}

  static constexpr const char* kListener =
      "listen:\n"
      "  - address: 127.0.0.1:0\n"
      "    tls:\n"
      "      - {certificate: @DIR@/one.pem, key: @DIR@/one.key}\n"
      "      - {certificate: @DIR@/two.pem, key: @DIR@/two.key}\n";

  static std::string Config(const std::string& listener, const std::string& more) {
    const bool has_workers = listener.find("workers:") != std::string::npos;
    return listener + (has_workers ? "" : "workers: 1\n") +
           "limits: {inline_file: 512KiB, body: 16MiB}\n" + more +
           "routes:\n"
           "  - GET / echo: hello\n"
           "  - GET /scheme echo: '{{scheme}}'\n"
           "    template: on\n"
           "  - POST /post echo: posted\n"
           "  - ANY /reflect reflect: json\n"
           "  - GET /big file: big.txt\n"
           "  - GET /memory file: memory.txt\n"
           "  - GET /small file: small.txt\n";
  }

  [[nodiscard]] Daemon& daemon() { return daemon_; }
  [[nodiscard]] const std::string& big() const { return big_; }

  [[nodiscard]] TlsOptions Options() const {
    return {.trusted = daemon_.folder().File("both.pem")};
  }
  [[nodiscard]] Client Connect(const TlsOptions& options, int receive_buffer = 0) const {
    return Client(daemon_.address(), options, receive_buffer);
  }
  [[nodiscard]] Client Connect(int receive_buffer = 0) const {
    return Connect(Options(), receive_buffer);
  }

 private:
  const Certificate one_ = MakeCertificate({.names = {"localhost", "one.test"}});
  const Certificate two_ = MakeCertificate({.names = {"two.test", "*.two.test"}});
  const std::string big_;
  Daemon daemon_;
};

TEST(Tls, AgreesOnVersionAndProtocol) {
  const TlsDaemon tls;
  for (const bool old : {false, true}) {
    for (const char* alpn : {"http/1.1", ""}) {
      TlsOptions options = tls.Options();
      options.only_tls12 = old;
      options.alpn = alpn;
      Client client = tls.Connect(options);
      ASSERT_TRUE(client.connected()) << client.fault();
      EXPECT_EQ(client.tls().version(), old ? "TLSv1.2" : "TLSv1.3");
      EXPECT_EQ(client.tls().alpn(), alpn);
      EXPECT_EQ(client.Get("/").body, "hello");
      EXPECT_EQ(client.Get("/scheme").body, "https");
      EXPECT_THAT(client.Get("/reflect").body, HasSubstr("\"tls\":true"));
    }
  }
  TlsOptions options = tls.Options();
  options.alpn = "h2";
  const Client refused = tls.Connect(options);
  EXPECT_THAT(refused.fault(), HasSubstr("no application protocol"));
}

TEST(Tls, ChoosesTheCertificateByName) {
  const TlsDaemon tls;
  for (const auto& [name, subject] :
       std::vector<std::pair<std::string, std::string>>{{"localhost", "localhost"},
                                                        {"one.test", "localhost"},
                                                        {"two.test", "two.test"},
                                                        {"TWO.test", "two.test"},
                                                        {"x.two.test", "two.test"},
                                                        {"", "localhost"}}) {
    SCOPED_TRACE(name);
    TlsOptions options = tls.Options();
    options.name = name;
    Client client = tls.Connect(options);
    ASSERT_TRUE(client.connected()) << client.fault();
    EXPECT_EQ(client.tls().subject(), subject);
    EXPECT_EQ(client.Get("/").body, "hello");
  }
  // A name that none is for gets the first, which the client then refuses.
  TlsOptions options = tls.Options();
  options.name = "x.y.two.test";
  EXPECT_THAT(tls.Connect(options).fault(), HasSubstr("certificate"));
}

TEST(Tls, ResumesSessions) {
  TlsDaemon tls;
  for (const bool old : {false, true}) {
    SCOPED_TRACE(old);
    TlsOptions options = tls.Options();
    options.only_tls12 = old;
    Client first = tls.Connect(options);
    EXPECT_EQ(first.Get("/").body, "hello");
    EXPECT_FALSE(first.tls().resumed());
    options.session = first.tls().session();
    ASSERT_NE(options.session, nullptr);
    Client second = tls.Connect(options);
    EXPECT_EQ(second.Get("/").body, "hello");
    EXPECT_TRUE(second.tls().resumed());
    // A reload keeps the keys of tickets.
    ASSERT_EQ(tls.daemon().Reload().reload, "ok");
    Client third = tls.Connect(options);
    EXPECT_EQ(third.Get("/").body, "hello");
    EXPECT_TRUE(third.tls().resumed());
    // A session is of one certificate.
    options.name = "two.test";
    Client other = tls.Connect(options);
    EXPECT_EQ(other.Get("/").body, "hello");
    EXPECT_FALSE(other.tls().resumed());
    EXPECT_EQ(other.tls().subject(), "two.test");
  }
}

TEST(Tls, SessionIsResumedAtAnyWorker) {
  TlsDaemon tls("", std::string(TlsDaemon::kListener) + "workers: 4\n");
  Daemon& daemon = tls.daemon();
  Client first = tls.Connect();
  EXPECT_EQ(first.Get("/").status, 200);
  TlsOptions options = tls.Options();
  options.session = first.tls().session();
  for (int i = 0; i < 16; ++i) {
    Client client(daemon.address(), options);
    EXPECT_EQ(client.Get("/").status, 200);
    EXPECT_TRUE(client.tls().resumed());
  }
}

TEST(Tls, EveryEndIsTold) {
  TlsDaemon tls("timeouts: {idle: 500ms}\n");
  Client asked = tls.Connect();
  EXPECT_EQ(asked.Get("/", "Connection: close\r\n").body, "hello");
  EXPECT_EQ(asked.WaitEnd(), End::kClosed);
  Client faulty = tls.Connect();
  EXPECT_EQ(faulty.Exchange("GET / HTTP/1.1\r\nHost: a b\r\n\r\n").status, 400);
  EXPECT_EQ(faulty.WaitEnd(), End::kClosed);
  Client idle = tls.Connect();
  EXPECT_EQ(idle.Get("/").body, "hello");
  EXPECT_EQ(idle.WaitEnd(), End::kClosed);
  Client silent = tls.Connect();
  EXPECT_EQ(silent.WaitEnd(), End::kClosed);
  Client old = tls.Connect();
  EXPECT_EQ(old.Exchange("GET / HTTP/1.0\r\n\r\n").body, "hello");
  EXPECT_EQ(old.WaitEnd(), End::kClosed);
}

TEST(Tls, DrainTellsTheEnd) {
  TlsDaemon tls;
  Client idle = tls.Connect();
  EXPECT_EQ(idle.Get("/").body, "hello");
  Client busy = tls.Connect();
  ASSERT_TRUE(busy.Send("POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n12"));
  Client unheard(tls.daemon().address());  // never says a word
  tls.daemon().Signal(SIGTERM);
  EXPECT_EQ(idle.WaitEnd(), End::kClosed);
  ASSERT_TRUE(busy.Send("34"));
  EXPECT_EQ(busy.Read().body, "posted");
  EXPECT_EQ(busy.WaitEnd(), End::kClosed);
  EXPECT_EQ(unheard.WaitEnd(), End::kClosed);
  EXPECT_EQ(tls.daemon().Wait(), 0);
}

TEST(Tls, ClientThatHasSaidAllIsAnswered) {
  const TlsDaemon tls;
  Client client = tls.Connect();
  ASSERT_TRUE(client.Send(GetRequest("/") + GetRequest("/big")));
  client.HalfClose();
  EXPECT_EQ(client.Read().body, "hello");
  EXPECT_EQ(client.Read().body, tls.big());
  EXPECT_EQ(client.WaitEnd(), End::kClosed);
}

// --- Handshakes that fail ---

TEST(Tls, StalledHandshakeIsClosedInTime) {
  TlsDaemon tls("timeouts: {head: 500ms}\n");
  Client other = tls.Connect();
  for (const std::string& begin :
       {std::string(), std::string("\x16"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)}) {
    SCOPED_TRACE(begin.size());
    const auto started = std::chrono::steady_clock::now();
    Client client(tls.daemon().address());
    EXPECT_TRUE(client.Send(begin));
    EXPECT_EQ(client.WaitEnd(), End::kClosed);
    const auto took = std::chrono::steady_clock::now() - started;
    EXPECT_GE(took, milliseconds(450));
    EXPECT_LT(took, milliseconds(15'000));
  }
  EXPECT_EQ(other.Get("/").body, "hello");
}

// Bytes that trickle in don't move the deadline.
TEST(Tls, TricklingHandshakeIsClosedInTime) {
  TlsDaemon tls("timeouts: {head: 700ms}\n");
  Client client(tls.daemon().address());
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(client.Send(std::string("\x16\x03\x01\x02\x00", 5)));
  while (client.StaysQuiet(milliseconds(50))) {
    if (!client.Send("x")) break;
    ASSERT_LT(std::chrono::steady_clock::now() - started, milliseconds(15'000));
  }
  EXPECT_GE(std::chrono::steady_clock::now() - started, milliseconds(600));
}

// Nor do bytes of a record that is never whole keep a connection from being idle.
TEST(Tls, TricklingRecordIsClosedInTime) {
  TlsDaemon tls("timeouts: {idle: 700ms}\n");
  Client client = tls.Connect();
  EXPECT_EQ(client.Get("/").body, "hello");
  const auto started = std::chrono::steady_clock::now();
  std::string_view part("\x17\x03\x03\x40\x00", 5);
  while (client.StaysQuiet(milliseconds(50))) {
    if (send(client.fd(), part.data(), part.size(), MSG_NOSIGNAL) < 0) break;
    part = "x";
    ASSERT_LT(std::chrono::steady_clock::now() - started, milliseconds(15'000));
  }
  EXPECT_GE(std::chrono::steady_clock::now() - started, milliseconds(600));
}

TEST(Tls, GarbageEndsTheConnection) {
  TlsDaemon tls("timeouts: {head: 1s}\n");
  for (const std::string& bytes :
       {std::string(1000, '\0'), std::string(1000, '\xff'),
        std::string("\x16\x03\x01\x00\x05hello", 10),
        std::string("\x80\x2e\x01\x00\x02\x00\x15\x00\x00", 9), Pattern(100'000)}) {
    Client client(tls.daemon().address());
    client.Send(bytes);
    const std::string answer = client.ReadToEnd();
    EXPECT_LT(answer.size(), 8u);  // an alert at most
  }
  EXPECT_EQ(tls.Connect().Get("/").body, "hello");
}

TEST(Tls, PlainHttpIsToldSo) {
  TlsDaemon tls;
  Client client(tls.daemon().address());
  const Response response = client.Get("/");
  EXPECT_EQ(response.status, 400) << response.fault;
  EXPECT_EQ(response.Value("Connection"), "close");
  EXPECT_EQ(client.WaitEnd(), End::kClosed);
}

TEST(Tls, ClientThatLeavesInTheHandshakeIsForgotten) {
  TlsDaemon tls;
  for (int i = 0; i < 20; ++i) {
    Client client(tls.daemon().address());
    ASSERT_TRUE(client.Send(std::string("\x16\x03\x01\x02\x00", 5)));
    if (i % 2 == 0) {
      client.Reset();
    } else {
      client.HalfClose();
      EXPECT_EQ(client.WaitEnd(), End::kClosed);
    }
  }
  EXPECT_TRUE(Eventually([&] { return tls.daemon().Connections() == 0; }));
}

// --- HTTP above ---

TEST(Tls, SlowReadersGetEveryByte) {
  const TlsDaemon tls;
  for (const bool old : {false, true}) {
    TlsOptions options = tls.Options();
    options.only_tls12 = old;
    Client client = tls.Connect(options, 8192);
    ASSERT_TRUE(client.Send(GetRequest("/big") + GetRequest("/small") +
                            GetRequest("/big", "Range: bytes=1000000-5000000\r\n") +
                            GetRequest("/big", "Connection: close\r\n")));
    EXPECT_EQ(client.Read().body, tls.big());
    EXPECT_EQ(client.Read().body, "small");
    EXPECT_EQ(client.Read().body, tls.big().substr(1'000'000, 4'000'001));
    EXPECT_EQ(client.Read().body, tls.big());
    EXPECT_EQ(client.WaitEnd(), End::kClosed);
  }
}

// Pipelined behind one another, so that small heads stand before large bodies.
TEST(Tls, BodiesInMemoryLeaveWhole) {
  const TlsDaemon tls;
  Client client = tls.Connect(8192);
  std::string all;
  const size_t count = 100;
  for (size_t i = 0; i < count; ++i) all += GetRequest("/memory") + GetRequest("/");
  ASSERT_TRUE(client.Send(all));
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(client.Read().body, tls.big().substr(0, kInMemory)) << i;
    ASSERT_EQ(client.Read().body, "hello") << i;
  }
}

TEST(Tls, PipelinedRequestsInAnyPieces) {
  const TlsDaemon tls;
  const std::string requests = GetRequest("/") + PostRequest("/post", "12345") +
                               GetRequest("/scheme") + GetRequest("/reflect") + GetRequest("/");
  for (const size_t piece : {1u, 7u, 100'000u}) {
    SCOPED_TRACE(piece);
    Client client = tls.Connect();
    ASSERT_TRUE(client.SendInPieces(requests, piece));
    EXPECT_EQ(client.Read().body, "hello");
    EXPECT_EQ(client.Read().body, "posted");
    EXPECT_EQ(client.Read().body, "https");
    EXPECT_EQ(client.Read().status, 200);
    EXPECT_EQ(client.Read().body, "hello");
  }
}

// More than a worker reads at once, so that records wait within OpenSSL.
TEST(Tls, PipelineBeyondOneReadIsAnswered) {
  const TlsDaemon tls;
  Client client = tls.Connect();
  const size_t count = 5000;
  std::string requests;
  for (size_t i = 0; i < count; ++i) requests += GetRequest("/");
  std::string_view left = requests;
  size_t answered = 0;
  while (answered < count) {
    left.remove_prefix(client.SendSome(left));
    const Response response = client.Read(false, milliseconds(left.empty() ? 60'000 : 100));
    if (response.status == 0 && !left.empty()) continue;
    ASSERT_EQ(response.body, "hello") << answered << ' ' << response.fault;
    ++answered;
  }
}

TEST(Tls, BodiesOfRequests) {
  const TlsDaemon tls;
  Client client = tls.Connect();
  const std::string body = Pattern(2'000'000);
  const Response reflected = client.Exchange(PostRequest("/reflect", body));
  EXPECT_EQ(reflected.status, 200) << reflected.fault;
  EXPECT_THAT(reflected.body, HasSubstr(body));
  ASSERT_TRUE(client.Send(
      "POST /reflect HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(client.Read().status, 100);
  ASSERT_TRUE(client.Send("12345"));
  EXPECT_THAT(client.Read().body, HasSubstr("12345"));
}

// The answer is not lost to a reset, although its body was not read.
TEST(Tls, RefusedBodyIsAnswered) {
  const TlsDaemon tls("");
  Client client = tls.Connect();
  client.Send("POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n");
  client.SendSome(std::string(300'000, 'x'));
  EXPECT_EQ(client.Read().status, 413);
  EXPECT_EQ(client.WaitEnd(), End::kClosed);
}

TEST(Tls, FileThatIsCutEndsTheConnectionUntold) {
  TlsDaemon tls;
  Client client = tls.Connect(4096);
  ASSERT_TRUE(client.Send(GetRequest("/big")));
  ASSERT_FALSE(client.StaysQuiet(milliseconds(10'000)));
  tls.daemon().Write("big.txt", "short");
  const Response response = client.Read();
  if (response.status == 200) return;  // the system held all of it
  EXPECT_NE(client.WaitEnd(), End::kClosed);
}

// --- Reload ---

TEST(Tls, ReloadTakesNewCertificates) {
  TlsDaemon tls;
  Daemon& daemon = tls.daemon();
  Client before = tls.Connect();
  EXPECT_EQ(before.Get("/").body, "hello");
  const Certificate fresh = MakeCertificate({.names = {"localhost"}});
  daemon.Write("one.pem", fresh.certificate);
  daemon.Write("one.key", fresh.key);
  const std::string address = daemon.address();
  ASSERT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(daemon.address(), address);
  EXPECT_FALSE(tls.Connect().connected());  // what it trusts is the old one
  daemon.Write("both.pem", fresh.certificate);
  EXPECT_EQ(tls.Connect().Get("/").body, "hello");
  EXPECT_EQ(before.Get("/").body, "hello");
}

TEST(Tls, FaultyPairChangesNothing) {
  TlsDaemon tls;
  Daemon& daemon = tls.daemon();
  const std::string certificate = ReadWhole(daemon.folder().File("one.pem"));
  const std::string key = ReadWhole(daemon.folder().File("one.key"));
  const Certificate other = MakeCertificate();
  const Certificate expired = MakeCertificate({.valid_for_seconds = -60});
  const Certificate encrypted = MakeCertificate({.passphrase = "secret"});
  const struct {
    const char* name;
    std::string certificate;
    std::string key;
    const char* told;
  } rows[] = {
      {"the key of another", certificate, other.key, "doesn't belong to certificate"},
      {"expired", expired.certificate, expired.key, "expired on "},
      {"encrypted", encrypted.certificate, encrypted.key, "it is encrypted"},
      {"empty", "", "", "there is no PEM certificate in it"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const size_t before = daemon.Log().size();
    daemon.Write("one.pem", row.certificate);
    daemon.Write("one.key", row.key);
    EXPECT_EQ(daemon.Reload().reload, "failed");
    EXPECT_TRUE(daemon.WaitForLog(row.told, before)) << daemon.Log().substr(before);
    EXPECT_TRUE(daemon.WaitForLog("quipd.yaml:4:", before));
    EXPECT_EQ(tls.Connect().Get("/").body, "hello");
  }
  daemon.Write("one.pem", certificate);
  daemon.Write("one.key", key);
  EXPECT_EQ(daemon.Reload().reload, "ok");
}

TEST(Tls, ReloadTurnsPlainToTlsAndBack) {
  TlsDaemon tls;
  Daemon& daemon = tls.daemon();
  const std::string address = daemon.address();
  Client secure = tls.Connect();
  EXPECT_EQ(secure.Get("/scheme").body, "https");
  daemon.Configure(TlsDaemon::Config("listen: 127.0.0.1:0\n", ""));
  ASSERT_EQ(daemon.Reload().reload, "ok");
  ASSERT_EQ(daemon.address(), address);
  Client plain(daemon.address());
  EXPECT_EQ(plain.Get("/scheme").body, "http");
  EXPECT_EQ(secure.Get("/scheme").body, "https");
  daemon.Configure(TlsDaemon::Config(TlsDaemon::kListener, ""));
  const Notice notice = daemon.Reload();
  ASSERT_EQ(notice.reload, "ok");
  EXPECT_THAT(notice.status, HasSubstr("https://" + address));
  EXPECT_EQ(tls.Connect().Get("/scheme").body, "https");
  EXPECT_EQ(plain.Get("/scheme").body, "http");
}

TEST(Tls, CheckReportsAPair) {
  const TempFolder folder;
  folder.Write("quipd.yaml",
               "listen: {address: 127.0.0.1:0, tls: {certificate: a.pem, key: a.key}}\n"
               "routes:\n  - GET / echo: x\n");
  const Outcome outcome = RunQuipd({"check", "-c", folder.File("quipd.yaml")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("quipd.yaml:1:51: error: reading certificate "));
  EXPECT_THAT(outcome.errors, HasSubstr("quipd.yaml:1:63: error: reading key "));
}

}  // namespace
}  // namespace quipd::test
