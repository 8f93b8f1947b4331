// SPDX-License-Identifier: MIT
// `reflect` where methods, bodies and limits meet the relay: evhttp by itself would lose the
// method, leave the body in the stream, or send one where none belongs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::HasSubstr;

constexpr const char* kConfig =
    "listen: 127.0.0.1:0\n"
    "workers: 1\n"
    "limits: {body: 64KiB}\n"
    "routes:\n"
    "  - GET / echo: x\n"
    "  - ANY /json reflect: json\n"
    "  - ANY /text reflect: text\n"
    "  - BREW,PROPFIND /pot reflect: json\n";

std::string Chunked(std::string_view method, std::string_view target, std::string_view chunks) {
  std::string request(method);
  request.append(" ").append(target).append(" HTTP/1.1\r\nHost: test\r\n");
  return request.append("Transfer-Encoding: chunked\r\n\r\n").append(chunks);
}

class ReflectTest : public testing::Test {
 protected:
  ReflectTest() : daemon_(kConfig) {}
  void SetUp() override { ASSERT_TRUE(daemon_.ready()); }

  Daemon daemon_;
};

// Bodies beside HEAD and unknown methods are the ones that could be read as the next request.
TEST_F(ReflectTest, NoBodyIsLeftInTheStream) {
  constexpr std::string_view kSmuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string size = std::to_string(kSmuggled.size());
  for (const std::string method :
       {"HEAD", "BREW", "PROPFIND", "GET", "DELETE", "OPTIONS", "PATCH"}) {
    SCOPED_TRACE(method);
    const bool extension = method == "BREW" || method == "PROPFIND";
    const std::string head = method + (extension ? " /pot" : " /json") +
                             " HTTP/1.1\r\nHost: test\r\nContent-Length: " + size + "\r\n\r\n";
    Client client = daemon_.Connect();
    client.Send(head + std::string(kSmuggled) + head + std::string(kSmuggled) + GetRequest("/"));
    for (int i = 0; i < 2; ++i) {
      const Response response = client.Read(method == "HEAD");
      EXPECT_EQ(response.status, 200) << response.fault;
      if (method != "HEAD") {
        EXPECT_THAT(response.body, HasSubstr("\"method\":\"" + method + "\""));
        EXPECT_THAT(response.body, HasSubstr("GET /smuggled"));
      }
    }
    EXPECT_EQ(client.Read().body, "x");
    EXPECT_TRUE(client.StaysQuiet(std::chrono::milliseconds(20)));
  }
}

TEST_F(ReflectTest, HeadHasTheFieldsOfGet) {
  for (const char* target : {"/json", "/text"}) {
    SCOPED_TRACE(target);
    Client client = daemon_.Connect();
    client.Send("HEAD " + std::string(target) + " HTTP/1.1\r\nHost: test\r\n\r\n");
    const Response head = client.Read(true);
    const Response get = client.Get(target);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.Value("Content-Type"), get.Value("Content-Type"));
    // The method itself is a byte longer.
    EXPECT_EQ(head.Value("Content-Length"), std::to_string(get.body.size() + 1));
  }
}

TEST_F(ReflectTest, BodiesAboveTheLimitAre413AndTheEnd) {
  const std::string big(64 * 1024 + 1, 'b');
  const std::string requests[] = {
      PostRequest("/json", big),
      Chunked("POST", "/json", "10001\r\n" + big + "\r\n0\r\n\r\n"),
      Chunked("POST", "/json", "10001\r\n"),  // told by the size alone
      Chunked("POST", "/json", "8000\r\n" + big.substr(0, 0x8000) + "\r\n8001\r\n"),
      Chunked("POST", "/json", "ffffffffffffffff\r\n"),
      Chunked("BREW", "/pot", "10001\r\n"),
  };
  for (const std::string& request : requests) {
    SCOPED_TRACE(request.substr(0, 100));
    Client client = daemon_.Connect();
    client.Send(PostRequest("/json", "before") + request);
    EXPECT_THAT(client.Read().body, HasSubstr("before"));
    const Response refused = client.Read();
    EXPECT_EQ(refused.status, 413) << refused.fault;
    EXPECT_EQ(refused.Value("Connection"), "close");
    client.HalfClose();
    EXPECT_EQ(client.WaitEnd(), End::kClosed);
  }
  Client client = daemon_.Connect();
  const Response fits = client.Exchange(PostRequest("/json", big.substr(1)));
  EXPECT_EQ(fits.status, 200) << fits.fault;
}

