// SPDX-License-Identifier: MIT
// The end: SIGTERM and SIGINT drain and exit 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// One worker: where one connection sees the drain, the others are drained too.
const std::string kConfig =
    "listen: 127.0.0.1:0\n"
    "workers: 1\n"
    "limits: {inline_file: 16MiB}\n"
    "routes:\n"
    "  - GET / echo: x\n"
    "  - POST /post echo: posted\n"
    "  - ANY /reflect reflect: json\n"
    "  - GET /live health: live\n"
    "  - GET /ready health: ready\n";

std::string SeveralWorkers() {
  std::string config = kConfig;
  return config.replace(config.find("workers: 1"), 10, "workers: 3");
}

constexpr const char* kHalfPost =
    "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345";

TEST(Drain, IdleConnectionsEndAtOnce) {
  for (const int signal : {SIGTERM, SIGINT}) {
    SCOPED_TRACE(signal);
    Daemon daemon(SeveralWorkers());
    ASSERT_TRUE(daemon.ready());
    Client used = daemon.Connect();
    EXPECT_EQ(used.Get("/").status, 200);
    Client fresh = daemon.Connect();
    Client reflected = daemon.Connect();
    EXPECT_EQ(reflected.Get("/reflect").status, 200);
    const auto begin = steady_clock::now();
    EXPECT_EQ(daemon.Stop(signal), 0) << daemon.Log();
    EXPECT_LT(steady_clock::now() - begin, milliseconds(8000));  // not timeouts.drain
    EXPECT_EQ(used.WaitEnd(), End::kClosed);
    EXPECT_EQ(fresh.WaitEnd(), End::kClosed);
    EXPECT_EQ(reflected.WaitEnd(), End::kClosed);
  }
}

TEST(Drain, ServiceManagerIsTold) {
  Daemon daemon(kConfig);
  ASSERT_TRUE(daemon.ready());
  daemon.Signal(SIGTERM);
  const std::optional<Notice> notice = daemon.NextNotice();
  ASSERT_TRUE(notice);
  EXPECT_TRUE(notice->stopping) << notice->text;
  EXPECT_EQ(daemon.Wait(), 0);
}

TEST(Drain, RequestUnderWayIsAnswered) {
  for (const char* target : {"/post", "/reflect"}) {
    SCOPED_TRACE(target);
    Daemon daemon(kConfig);
    ASSERT_TRUE(daemon.ready());
    Client client = daemon.Connect();
    const std::string request = PostRequest(target, "1234567890");
    // Behind an answered request, so that it is sure that the worker has taken the connection.
    EXPECT_EQ(client.Get("/").status, 200);
    client.Send(request.substr(0, request.size() - 5));
    Client idle = daemon.Connect();
    EXPECT_EQ(idle.Get("/").status, 200);
    daemon.Signal(SIGTERM);
    EXPECT_EQ(idle.WaitEnd(), End::kClosed);
    client.Send(request.substr(request.size() - 5));
    const Response response = client.Read();
    EXPECT_EQ(response.status, 200) << response.fault;
    EXPECT_EQ(response.Value("Connection"), "close");
    EXPECT_EQ(client.WaitEnd(), End::kClosed);
    EXPECT_EQ(daemon.Wait(), 0) << daemon.Log();
  }
}

TEST(Drain, NobodyIsAcceptedAnyMore) {
  Daemon daemon(kConfig);
  ASSERT_TRUE(daemon.ready());
  Client busy = daemon.Connect();
  EXPECT_EQ(busy.Get("/").status, 200);
  busy.Send(kHalfPost);
  Client idle = daemon.Connect();
  EXPECT_EQ(idle.Get("/").status, 200);
  daemon.Signal(SIGTERM);
  EXPECT_EQ(idle.WaitEnd(), End::kClosed);
  EXPECT_TRUE(Eventually([&] { return !daemon.Connect().connected(); }));
  busy.Send("67890");
  EXPECT_EQ(busy.Read().status, 200);
  EXPECT_EQ(daemon.Wait(), 0);
}

// Who was in the queue of the listening socket, his request sent, is answered.
TEST(Drain, QueuedConnectionsAreTaken) {
  Daemon daemon(SeveralWorkers());
  ASSERT_TRUE(daemon.ready());
  std::vector<Client> clients;
  for (int i = 0; i < 30; ++i) {
    clients.push_back(daemon.Connect());
    clients.back().Send(GetRequest("/"));
  }
  daemon.Signal(SIGTERM);
  for (Client& client : clients) {
    const Response response = client.Read();
    EXPECT_EQ(response.status, 200) << response.fault;
  }
  EXPECT_EQ(daemon.Wait(), 0);
}

// C97: while draining, "ready" says so and "live" does not.
TEST(Drain, HealthSaysSo) {
  const struct {
    const char* target;
    int status;
    const char* body;
  } rows[] = {{"/ready", 503, "draining"}, {"/live", 200, "ok"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.target);
    Daemon daemon(kConfig);
    ASSERT_TRUE(daemon.ready());
    Client client = daemon.Connect();
    const Response before = client.Get(row.target);
    EXPECT_EQ(before.status, 200);
    EXPECT_EQ(before.body, "ok");
    EXPECT_EQ(before.Value("Cache-Control"), "no-store");
    const std::string request = GetRequest(row.target);
    client.Send(request.substr(0, request.size() - 2));
    Client idle = daemon.Connect();
    EXPECT_EQ(idle.Get("/").status, 200);
    daemon.Signal(SIGTERM);
    EXPECT_EQ(idle.WaitEnd(), End::kClosed);
    client.Send("\r\n");
    const Response during = client.Read();
    EXPECT_EQ(during.status, row.status) << during.fault;
    EXPECT_EQ(during.body, row.body);
    EXPECT_EQ(during.Value("Connection"), "close");
    EXPECT_EQ(daemon.Wait(), 0);
  }
}

