// SPDX-License-Identifier: MIT
// Floods, plain and over TLS: what a client sends without end takes no memory, and whoever else is
// there is answered in the meantime. scripts/slow-clients asks the same of a release build, with
// sharper bounds.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Of a busy machine; a daemon that waits for somebody would be later by far.
constexpr milliseconds kCanaryPatience{kSanitized ? 10'000 : 2'000};

// Somebody else, who asks all the time and notes how long he waited at most.
class Canary {
 public:
  explicit Canary(const Endpoint& endpoint)
      : client_(endpoint.Connect()), thread_([this] { Sing(); }) {}
  ~Canary() { Stop(); }
  Canary(const Canary&) = delete;
  Canary& operator=(const Canary&) = delete;

  // How long he waited at most; he has been answered each time.
  milliseconds Stop() {
    stopped_ = true;
    if (thread_.joinable()) {
      thread_.join();
      EXPECT_TRUE(all_answered_);
    }
    return longest_;
  }

 private:
  void Sing() {
    do {
      const auto begin = steady_clock::now();
      all_answered_ = all_answered_ && client_.Get("/").status == 200;
      longest_ = std::max(longest_, duration_cast<milliseconds>(steady_clock::now() - begin));
    } while (!stopped_ && all_answered_);
  }

  Client client_;
  std::atomic<bool> stopped_{false};
  bool all_answered_ = true;
  milliseconds longest_{0};
  std::thread thread_;
};

// Over TLS where the parameter is true.
class Floods : public testing::TestWithParam<bool> {
 protected:
  Floods()
      : daemon_(DaemonSetup{.config = std::string(kPlainAndTls) +
                                      "workers: 1\n"
                                      "limits: {body: 256KiB}\n"
                                      "routes:\n"
                                      "  - GET / echo: x\n"
                                      "  - POST /post echo: posted\n"
                                      "  - GET /long echo: " +
                                      std::string(50'000, 'l') + "\n",
                            .files = CertificateFiles()}) {}

  void SetUp() override {
    ASSERT_TRUE(daemon_.ready());
    endpoint_ = GetParam() ? daemon_.TlsEndpoint() : daemon_.PlainEndpoint();
    EXPECT_EQ(endpoint_.Connect().Get("/").status, 200);
  }

  Daemon daemon_;
  Endpoint endpoint_;
};

INSTANTIATE_TEST_SUITE_P(Both, Floods, testing::Bool(),
                         [](const auto& tls) { return tls.param ? "Tls" : "Plain"; });

// C62, C63: heads and bodies without end.
TEST_P(Floods, WithoutEndTakeNoMemory) {
  const std::string chunked =
      "POST /post HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const struct {
    const char* name;
    std::string begin;
    std::string repeated;
  } rows[] = {
      {"header flood", "GET / HTTP/1.1\r\nHost: a\r\n", "X-Flood: 0123456789\r\n"},
      {"empty fields", "GET / HTTP/1.1\r\nHost: a\r\n", "a:\r\n"},
      {"one long field", "GET / HTTP/1.1\r\nHost: a\r\nX: ", "0123456789"},
      {"request line", "GET /", "0123456789"},
      {"empty lines", "", "\r\n"},
      {"chunk size", chunked + "5", "0000000000"},
      {"chunk extension", chunked + "5;", "0123456789"},
      {"giant chunk", chunked + "fffffff\r\n", "0123456789"},
      {"many chunks", chunked, "1\r\nx\r\n"},
      {"trailers", chunked + "0\r\n", "X-Flood: 0123456789\r\n"},
      {"body", "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", "0123456789"},
  };
  Canary canary(endpoint_);
  const size_t before = daemon_.ResidentBytes();
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Client client = endpoint_.Connect();
    client.Send(row.begin);
    std::string part;
    while (part.size() < 65536) {
      part += row.repeated;
    }
    for (int i = 0; i < 40 && client.Send(part); ++i) {
    }
    const Response response = client.Read();
    EXPECT_TRUE(response.status >= 400 && response.status < 500) << response.fault;
    EXPECT_EQ(response.Value("Connection"), "close");
  }
  EXPECT_LT(daemon_.ResidentBytes(), before + kMemorySlack);
  EXPECT_LT(canary.Stop(), kCanaryPatience);
}

// Many who send without reading: each is held back, all together take what their queues may hold.
TEST_P(Floods, OfPipelinedRequestsAreHeldBack) {
  constexpr size_t kClients = 20;
  std::string requests;
  for (int i = 0; i < 200; ++i) {
    requests += GetRequest(i % 2 == 0 ? "/long" : "/");
  }
  Canary canary(endpoint_);
  const size_t before = daemon_.ResidentBytes();
  std::vector<Client> clients;
  for (size_t i = 0; i < kClients; ++i) {
    clients.push_back(endpoint_.Connect(4096));
  }
  // What TLS took a part of must be followed by its rest.
  std::vector<std::string_view> left(kClients);
  size_t total = 0;
  for (size_t quiet = 0; quiet < 3 * kClients && total < size_t{256} * 1024 * 1024; ++quiet) {
    std::string_view& rest = left[quiet % kClients];
    rest = rest.empty() ? requests : rest;
    const size_t sent = clients[quiet % kClients].SendSome(rest);
    rest.remove_prefix(sent);
    total += sent;
    quiet = sent > 0 ? quiet % kClients : quiet;
  }
  EXPECT_LT(total, size_t{256} * 1024 * 1024) << "the daemon takes everything";
  EXPECT_LT(daemon_.ResidentBytes(), before + kMemorySlack + kClients * 512 * 1024);
  EXPECT_LT(canary.Stop(), kCanaryPatience);
  for (Client& client : clients) {
    EXPECT_EQ(client.Read().status, 200);  // each is served
  }
}

// Connections that do nothing take next to nothing.
TEST_P(Floods, OfIdleConnectionsTakeLittle) {
  constexpr size_t kClients = 400;
  Canary canary(endpoint_);
  std::vector<Client> clients;
  clients.push_back(endpoint_.Connect());
  EXPECT_EQ(clients.back().Get("/").status, 200);
  const size_t before = daemon_.ResidentBytes();
  for (size_t i = 0; i < kClients; ++i) {
    clients.push_back(endpoint_.Connect());
    ASSERT_EQ(clients.back().Get("/").status, 200) << i << clients.back().fault();
  }
  const size_t each = GetParam() ? 64 * 1024 : 4 * 1024;
  EXPECT_LT(daemon_.ResidentBytes(), before + kClients * each + kMemorySlack);
  EXPECT_LT(canary.Stop(), kCanaryPatience);
  EXPECT_EQ(clients.front().Get("/").status, 200);
}

}  // namespace
}  // namespace quipd::test
