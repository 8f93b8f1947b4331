// SPDX-License-Identifier: MIT
// Slow clients, plain and over TLS: every wait for a client has its deadline, and the others never
// notice (C63). Deadlines are kept within seconds, never early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLate{15000};

class Stopwatch {
 public:
  [[nodiscard]] milliseconds Read() const {
    return duration_cast<milliseconds>(steady_clock::now() - begin_);
  }

 private:
  steady_clock::time_point begin_ = steady_clock::now();
};

std::string Config(const std::string& timeouts) {
  return kPlainAndTls + ("workers: 1\ntimeouts: {" + timeouts +
                         "}\nlimits: {inline_file: 16MiB}\n"
                         "routes:\n"
                         "  - GET / echo: x\n"
                         "  - POST /post echo: posted\n"
                         "  - ANY /reflect reflect: json\n"
                         "  - GET /big file: big.txt\n"
                         "  - GET /live/ dir: live\n");
}

constexpr size_t kBig = size_t{8} * 1024 * 1024;

// Over TLS where the parameter is true.
class SlowClient : public testing::TestWithParam<bool> {
 protected:
  Daemon& Start(const std::string& timeouts) {
    DaemonSetup setup{.config = Config(timeouts), .files = CertificateFiles()};
    setup.files.emplace_back("big.txt", std::string(kBig, 'a'));
    setup.files.emplace_back("live/big.txt", std::string(kBig, 'a'));
    daemon_ = std::make_unique<Daemon>(setup);
    return *daemon_;
  }
  [[nodiscard]] Client Connect(int receive_buffer = 0) const {
    return (GetParam() ? daemon_->TlsEndpoint() : daemon_->PlainEndpoint()).Connect(receive_buffer);
  }
  [[nodiscard]] size_t Connections() const { return daemon_->Connections(GetParam() ? 1 : 0); }

 private:
  std::unique_ptr<Daemon> daemon_;
};

INSTANTIATE_TEST_SUITE_P(Both, SlowClient, testing::Bool(),
                         [](const auto& tls) { return tls.param ? "Tls" : "Plain"; });

TEST_P(SlowClient, HeadThatDoesNotEndIs408) {
  const Daemon& daemon = Start("head: 500ms");
  ASSERT_TRUE(daemon.ready());
  for (const char* part : {"G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n"}) {
    SCOPED_TRACE(part);
    Client client = Connect();
    const Stopwatch watch;
    client.Send(part);
    const Response response = client.Read();
    EXPECT_EQ(response.status, 408) << response.fault;
    EXPECT_EQ(response.Value("Connection"), "close");
    EXPECT_EQ(client.WaitEnd(), End::kClosed);
    EXPECT_GE(watch.Read(), milliseconds(450));
    EXPECT_LT(watch.Read(), kLate);
  }
}

// The deadline of a head is absolute: bytes that trickle in don't move it.
TEST_P(SlowClient, TricklingHeadIs408) {
  const Daemon& daemon = Start("head: 700ms");
  ASSERT_TRUE(daemon.ready());
  Client canary = Connect();
  Client client = Connect();
  const Stopwatch watch;
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n");
  while (client.StaysQuiet(milliseconds(50)) && watch.Read() < kLate) {
    client.Send("X: y\r\n");
    const Stopwatch other;
    EXPECT_EQ(canary.Get("/").status, 200);
    EXPECT_LT(other.Read(), milliseconds(5000));
  }
  EXPECT_EQ(client.Read().status, 408);
  EXPECT_LT(watch.Read(), kLate);
}

// The second head on a connection has its deadline too, from its first byte.
TEST_P(SlowClient, LaterHeadIs408) {
  const Daemon& daemon = Start("head: 500ms, idle: 60s");
  ASSERT_TRUE(daemon.ready());
  Client client = Connect();
  EXPECT_EQ(client.Get("/").status, 200);
  EXPECT_TRUE(client.StaysQuiet(milliseconds(2200)));
  const Stopwatch watch;
  client.Send("GET / HT");
  EXPECT_EQ(client.Read().status, 408);
  EXPECT_GE(watch.Read(), milliseconds(450));
  EXPECT_EQ(client.WaitEnd(), End::kClosed);
}

TEST_P(SlowClient, IdleConnectionIsClosedWithoutAnAnswer) {
  const Daemon& daemon = Start("idle: 500ms");
  ASSERT_TRUE(daemon.ready());
  const Stopwatch watch;
  Client fresh = Connect();
  Client used = Connect();
  EXPECT_EQ(used.Get("/").status, 200);
  EXPECT_EQ(fresh.WaitEnd(), End::kClosed);
  EXPECT_EQ(used.WaitEnd(), End::kClosed);
  EXPECT_GE(watch.Read(), milliseconds(450));
  EXPECT_LT(watch.Read(), kLate);
}