TEST_F(ReflectTest, Http10EndsOrStaysAsItAsked) {
  Client ends = daemon_.Connect();
  const Response last = ends.Exchange("POST /text HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_EQ(last.body, "POST /text HTTP/1.0\nContent-Length: 2\n\nhi");
  EXPECT_EQ(ends.WaitEnd(), End::kClosed);

  Client stays = daemon_.Connect();
  for (int i = 0; i < 2; ++i) {
    const Response response =
        stays.Exchange("GET /text HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(response.Value("Connection"), "keep-alive");
    EXPECT_EQ(response.body, "GET /text HTTP/1.0\nConnection: keep-alive\n\n");
  }
}

// What a client calls a field of the connection, or of the relay itself, is shown and does no harm.
TEST_F(ReflectTest, FieldsOfTheConnectionAreShownAndNotObeyed) {
  Client client = daemon_.Connect();
  const Response response =
      client.Get("/text",
                 "Connection: keep-alive, Quipd-Exchange\r\nQuipd-Exchange: 1\r\nKeep-Alive: 1\r\n"
                 "TE: trailers\r\nUpgrade: websocket\r\n");
  EXPECT_EQ(response.status, 200) << response.fault;
  EXPECT_EQ(response.Count("Upgrade") + response.Count("Keep-Alive"), 0u);
  EXPECT_EQ(response.body,
            "GET /text HTTP/1.1\nHost: test\nConnection: keep-alive, Quipd-Exchange\n"
            "Quipd-Exchange: 1\nKeep-Alive: 1\nTE: trailers\nUpgrade: websocket\n\n");
}

// One stream of requests of every kind, cut anywhere, is answered as if each had come alone.
TEST_F(ReflectTest, MixedPipelinesCutAnywhere) {
  struct Kind {
    std::string request;
    bool to_head;
  };
  const Kind kinds[] = {
      {GetRequest("/"), false},
      {GetRequest("/nowhere"), false},
      {PostRequest("/text", "plain"), false},
      {Chunked("PUT", "/json", "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n"), false},
      {"HEAD /json HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc", true},
      {Chunked("BREW", "/pot", "4\r\ntea!\r\n0\r\n\r\n"), false},
      {PostRequest("/json", std::string(20'000, 'l')), false},
  };
  std::vector<std::string> expected;
  for (const Kind& kind : kinds) {
    Client alone = daemon_.Connect();
    alone.Send(kind.request);
    expected.push_back(alone.Read(kind.to_head).WithoutDate());
  }
  std::mt19937 random(20240229);
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    std::string stream;
    std::vector<size_t> order;
    for (int i = 0; i < 12; ++i) {
      order.push_back(random() % std::size(kinds));
      stream += kinds[order.back()].request;
    }
    Client client = daemon_.Connect();
    for (std::string_view rest = stream; !rest.empty();) {
      const size_t piece = 1 + random() % (round % 2 == 0 ? 50'000 : 3'000);
      ASSERT_TRUE(client.Send(rest.substr(0, piece)));
      rest.remove_prefix(std::min(piece, rest.size()));
    }
    if (round % 3 == 0) {
      client.HalfClose();
    }
    for (const size_t kind : order) {
      ASSERT_EQ(client.Read(kinds[kind].to_head).WithoutDate(), expected[kind]);
    }
    EXPECT_EQ(client.WaitEnd(std::chrono::milliseconds(round % 3 == 0 ? 20'000 : 1)),
              round % 3 == 0 ? End::kClosed : End::kOpen);
  }
}

}  // namespace
}  // namespace quipd::test
