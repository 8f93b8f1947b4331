// SPDX-License-Identifier: MIT
// Pipelined requests, plain and over TLS: in order however they are cut, and with back-pressure
// where nobody reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::milliseconds;

std::string Config() {
  std::string config = std::string(kPlainAndTls) + "workers: 1\nroutes:\n";
  for (int i = 0; i < 10; ++i) {
    config += "  - GET /" + std::to_string(i) + " echo: body " + std::to_string(i) + "\n";
  }
  return config +
         "  - ANY /reflect reflect: json\n"
         "  - GET /tpl/{name} echo: hello {{name}}\n"
         "    template: on\n"
         "  - GET /long file: long.txt\n";
}

DaemonSetup Configuration() {
  DaemonSetup setup{.config = Config(), .files = CertificateFiles()};
  setup.files.emplace_back("long.txt", std::string(50'000, 'l'));
  return setup;
}

// Over TLS where the parameter is true.
class Pipelining : public testing::TestWithParam<bool> {
 protected:
  Pipelining() : daemon_(Configuration()) {}

  void SetUp() override {
    ASSERT_TRUE(daemon_.ready());
    endpoint_ = GetParam() ? daemon_.TlsEndpoint() : daemon_.PlainEndpoint();
  }
  [[nodiscard]] Client Connect() const { return endpoint_.Connect(); }

  Daemon daemon_;
  Endpoint endpoint_;
};

INSTANTIATE_TEST_SUITE_P(Both, Pipelining, testing::Bool(),
                         [](const auto& tls) { return tls.param ? "Tls" : "Plain"; });

// C59.
TEST_P(Pipelining, ThreeRequestsCutAtEveryByte) {
  const std::string requests = GetRequest("/1") + GetRequest("/2") + GetRequest("/3");
  for (size_t cut = 0; cut < requests.size(); ++cut) {
    Client client = Connect();
    client.Send(requests.substr(0, cut));
    client.Send(requests.substr(cut));
    for (const char* body : {"body 1", "body 2", "body 3"}) {
      const Response response = client.Read();
      ASSERT_EQ(response.body, body) << "cut at " << cut << ": " << response.fault;
    }
  }
}

TEST_P(Pipelining, RequestsWithBodiesCutAtEveryByte) {
  const std::string requests =
      PostRequest("/reflect", "one") +
      "POST /reflect HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\ntwo\r\n0\r\n\r\n" +
      GetRequest("/tpl/x");
  for (size_t cut = 0; cut < requests.size(); cut += 1) {
    Client client = Connect();
    client.Send(requests.substr(0, cut));
    client.Send(requests.substr(cut));
    EXPECT_THAT(client.Read().body, testing::HasSubstr("\"body\":\"one\"")) << cut;
    EXPECT_THAT(client.Read().body, testing::HasSubstr("\"body\":\"two\"")) << cut;
    ASSERT_EQ(client.Read().body, "hello x") << cut;
  }
}

TEST_P(Pipelining, ManyInOneSegment) {
  std::string requests;
  constexpr int kCount = 2000;
  for (int i = 0; i < kCount; ++i) {
    requests += GetRequest("/" + std::to_string(i % 10));
  }
  Client client = Connect();
  // As a client does that writes all before it reads: its answers fit the system's buffers.
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < kCount; ++i) {
    const Response response = client.Read();
    ASSERT_EQ(response.body, "body " + std::to_string(i % 10)) << i << ": " << response.fault;
  }
}

// What a client sends that does not read: requests for these targets in turn, padded so that all
// together are more than the system's buffers hold.
struct Flood {
  std::vector<std::string> targets;
  int count;
  size_t padding;

  [[nodiscard]] const std::string& Target(int number) const {
    return targets[static_cast<size_t>(number) % targets.size()];
  }
  [[nodiscard]] std::string Requests() const {
    const std::string field = "X-Padding: " + std::string(padding, 'p') + "\r\n";
    std::string requests;
    for (int i = 0; i < count; ++i) {
      requests += GetRequest(Target(i), field);
    }
    return requests;
  }
};

// Sends without reading until the daemon takes no more; what it holds then is bounded, others are
// served, and all is answered in order once the client reads.
void HoldBack(const Daemon& daemon, const Endpoint& endpoint, const Flood& flood) {
  const std::string requests = flood.Requests();
  Client client = endpoint.Connect(4096);
  EXPECT_EQ(client.Get("/1").status, 200);
  const size_t before = daemon.ResidentBytes();
  std::string_view left = requests;
  while (!left.empty() && client.WaitWritable(milliseconds(500))) {
    left.remove_prefix(client.SendSome(left));
  }
  EXPECT_FALSE(left.empty()) << "the daemon has taken everything";
  EXPECT_LT(daemon.ResidentBytes(), before + kMemorySlack);
  EXPECT_EQ(endpoint.Connect().Get("/1").body, "body 1");
  for (int i = 0; i < flood.count; ++i) {
    left.remove_prefix(client.SendSome(left));
    const Response response = client.Read();
    ASSERT_EQ(response.status, 200) << i << ": " << response.fault;
    const std::string& target = flood.Target(i);
    if (target.size() == 2) {
      ASSERT_EQ(response.body, "body " + target.substr(1)) << i;
    }
  }
  EXPECT_TRUE(left.empty());
}

TEST_P(Pipelining, SmallAnswersAreHeldBack) {
  HoldBack(daemon_, endpoint_,
           {{"/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"}, 40'000, 400});
}

TEST_P(Pipelining, LongAnswersAreHeldBack) {
  HoldBack(daemon_, endpoint_, {{"/long", "/1"}, 1'000, 14'000});
}

TEST_P(Pipelining, TemplatesAreHeldBack) {
  HoldBack(daemon_, endpoint_, {{"/tpl/a", "/1"}, 40'000, 400});
}

TEST_P(Pipelining, AnswersOfEvhttpAreHeldBack) {
  HoldBack(daemon_, endpoint_, {{"/1", "/reflect", "/2"}, 6'000, 3'000});
}

}  // namespace
}  // namespace quipd::test
