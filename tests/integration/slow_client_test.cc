// SPDX-License-Identifier: MIT
// Slow clients: every wait for a client has its deadline, and the others never notice (C63).
// Deadlines are kept within seconds, never early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

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
  return "listen: 127.0.0.1:0\nworkers: 1\ntimeouts: {" + timeouts +
         "}\nlimits: {inline_file: 16MiB}\n"
         "routes:\n"
         "  - GET / echo: x\n"
         "  - POST /post echo: posted\n"
         "  - ANY /reflect reflect: json\n"
         "  - GET /big file: big.txt\n";
}

Daemon Start(const std::string& timeouts) {
  return Daemon(DaemonSetup{.config = Config(timeouts),
                            .files = {{"big.txt", std::string(8 * 1024 * 1024, 'a')}}});
}

TEST(SlowClient, HeadThatDoesNotEndIs408) {
  const Daemon daemon = Start("head: 500ms");
  ASSERT_TRUE(daemon.ready());
  for (const char* part : {"G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n"}) {
    SCOPED_TRACE(part);
    Client client = daemon.Connect();
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
TEST(SlowClient, TricklingHeadIs408) {
  const Daemon daemon = Start("head: 700ms");
  ASSERT_TRUE(daemon.ready());
  Client canary = daemon.Connect();
  Client client = daemon.Connect();
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
TEST(SlowClient, LaterHeadIs408) {
  const Daemon daemon = Start("head: 500ms, idle: 60s");
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  EXPECT_EQ(client.Get("/").status, 200);
  EXPECT_TRUE(client.StaysQuiet(milliseconds(2200)));
  const Stopwatch watch;
  client.Send("GET / HT");
  EXPECT_EQ(client.Read().status, 408);
  EXPECT_GE(watch.Read(), milliseconds(450));
  EXPECT_EQ(client.WaitEnd(), End::kClosed);
}

TEST(SlowClient, IdleConnectionIsClosedWithoutAnAnswer) {
  const Daemon daemon = Start("idle: 500ms");
  ASSERT_TRUE(daemon.ready());
  const Stopwatch watch;
  Client fresh = daemon.Connect();
  Client used = daemon.Connect();
  EXPECT_EQ(used.Get("/").status, 200);
  EXPECT_EQ(fresh.WaitEnd(), End::kClosed);
  EXPECT_EQ(used.WaitEnd(), End::kClosed);
  EXPECT_GE(watch.Read(), milliseconds(450));
  EXPECT_LT(watch.Read(), kLate);
}

TEST(SlowClient, ConnectionInUseIsNotIdle) {
  const Daemon daemon = Start("idle: 3s");
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  const Stopwatch watch;
  while (watch.Read() < milliseconds(4500)) {
    ASSERT_EQ(client.Get("/").status, 200) << "after " << watch.Read().count() << " ms";
    ASSERT_TRUE(client.StaysQuiet(milliseconds(300)));
  }
}

TEST(SlowClient, BodyThatDoesNotEndIsGivenUp) {
  const Daemon daemon = Start("body: 500ms");
  ASSERT_TRUE(daemon.ready());
  for (const char* target : {"/post", "/reflect"}) {
    SCOPED_TRACE(target);
    Client client = daemon.Connect();
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
TEST(SlowClient, BodyThatComesFastEnoughIsWaitedFor) {
  const Daemon daemon = Start("body: 1s");
  ASSERT_TRUE(daemon.ready());
  Client trickling = daemon.Connect();
  Client steady = daemon.Connect();
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
TEST(SlowClient, ReaderThatStopsIsDropped) {
  const Daemon daemon = Start("write: 500ms");
  ASSERT_TRUE(daemon.ready());
  Client other = daemon.Connect();
  EXPECT_EQ(other.Get("/").status, 200);
  Client stuck = daemon.Connect(4096);
  const Stopwatch watch;
  stuck.Send(GetRequest("/big"));
  ASSERT_EQ(stuck.WaitEnd(), End::kBytes);  // its answer has begun
  EXPECT_GE(daemon.Connections(), 1u);
  EXPECT_TRUE(Eventually([&] { return daemon.Connections() == 1; }, kLate));
  EXPECT_GE(watch.Read(), milliseconds(450));
  EXPECT_EQ(other.Get("/").status, 200);
  EXPECT_LT(stuck.ReadToEnd().size(), 8u * 1024 * 1024);
}

TEST(SlowClient, ReaderThatGoesOnIsServed) {
  const Daemon daemon = Start("write: 2s");
  ASSERT_TRUE(daemon.ready());
  Client slow = daemon.Connect(65536);
  slow.Send(GetRequest("/big"));
  // Longer than the deadline in all, never as long without progress.
  const Stopwatch watch;
  std::string got;
  while (watch.Read() < milliseconds(4000)) {
    std::array<char, 65536> part{};
    const ssize_t size = recv(slow.fd(), part.data(), part.size(), 0);
    ASSERT_GT(size, 0);
    got.append(part.data(), static_cast<size_t>(size));
    EXPECT_TRUE(slow.WaitWritable(milliseconds(1)));
    std::this_thread::sleep_for(milliseconds(100));
  }
  const Response other = daemon.Connect().Get("/");
  EXPECT_EQ(other.status, 200);
  slow.HalfClose();
  got += slow.ReadToEnd();
  EXPECT_GT(got.size(), 8u * 1024 * 1024);
}

// What was queued under short timeouts has the longer ones of a reload, and no 408 stands behind
// it.
TEST(SlowClient, ReloadGivesMoreTime) {
  Daemon daemon = Start("write: 1s, head: 1s, body: 1s");
  ASSERT_TRUE(daemon.ready());
  Client slow = daemon.Connect(4096);
  slow.Send(GetRequest("/big"));
  Client half = daemon.Connect();
  half.Send("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(half.StaysQuiet(milliseconds(100)));
  daemon.Configure(Config("write: 60s, head: 60s, body: 60s"));
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_TRUE(half.StaysQuiet(milliseconds(2000)));
  half.Send("Host: a\r\n\r\n");
  EXPECT_EQ(half.Read().status, 200);
  const Response big = slow.Read();
  EXPECT_EQ(big.body.size(), 8u * 1024 * 1024) << big.fault;
  EXPECT_TRUE(slow.StaysQuiet(milliseconds(50)));
  EXPECT_EQ(slow.Get("/").status, 200);
}

// A body that isn't read, because an answer before it must leave first, is not late.
TEST(SlowClient, BodyBehindASlowAnswerIsNotLate) {
  const Daemon daemon = Start("body: 500ms");
  ASSERT_TRUE(daemon.ready());
  Client slow = daemon.Connect(4096);
  const std::string post = PostRequest("/post", "1234567890");
  slow.Send(GetRequest("/big") + post.substr(0, post.size() - 5));
  std::this_thread::sleep_for(milliseconds(1500));
  slow.Send(post.substr(post.size() - 5));
  const Response big = slow.Read();
  EXPECT_EQ(big.body.size(), 8u * 1024 * 1024) << big.fault;
  EXPECT_EQ(slow.Read().body, "posted");
}

}  // namespace
}  // namespace quipd::test
