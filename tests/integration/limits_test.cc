// SPDX-License-Identifier: MIT
// Floods of connections, and a system that has no file descriptors left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kRoutes = "routes:\n  - GET / echo: x\n  - POST /post echo: posted\n";

constexpr const char* kHalfPost =
    "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345";

// C63: at the cap the connection that has been idle longest makes room.
TEST(Limits, LongestIdleMakesRoom) {
  Daemon daemon(std::string("listen: 127.0.0.1:0\nworkers: 1\nlimits: {connections: 4}\n") +
                kRoutes);
  ASSERT_TRUE(daemon.ready());
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(daemon.Connect());
    EXPECT_EQ(clients.back().Get("/").status, 200);
    EXPECT_TRUE(clients.back().StaysQuiet(milliseconds(20)));  // so that their times differ
  }
  EXPECT_EQ(clients[0].Get("/").status, 200);  // so 1 is idle longest
  Client fifth = daemon.Connect();
  EXPECT_EQ(fifth.Get("/").status, 200);
  EXPECT_EQ(clients[1].WaitEnd(), End::kClosed);
  Client sixth = daemon.Connect();
  EXPECT_EQ(sixth.Get("/").status, 200);
  EXPECT_EQ(clients[2].WaitEnd(), End::kClosed);
  for (const size_t open : {size_t{0}, size_t{3}}) {
    EXPECT_EQ(clients[open].Get("/").status, 200) << open;
  }
}

TEST(Limits, WhoFindsNoIdleOneWaits) {
  Daemon daemon(std::string("listen: 127.0.0.1:0\nworkers: 1\nlimits: {connections: 3}\n") +
                kRoutes);
  ASSERT_TRUE(daemon.ready());
  std::vector<Client> busy;
  for (int i = 0; i < 3; ++i) {
    busy.push_back(daemon.Connect());
    EXPECT_EQ(busy.back().Get("/").status, 200);
    busy.back().Send(kHalfPost);
  }
  // Every worker has seen that they are busy once one of them is answered again.
  busy[0].Send("67890");
  EXPECT_EQ(busy[0].Read().status, 200);
  busy[0].Send(kHalfPost);
  Client waiting = daemon.Connect();
  waiting.Send(GetRequest("/"));
  (void)waiting.StaysQuiet(milliseconds(300));
  const auto before = daemon.CpuTime();
  EXPECT_TRUE(waiting.StaysQuiet(milliseconds(500)));
  EXPECT_LT(daemon.CpuTime() - before, milliseconds(200));
  busy[1].Send("67890");
  EXPECT_EQ(busy[1].Read().status, 200);
  EXPECT_EQ(waiting.Read().status, 200);
}

TEST(Limits, CapHoldsForAllWorkers) {
  Daemon daemon(std::string("listen: 127.0.0.1:0\nworkers: 2\nlimits: {connections: 8}\n") +
                kRoutes);
  ASSERT_TRUE(daemon.ready());
  const size_t files = daemon.OpenFiles();
  std::vector<Client> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(daemon.Connect());
    EXPECT_EQ(clients.back().Get("/").status, 200) << i;
    EXPECT_LE(daemon.OpenFiles(), files + 9) << i;
  }
}

// A worker that has no idle connection of its own gets its place from another.
TEST(Limits, IdleOnesOfOtherWorkersMakeRoom) {
  Daemon daemon(std::string("listen: [127.0.0.1:0]\nworkers: 4\nlimits: {connections: 2}\n") +
                kRoutes);
  ASSERT_TRUE(daemon.ready());
  std::vector<Client> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(daemon.Connect());
    EXPECT_EQ(clients.back().Get("/").status, 200) << i;
  }
}

// No descriptor left: connections wait, the process does not spin, and all is well again after.
TEST(Limits, OutOfDescriptorsDoesNotSpin) {
  Daemon daemon(std::string("listen: 127.0.0.1:0\nworkers: 1\n") + kRoutes);
  ASSERT_TRUE(daemon.ready());
  Client served = daemon.Connect();
  // Each kind of request once: a sanitizer that looks at a type for the first time wants a pipe.
  EXPECT_EQ(served.Get("/").status, 200);
  EXPECT_EQ(served.Exchange(PostRequest("/post", "1234567890")).status, 200);
  rlimit old{};
  ASSERT_EQ(prlimit(daemon.pid(), RLIMIT_NOFILE, nullptr, &old), 0);
  const rlimit tight{daemon.OpenFiles() + 1, old.rlim_max};
  ASSERT_EQ(prlimit(daemon.pid(), RLIMIT_NOFILE, &tight, nullptr), 0);
  std::vector<Client> flood;
  for (int i = 0; i < 20; ++i) {
    flood.push_back(daemon.Connect());
    flood.back().Send(kHalfPost);
  }
  (void)flood.back().StaysQuiet(milliseconds(300));
  const auto before = daemon.CpuTime();
  EXPECT_TRUE(flood.back().StaysQuiet(milliseconds(1000)));
  EXPECT_LT(daemon.CpuTime() - before, milliseconds(400));
  ASSERT_EQ(prlimit(daemon.pid(), RLIMIT_NOFILE, &old, nullptr), 0);
  for (Client& client : flood) {
    client.Send("67890");
    EXPECT_EQ(client.Read().status, 200);
  }
  EXPECT_EQ(daemon.Connect().Get("/").status, 200);
}

// Clients may take all descriptors but those that a reload needs.
TEST(Limits, FloodLeavesDescriptorsForAReload) {
  Daemon daemon(std::string("listen: 127.0.0.1:0\nworkers: 1\n") + kRoutes);
  ASSERT_TRUE(daemon.ready());
  const rlimit tight{128, 128};
  ASSERT_EQ(prlimit(daemon.pid(), RLIMIT_NOFILE, &tight, nullptr), 0);
  EXPECT_EQ(daemon.Reload().reload, "ok");  // looks at the limit
  std::vector<Client> flood;
  for (int i = 0; i < 200; ++i) {
    flood.push_back(daemon.Connect());
    flood.back().Send(kHalfPost);
  }
  (void)flood.back().StaysQuiet(milliseconds(200));
  EXPECT_LT(daemon.OpenFiles(), 100u);
  EXPECT_EQ(daemon.Reload().reload, "ok") << daemon.Log();
}

TEST(Limits, FewDescriptorsAreEnough) {
  TempFolder folder;
  folder.Write("quipd.yaml", std::string("listen: 127.0.0.1:0\nworkers: 1\n") + kRoutes);
  ProcessSetup setup;
  setup.open_files = 100;
  setup.arguments = {QUIPD_BINARY, "run", "-c", folder.File("quipd.yaml")};
  Process process(setup);
  EXPECT_EQ(process.Wait(milliseconds(1000)), std::nullopt) << process.Errors();
  process.Signal(SIGTERM);
  EXPECT_EQ(process.Wait(), 0) << process.Errors();
}

}  // namespace
}  // namespace quipd::test
