// SPDX-License-Identifier: MIT
// Listeners: addresses that are taken, both families, unix sockets.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kRules = "routes:\n  - GET / echo: here\n";

// A socket that listens on a port of 127.0.0.1 and never accepts.
class TakenPort {
 public:
  TakenPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(name);
    auto* address = reinterpret_cast<sockaddr*>(&name);
    EXPECT_EQ(bind(socket_.get(), address, size), 0);
    EXPECT_EQ(listen(socket_.get(), 1), 0);
    EXPECT_EQ(getsockname(socket_.get(), address, &size), 0);
    port_ = ntohs(name.sin_port);
  }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::string port() const { return std::to_string(port_); }
  void Release() { socket_.Reset(); }

 private:
  FileDescriptor socket_;
  int port_ = 0;
};

FileDescriptor BindUnix(const std::string& path) {
  FileDescriptor socket_fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  EXPECT_LT(path.size(), sizeof(name.sun_path));
  std::memcpy(name.sun_path, path.data(), path.size());
  EXPECT_EQ(bind(socket_fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  return socket_fd;
}

Outcome RunWith(const TempFolder& folder, const std::string& listen) {
  folder.Write("quipd.yaml", "listen: " + listen + "\n" + kRules);
  return RunQuipd({"run", "-c", folder.File("quipd.yaml")});
}

TEST(Listen, PortThatIsTakenIsNamed) {
  TakenPort taken;
  TempFolder folder;
  const Outcome outcome = RunWith(folder, taken.address());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr(taken.address()), HasSubstr("in use")));
}

TEST(Listen, SecondDaemonIsRefused) {
  Daemon first(std::string("listen: 127.0.0.1:0\nworkers: 2\n") + kRules);
  ASSERT_TRUE(first.ready());
  TempFolder folder;
  const Outcome second = RunWith(folder, first.address());
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.errors, AllOf(HasSubstr(first.address()), HasSubstr("in use")));
  EXPECT_EQ(first.Connect().Get("/").body, "here");
}

TEST(Listen, PortIsFreeAgainAfterTheEnd) {
  TempFolder folder;
  std::string address;
  {
    Daemon first(std::string("listen: 127.0.0.1:0\n") + kRules);
    ASSERT_TRUE(first.ready());
    address = first.address();
    Client client = first.Connect();
    EXPECT_EQ(client.Get("/", "Connection: close\r\n").status, 200);
    EXPECT_EQ(client.WaitEnd(), End::kClosed);
  }
  Daemon second("listen: " + address + "\n" + kRules);
  ASSERT_TRUE(second.ready());
  EXPECT_EQ(second.address(), address);
}

TEST(Listen, AddressOfAnotherMachineIsNamed) {
  TempFolder folder;
  const Outcome outcome = RunWith(folder, "192.0.2.1:0");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("192.0.2.1:0"));
}

TEST(Listen, BothFamiliesOnOnePort) {
  TakenPort free_port;
  const std::string port = free_port.port();
  free_port.Release();
  Daemon daemon("listen: [127.0.0.1:" + port + ", \"[::1]:" + port + "\"]\n" + kRules);
  if (!daemon.ready() && !Exists("/proc/net/if_inet6")) {
    GTEST_SKIP() << "no IPv6 here";
  }
  ASSERT_EQ(daemon.listening().size(), 2u);
  EXPECT_EQ(daemon.address(0), "127.0.0.1:" + port);
  EXPECT_EQ(daemon.address(1), "[::1]:" + port);
  EXPECT_EQ(Client(daemon.address(0)).Get("/").body, "here");
  EXPECT_EQ(Client(daemon.address(1)).Get("/").body, "here");
}

