// SPDX-License-Identifier: MIT
// Sockets that the service manager passes (sd_listen_fds(3)): taken by name, kept over reloads and
// left as they are, so that a restart refuses nobody; and what is no such socket.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRules = "routes:\n  - GET / echo: here\n";

// A socket of 127.0.0.1, bound to a port of the system's choice, or to a path.
class Bound {
 public:
  explicit Bound(int type = SOCK_STREAM) : socket_(socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(name);
    auto* const where = reinterpret_cast<sockaddr*>(&name);
    EXPECT_EQ(bind(fd(), where, size), 0);
    EXPECT_EQ(getsockname(fd(), where, &size), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
  }
  explicit Bound(const std::string& path)
      : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    EXPECT_LT(path.size(), sizeof(name.sun_path));
    std::memcpy(name.sun_path, path.data(), path.size());
    EXPECT_EQ(bind(fd(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
    address_ = "unix:" + path;
  }

  Bound& Listen() {
    EXPECT_EQ(listen(fd(), 128), 0);
    return *this;
  }
  [[nodiscard]] int fd() const { return socket_.get(); }
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  FileDescriptor socket_;
  std::string address_;
};

std::string Serving(const std::string& listen) { return "listen: " + listen + "\n" + kRules; }

TEST(PassedSockets, AreTakenByName) {
  TempFolder folder;
  Bound web;
  Bound file(folder.File("web.sock"));
  Bound inner;
  for (Bound* one : {&web, &file, &inner}) one->Listen();
  Daemon daemon(
      DaemonSetup{.config = "listen:\n"
                            "  - systemd:web\n"
                            "  - {address: systemd:in side, name: inner,"
                            " tls: {certificate: certificate.pem, key: key.pem}}\n"
                            "  - 127.0.0.1:0\n"
                            "workers: 2\n"
                            "routes:\n"
                            "  - GET / echo: any\n"
                            "  - listener: systemd:web\n"
                            "    routes: [GET /who echo: web]\n"
                            "  - listener: inner\n"
                            "    routes: [GET /who echo: inner]\n",
                  .files = CertificateFiles(),
                  .passed = {{"web", web.fd()}, {"in side", inner.fd()}, {"web", file.fd()}}});
  ASSERT_TRUE(daemon.ready());
  ASSERT_EQ(daemon.listening().size(), 4u);
  EXPECT_EQ(daemon.address(0), web.address());
  EXPECT_EQ(daemon.address(1), file.address());
  EXPECT_EQ(daemon.address(2), inner.address());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Client(web.address()).Get("/who").body, "web");
    EXPECT_EQ(Client(file.address()).Get("/who").body, "web");
  }
  const TlsOptions trusting{.trusted = daemon.folder().File("certificate.pem")};
  EXPECT_EQ(Client(inner.address(), trusting).Get("/who").body, "inner");
  EXPECT_EQ(Client(daemon.address(3)).Get("/who").status, 404);
  EXPECT_THAT(daemon.Log(), Not(HasSubstr("no entry of listen")));
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_TRUE(Exists(folder.File("web.sock")));
}

// A name that was dropped can be taken up again, and who has waited meanwhile is served.
TEST(PassedSockets, AreKeptOverReloads) {
  Bound web;
  Bound other;
  web.Listen();
  other.Listen();
  Daemon daemon(DaemonSetup{.config = Serving("systemd:web"),
                            .passed = {{"web", web.fd()}, {"other", other.fd()}}});
  ASSERT_TRUE(daemon.ready());
  EXPECT_TRUE(daemon.WaitForLog("no entry of listen takes the passed socket \"other\""));
  EXPECT_EQ(Client(web.address()).Get("/").body, "here");

  daemon.Configure(Serving("systemd:other"));
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_THAT(daemon.listening(), ElementsAre(other.address()));
  EXPECT_TRUE(daemon.WaitForLog("no entry of listen takes the passed socket \"web\""));
  EXPECT_EQ(Client(other.address()).Get("/").body, "here");
  Client waiting(web.address());
  ASSERT_TRUE(waiting.connected()) << waiting.fault();
  EXPECT_TRUE(waiting.Send(GetRequest("/")));

  daemon.Configure(Serving("systemd:none"));
  const Notice failed = daemon.Reload();
  EXPECT_EQ(failed.reload, "failed");
  EXPECT_THAT(failed.status,
              HasSubstr("quipd.yaml:1:9: error: listening on systemd:none: no socket of that name "
                        "was passed; passed are: web, other"));
  EXPECT_EQ(Client(other.address()).Get("/").body, "here");

  daemon.Configure(Serving("[systemd:other, systemd:web]"));
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(waiting.Read().body, "here");
}

TEST(PassedSockets, ThatCannotBeServedAreNamed) {
  TempFolder folder;
  Bound good;
  good.Listen();
  const Bound silent;
  const Bound datagrams(SOCK_DGRAM);
  const FileDescriptor no_socket(eventfd(0, EFD_CLOEXEC));
  using Environment = std::vector<std::pair<std::string, std::string>>;
  const struct {
    const char* what;
    std::vector<PassedDescriptor> passed;
    Environment environment;
    std::string told;
  } rows[] = {
      {"none", {}, {}, "no socket was passed to quipd"},
      {"another name",
       {{"site", good.fd()}, {"admin", good.fd()}, {"site", good.fd()}},
       {},
       "no socket of that name was passed; passed are: site, admin\n"},
      {"no names at all",
       {{"web", good.fd()}},
       {{"LISTEN_FDNAMES", ""}},
       "no socket of that name was passed; passed are: "},
      {"datagrams", {{"web", datagrams.fd()}}, {}, "it is a datagram socket"},
      {"one of two", {{"web", good.fd()}, {"web", silent.fd()}}, {}, "it doesn't listen"},
      {"no socket", {{"web", no_socket.get()}}, {}, "it is no socket"},
      {"no number",
       {{"web", good.fd()}},
       {{"LISTEN_FDS", "many"}},
       "taking the sockets of LISTEN_FDS=many LISTEN_PID="},
      {"too many",
       {{"web", good.fd()}},
       {{"LISTEN_FDS", "500"}},
       "taking the sockets of LISTEN_FDS=500 LISTEN_PID="},
      {"of another process",
       {{"web", good.fd()}},
       {{"LISTEN_PID", "1"}},
       "LISTEN_PID is 1, this process is "},
      {"no process",
       {{"web", good.fd()}},
       {{"LISTEN_PID", "x"}},
       "taking the sockets of LISTEN_FDS=1 LISTEN_PID=x: Invalid argument"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    folder.Write("quipd.yaml", Serving("[127.0.0.1:0, systemd:web]"));
    ProcessSetup setup;
    setup.environment = row.environment;
    setup.passed = row.passed;
    const Outcome outcome = RunQuipd({"run", "-c", folder.File("quipd.yaml")}, setup);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.errors,
                HasSubstr("quipd.yaml:1:23: error: listening on systemd:web: " + row.told));
  }
}

// What nobody asked for is no reason not to start, but is told.
TEST(PassedSockets, ThatNobodyWantsAreTold) {
  Bound good;
  good.Listen();
  const struct {
    std::vector<std::pair<std::string, std::string>> environment;
    const char* told;
  } rows[] = {
      {{{"LISTEN_FDS", "many"}}, "LISTEN_FDS=many"},
      {{{"LISTEN_PID", "1"}}, "LISTEN_PID is 1"},
      {{}, "no entry of listen takes the passed socket \"web\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.told);
    Daemon daemon(DaemonSetup{.config = Serving("127.0.0.1:0"),
                              .environment = row.environment,
                              .passed = {{"web", good.fd()}}});
    ASSERT_TRUE(daemon.ready());
    EXPECT_TRUE(daemon.WaitForLog(row.told));
    EXPECT_EQ(daemon.Connect().Get("/").body, "here");
  }
}

// The "a restart refuses no connection": whoever connects while no quipd runs, or as one
// ends, is answered by that one or by the next.
TEST(PassedSockets, RestartUnderLoadRefusesNobody) {
  Bound web;
  web.Listen();
  const auto start = [&web] {
    return std::make_unique<Daemon>(DaemonSetup{.config = Serving("systemd:web") + "workers: 2\n",
                                                .passed = {{"web", web.fd()}}});
  };
  std::unique_ptr<Daemon> daemon = start();
  ASSERT_TRUE(daemon->ready());
  std::atomic<bool> done = false;
  std::atomic<int> answered = 0;
  std::atomic<int> failed = 0;
  std::string first_fault;
  const auto load = [&] {
    while (!done) {
      Client client(web.address());
      const Response response = client.Get("/", "Connection: close\r\n");
      if (response.status == 200) {
        ++answered;
      } else if (failed++ == 0) {
        first_fault = client.fault() + " / " + response.fault;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(load);
  for (int round = 0; round < 3; ++round) {
    const int before = answered;
    EXPECT_TRUE(Eventually([&] { return answered > before + 50; }));
    EXPECT_EQ(daemon->Stop(), 0) << daemon->Log();
    daemon = start();
  }
  const int before = answered;
  EXPECT_TRUE(Eventually([&] { return answered > before + 50; }));
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0) << first_fault;
}

TEST(PassedSockets, WhoIsQueuedIsServedByTheNext) {
  Bound web;
  web.Listen();
  const DaemonSetup setup{.config = Serving("systemd:web"), .passed = {{"web", web.fd()}}};
  {
    Daemon first(setup);
    ASSERT_TRUE(first.ready());
    EXPECT_EQ(Client(web.address()).Get("/").body, "here");
  }
  Client waiting(web.address());
  ASSERT_TRUE(waiting.connected()) << waiting.fault();
  Daemon second(setup);
  ASSERT_TRUE(second.ready());
  EXPECT_EQ(waiting.Get("/").body, "here");
}

}  // namespace
}  // namespace quipd::test