// C86: a slow client gets all of its answer, within the time that is given.
TEST(Drain, SlowReaderGetsTheWholeAnswer) {
  const std::string big(8 * 1024 * 1024, 'a');
  Daemon daemon(
      DaemonSetup{.config = kConfig + "  - GET /big file: big.txt\n", .files = {{"big.txt", big}}});
  ASSERT_TRUE(daemon.ready());
  Client slow = daemon.Connect(4096);
  slow.Send(GetRequest("/big"));
  Client idle = daemon.Connect();
  EXPECT_EQ(idle.Get("/").status, 200);
  EXPECT_NE(slow.WaitEnd(), End::kClosed);  // its answer has begun
  daemon.Signal(SIGTERM);
  EXPECT_EQ(idle.WaitEnd(), End::kClosed);
  EXPECT_TRUE(slow.Read().body == big);
  EXPECT_EQ(slow.WaitEnd(), End::kClosed);
  EXPECT_EQ(daemon.Wait(), 0);
}

// C96: whoever does not finish is cut off after timeouts.drain, and that is no fault.
TEST(Drain, EndsInTime) {
  Daemon daemon(kConfig + "timeouts: {drain: 300ms}\n");
  ASSERT_TRUE(daemon.ready());
  Client stuck = daemon.Connect();
  EXPECT_EQ(stuck.Get("/").status, 200);
  stuck.Send(kHalfPost);
  Client reader = daemon.Connect(4096);
  Client idle = daemon.Connect();
  EXPECT_EQ(idle.Get("/").status, 200);
  const auto begin = steady_clock::now();
  EXPECT_EQ(daemon.Stop(), 0) << daemon.Log();
  const auto taken = steady_clock::now() - begin;
  EXPECT_GE(taken, milliseconds(250));
  EXPECT_LT(taken, milliseconds(8000));
  EXPECT_NE(stuck.WaitEnd(), End::kOpen);
}

TEST(Drain, SecondSignalChangesNothing) {
  Daemon daemon(kConfig);
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  EXPECT_EQ(client.Get("/").status, 200);
  client.Send(kHalfPost);
  Client idle = daemon.Connect();
  EXPECT_EQ(idle.Get("/").status, 200);
  daemon.Signal(SIGTERM);
  EXPECT_EQ(idle.WaitEnd(), End::kClosed);
  daemon.Signal(SIGHUP);
  daemon.Signal(SIGUSR1);
  client.Send("67890");
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_EQ(daemon.Wait(), 0) << daemon.Log();
}

// --- timeouts.drain_delay ---

std::string Delayed(const std::string& delay) {
  return kConfig + "timeouts: {drain_delay: " + delay + "}\n";
}

// C97: whoever balances the load sees that quipd will end, and all who still come are served.
TEST(DrainDelay, ServesOnAndSaysNotReady) {
  Daemon daemon(Delayed("600ms"));
  ASSERT_TRUE(daemon.ready());
  const auto begin = steady_clock::now();
  daemon.Signal(SIGTERM);
  const std::optional<Notice> notice = daemon.NextNotice();
  ASSERT_TRUE(notice);
  EXPECT_TRUE(notice->stopping);
  EXPECT_EQ(notice->status, "Not ready, serving on for 600 ms");
  EXPECT_NE(notice->text.find("EXTEND_TIMEOUT_USEC=15600000"), std::string::npos) << notice->text;
  EXPECT_TRUE(Eventually([&] { return daemon.Connect().Get("/ready").status == 503; }));
  EXPECT_EQ(daemon.Connect().Get("/live").status, 200);
  Client kept = daemon.Connect();
  EXPECT_EQ(kept.Get("/").status, 200);
  EXPECT_EQ(kept.Get("/").status, 200);  // nor is it closed
  EXPECT_EQ(daemon.Wait(), 0) << daemon.Log();
  EXPECT_GE(steady_clock::now() - begin, milliseconds(600));
  EXPECT_EQ(kept.WaitEnd(), End::kClosed);
}

TEST(DrainDelay, NextSignalEndsIt) {
  Daemon daemon(Delayed("1h"));
  ASSERT_TRUE(daemon.ready());
  Client idle = daemon.Connect();
  EXPECT_EQ(idle.Get("/").status, 200);
  daemon.Signal(SIGTERM);
  ASSERT_TRUE(daemon.WaitForLog("not ready any more"));
  EXPECT_EQ(daemon.Stop(SIGINT), 0) << daemon.Log();
  EXPECT_EQ(idle.WaitEnd(), End::kClosed);
}

TEST(DrainDelay, NothingIsReloadedInIt) {
  Daemon daemon(Delayed("1h"));
  ASSERT_TRUE(daemon.ready());
  daemon.Signal(SIGTERM);
  ASSERT_TRUE(daemon.WaitForLog("not ready any more"));
  daemon.Configure("listen: 127.0.0.1:0\nroutes: [GET / echo: other]\n");
  daemon.Signal(SIGHUP);
  ASSERT_TRUE(daemon.WaitForLog("no reload: quipd is draining")) << daemon.Log();
  EXPECT_EQ(daemon.Connect().Get("/").body, "x");
  EXPECT_EQ(daemon.Stop(), 0);
}

}  // namespace
}  // namespace quipd::test