// All addresses of both families, and each of them beside the other; in a network of its own, so
// that no port of the machine is opened.
TEST(Listen, WildcardsOfBothFamilies) {
  const struct {
    const char* listen;
    std::vector<std::string> addresses;
  } rows[] = {
      {"8080", {"[::]:8080"}},
      {"[\"[::]:8080\", \"0.0.0.0:8080\"]", {"[::]:8080", "0.0.0.0:8080"}},
      {"[\"0.0.0.0:8080\", \"[::]:8080\"]", {"0.0.0.0:8080", "[::]:8080"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.listen);
    TempFolder folder;
    ProcessSetup setup;
    setup.own_network = true;
    setup.arguments = {"/bin/true"};
    Process probe(setup);
    if (probe.Wait() != 0) {
      GTEST_SKIP() << "no network namespaces here";
    }
    Daemon daemon(DaemonSetup{.config = "listen: " + std::string(row.listen) + "\n" + kRules,
                              .own_network = true});
    ASSERT_TRUE(daemon.ready());
    EXPECT_EQ(daemon.listening(), row.addresses);
  }
}

TEST(Listen, SeveralListenersHaveRulesOfTheirOwn) {
  Daemon daemon(
      "listen:\n"
      "  - {address: \"127.0.0.1:0\", name: inner}\n"
      "  - unix:@DIR@/outer.sock\n"
      "routes:\n"
      "  - GET / echo: all\n"
      "  - listener: inner\n"
      "    routes:\n"
      "      - GET / echo: inner\n"
      "      - GET /inner echo: inner alone\n");
  ASSERT_EQ(daemon.listening().size(), 2u);
  EXPECT_EQ(Client(daemon.address(0)).Get("/").body, "inner");
  EXPECT_EQ(Client(daemon.address(0)).Get("/inner").body, "inner alone");
  EXPECT_EQ(Client(daemon.address(1)).Get("/").body, "all");
  EXPECT_EQ(Client(daemon.address(1)).Get("/inner").status, 404);
}

TEST(Listen, UnixSocketHasItsMode) {
  const struct {
    const char* entry;
    mode_t mode;
  } rows[] = {
      {"unix:@DIR@/quipd.sock", 0660},
      {"{address: unix:@DIR@/quipd.sock, mode: 0600}", 0600},
      {"{address: unix:@DIR@/quipd.sock, mode: 0666}", 0666},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.entry);
    Daemon daemon("listen: " + std::string(row.entry) + "\nworkers: 2\n" + kRules);
    ASSERT_TRUE(daemon.ready());
    const std::string path = daemon.folder().File("quipd.sock");
    EXPECT_EQ(daemon.address(), "unix:" + path);
    struct stat facts {};
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, row.mode);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(daemon.Connect().Get("/").body, "here");
    }
    EXPECT_EQ(daemon.Stop(), 0);
    EXPECT_FALSE(Exists(path));
  }
}

TEST(Listen, UnixSocketThatNobodyServesIsReplaced) {
  TempFolder other;
  const std::string path = other.File("left.sock");
  BindUnix(path).Reset();
  ASSERT_TRUE(Exists(path));
  Daemon daemon("listen: unix:" + path + "\n" + kRules);
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.Connect().Get("/").body, "here");
}

TEST(Listen, UnixSocketInUseIsRefused) {
  TempFolder folder;
  const std::string path = folder.File("live.sock");
  const FileDescriptor live = BindUnix(path);
  ASSERT_EQ(listen(live.get(), 1), 0);
  const Outcome outcome = RunWith(folder, "unix:" + path);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("live.sock"), HasSubstr("in use")));
  EXPECT_TRUE(Exists(path));
}

TEST(Listen, SecondDaemonOnAUnixSocketIsRefused) {
  Daemon first(std::string("listen: unix:@DIR@/quipd.sock\n") + kRules);
  ASSERT_TRUE(first.ready());
  TempFolder folder;
  EXPECT_EQ(RunWith(folder, first.address()).status, 1);
  EXPECT_EQ(first.Connect().Get("/").body, "here");
}

TEST(Listen, FileInTheWayOfAUnixSocketIsNeverRemoved) {
  TempFolder folder;
  folder.Write("precious", "text");
  const Outcome outcome = RunWith(folder, "unix:" + folder.File("precious"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("precious"));
  EXPECT_EQ(ReadWhole(folder.File("precious")), "text");
}

TEST(Listen, OneThatFailsLeavesNoneBehind) {
  TakenPort taken;
  TempFolder folder;
  const Outcome outcome =
      RunWith(folder, "[unix:" + folder.File("first.sock") + ", " + taken.address() + "]");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_FALSE(Exists(folder.File("first.sock")));
}

// The mode is no reason for another socket: a reload changes it where it stands.
TEST(Listen, ReloadChangesTheMode) {
  Daemon daemon("listen: {address: unix:@DIR@/quipd.sock, mode: 0600}\n" + std::string(kRules));
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  daemon.Configure("listen: {address: unix:" + daemon.folder().File("quipd.sock") +
                   ", mode: 0666, backlog: 7}\n" + std::string(kRules));
  EXPECT_EQ(daemon.Reload().reload, "ok");
  struct stat facts {};
  ASSERT_EQ(stat(daemon.folder().File("quipd.sock").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, mode_t{0666});
  EXPECT_EQ(client.Get("/").status, 200);
  EXPECT_EQ(daemon.Connect().Get("/").status, 200);
}

// Entries that leave the port to the system are as many sockets, over a reload too.
TEST(Listen, TwoPortsOfTheSystem) {
  const std::string config =
      "listen: [127.0.0.1:0, {address: 127.0.0.1:0, name: second}]\n"
      "workers: 2\n"
      "routes:\n"
      "  - GET / echo: any\n"
      "  - listener: second\n"
      "    routes:\n"
      "      - GET / echo: second\n";
  Daemon daemon(config);
  ASSERT_TRUE(daemon.ready());
  ASSERT_EQ(daemon.listening().size(), 2u);
  EXPECT_NE(daemon.address(0), daemon.address(1));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Client(daemon.address(0)).Get("/").body, "any");
    EXPECT_EQ(Client(daemon.address(1)).Get("/").body, "second");
    EXPECT_EQ(daemon.Reload().reload, "ok");
  }
}

}  // namespace
}  // namespace quipd::test