TEST_P(SlowClient, ConnectionInUseIsNotIdle) {
  const Daemon& daemon = Start("idle: 3s");
  ASSERT_TRUE(daemon.ready());
  Client client = Connect();
  const Stopwatch watch;
  while (watch.Read() < milliseconds(4500)) {
    ASSERT_EQ(client.Get("/").status, 200) << "after " << watch.Read().count() << " ms";
    ASSERT_TRUE(client.StaysQuiet(milliseconds(300)));
  }
}

TEST_P(SlowClient, BodyThatDoesNotEndIsGivenUp) {
  const Daemon& daemon = Start("body: 500ms");
  ASSERT_TRUE(daemon.ready());
  for (const char* target : {"/post", "/reflect"}) {
    SCOPED_TRACE(target);
    Client client = Connect();
    const Stopwatch watch;
    client.Send("POST " + std::string(target) +
                " HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
    const Response response = client.Read();
    if (response.status != 0) {
      EXPECT_EQ(response.status, 408);
      EXPECT_EQ(response.Value("Connection"), "close");
    }
    EXPECT_NE(client.WaitEnd(), End::kOpen);
    EXPECT_GE(watch.Read(), milliseconds(450));
    EXPECT_LT(watch.Read(), kLate);
  }
}

// Who has long sent nothing but a byte now and then has no body worth waiting for; who sends a KiB
// a second has.
TEST_P(SlowClient, BodyThatComesFastEnoughIsWaitedFor) {
  const Daemon& daemon = Start("body: 1s");
  ASSERT_TRUE(daemon.ready());
  Client trickling = Connect();
  Client steady = Connect();
  const std::string head = "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 32768\r\n\r\n";
  const std::string part(4096, 'x');
  trickling.Send(head);
  steady.Send(head);
  const Stopwatch watch;
  for (int i = 0; i < 8; ++i) {
    steady.Send(part);
    ASSERT_TRUE(steady.StaysQuiet(milliseconds(i < 7 ? 500 : 0)) || i == 7);
    trickling.Send("x");
  }
  EXPECT_EQ(steady.Read().status, 200);
  EXPECT_GE(watch.Read(), milliseconds(3000));
  const Response refused = trickling.Read();
  EXPECT_TRUE(refused.status == 408 || refused.status == 0);
  EXPECT_NE(trickling.WaitEnd(), End::kOpen);
  EXPECT_LT(watch.Read(), kLate);
}

// Who takes nothing of his answer is dropped, and what was queued for him with him.
TEST_P(SlowClient, ReaderThatStopsIsDropped) {
  const Daemon& daemon = Start("write: 500ms");
  ASSERT_TRUE(daemon.ready());
  Client other = Connect();
  EXPECT_EQ(other.Get("/").status, 200);
  for (const char* target : {"/big", "/live/big.txt"}) {
    SCOPED_TRACE(target);
    Client stuck = Connect(4096);
    const Stopwatch watch;
    stuck.Send(GetRequest(target));
    ASSERT_EQ(stuck.WaitEnd(), End::kBytes);  // its answer has begun
    EXPECT_GE(Connections(), 1u);
    EXPECT_TRUE(Eventually([&] { return Connections() == 1; }, kLate));
    EXPECT_GE(watch.Read(), milliseconds(450));
    EXPECT_EQ(other.Get("/").status, 200);
    EXPECT_LT(stuck.ReadToEnd().size(), kBig);
    EXPECT_EQ(stuck.WaitEnd(), End::kReset);  // the system keeps nothing for him either
  }
}

TEST_P(SlowClient, ReaderThatGoesOnIsServed) {
  const Daemon& daemon = Start("write: 2s");
  ASSERT_TRUE(daemon.ready());
  for (const char* target : {"/big", "/live/big.txt"}) {
    SCOPED_TRACE(target);
    Client slow = Connect(65536);
    slow.Send(GetRequest(target));
    // Longer than the deadline in all, never as long without progress.
    const Stopwatch watch;
    size_t got = 0;
    while (watch.Read() < milliseconds(4000)) {
      const std::string part = slow.ReadSome();
      ASSERT_FALSE(part.empty());
      got += part.size();
      std::this_thread::sleep_for(milliseconds(100));
    }
    EXPECT_EQ(Connect().Get("/").status, 200);
    slow.HalfClose();
    got += slow.ReadToEnd().size();
    EXPECT_GT(got, kBig);
  }
}

// What was queued under short timeouts has the longer ones of a reload, and no 408 stands behind
// it.
TEST_P(SlowClient, ReloadGivesMoreTime) {
  Daemon& daemon = Start("write: 1s, head: 1s, body: 1s");
  ASSERT_TRUE(daemon.ready());
  Client slow = Connect(4096);
  slow.Send(GetRequest("/big"));
  Client half = Connect();
  half.Send("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(half.StaysQuiet(milliseconds(100)));
  daemon.Configure(Config("write: 60s, head: 60s, body: 60s"));
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_TRUE(half.StaysQuiet(milliseconds(2000)));
  half.Send("Host: a\r\n\r\n");
  EXPECT_EQ(half.Read().status, 200);
  const Response big = slow.Read();
  EXPECT_EQ(big.body.size(), kBig) << big.fault;
  EXPECT_TRUE(slow.StaysQuiet(milliseconds(50)));
  EXPECT_EQ(slow.Get("/").status, 200);
}

// A body that isn't read, because an answer before it must leave first, is not late.
TEST_P(SlowClient, BodyBehindASlowAnswerIsNotLate) {
  const Daemon& daemon = Start("body: 500ms");
  ASSERT_TRUE(daemon.ready());
  Client slow = Connect(4096);
  const std::string post = PostRequest("/post", "1234567890");
  slow.Send(GetRequest("/big") + post.substr(0, post.size() - 5));
  std::this_thread::sleep_for(milliseconds(1500));
  slow.Send(post.substr(post.size() - 5));
  const Response big = slow.Read();
  EXPECT_EQ(big.body.size(), kBig) << big.fault;
  EXPECT_EQ(slow.Read().body, "posted");
}

// C49: what is configured for 408 is sent.
TEST(SlowHead, GetsTheConfiguredError) {
  const Daemon daemon(
      "listen: 127.0.0.1:0\ntimeouts: {head: 500ms, body: 500ms}\n"
      "errors: {408: {html: <p>Too slow</p>, headers: {X-Slow: \"1\"}}}\n"
      "routes:\n  - POST /post echo: posted\n");
  ASSERT_TRUE(daemon.ready());
  for (const char* part :
       {"GET / HT", "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\na"}) {
    Client client = daemon.Connect();
    client.Send(part);
    const Response response = client.Read();
    EXPECT_EQ(response.status, 408) << response.fault;
    EXPECT_EQ(response.body, "<p>Too slow</p>");
    EXPECT_EQ(response.Value("X-Slow"), "1");
    EXPECT_EQ(response.Value("Connection"), "close");
    EXPECT_EQ(client.WaitEnd(), End::kClosed);
  }
}

// A handshake that does not end has as much time as a head, whatever trickles in, and nobody else
// waits for it.
TEST(SlowHandshake, IsGivenUp) {
  DaemonSetup setup{.config = Config("head: 700ms, idle: 60s"), .files = CertificateFiles()};
  setup.files.emplace_back("big.txt", "");
  setup.files.emplace_back("live/x.txt", "");
  const Daemon daemon(setup);
  ASSERT_TRUE(daemon.ready());
  const std::string hello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
  Client canary = daemon.TlsEndpoint().Connect();
  const Stopwatch watch;
  Client silent(daemon.address(1));
  Client half(daemon.address(1));
  half.Send(hello);
  Client trickling(daemon.address(1));
  trickling.Send(hello);
  while (trickling.StaysQuiet(milliseconds(50)) && watch.Read() < kLate) {
    trickling.Send("x");
    EXPECT_EQ(canary.Get("/").status, 200);
  }
  for (Client* client : {&silent, &half, &trickling}) {
    (void)client->ReadToEnd();  // an alert may come
    EXPECT_NE(client->WaitEnd(), End::kOpen);
  }
  EXPECT_GE(watch.Read(), milliseconds(600));
  EXPECT_LT(watch.Read(), kLate);
}

// Who speaks no TLS to a listener of TLS is closed at once.
TEST(SlowHandshake, OfNoTlsIsNone) {
  DaemonSetup setup{.config = Config("head: 60s"), .files = CertificateFiles()};
  setup.files.emplace_back("big.txt", "");
  setup.files.emplace_back("live/x.txt", "");
  const Daemon daemon(setup);
  ASSERT_TRUE(daemon.ready());
  Client client(daemon.address(1));
  client.Send(GetRequest("/"));
  (void)client.ReadToEnd();
  EXPECT_NE(client.WaitEnd(), End::kOpen);
  EXPECT_EQ(daemon.TlsEndpoint().Connect().Get("/").status, 200);
}

}  // namespace
}  // namespace quipd::test
