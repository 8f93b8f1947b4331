// SPDX-License-Identifier: MIT
// What evhttp answers, by way of the relay: in order with other answers, with clients that
// half-close, reset and stall.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr const char* kConfig =
    "listen: 127.0.0.1:0\n"
    "workers: 1\n"
    "limits: {body: 2MiB}\n"
    "headers: {X-Site: here}\n"
    "routes:\n"
    "  - GET / echo: x\n"
    "  - ANY /reflect reflect: json\n"
    "  - ANY /text reflect: text\n"
    "  - ANY /params/{id}/{rest...} reflect: json\n"
    "    headers: {X-Rule: \"1\"}\n"
    "    cache: 1h\n";

class RelayTest : public testing::Test {
 protected:
  RelayTest() : daemon_(kConfig) {}
  void SetUp() override { ASSERT_TRUE(daemon_.ready()); }

  Daemon daemon_;
};

TEST_F(RelayTest, TellsTheRequest) {
  Client client = daemon_.Connect();
  const Response response = client.Exchange(
      "PUT /params/7/a/b%20c?x=1&y=%C3%A9&x=2+3 HTTP/1.1\r\nhOsT: api.example:80\r\nX-One: 1\r\n"
      "X-Two:  2 \r\nX-One: again\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(response.status, 200) << response.fault;
  EXPECT_EQ(response.Value("Content-Type"), "application/json");
  EXPECT_EQ(response.Value("X-Rule"), "1");
  EXPECT_EQ(response.Value("X-Site"), "here");
  EXPECT_EQ(response.Value("Cache-Control"), "max-age=3600");
  EXPECT_EQ(response.Value("Server"), "quipd");
  EXPECT_EQ(response.Count("Content-Length"), 1u);
  const auto told = nlohmann::ordered_json::parse(response.body, nullptr, false);
  ASSERT_TRUE(told.is_object()) << response.body;
  std::vector<std::string> keys;
  for (const auto& item : told.items()) {
    keys.push_back(item.key());
  }
  EXPECT_THAT(keys, testing::ElementsAre("method", "target", "path", "params", "query", "headers",
                                         "body", "base64", "client", "tls"));
  EXPECT_EQ(told["method"], "PUT");
  EXPECT_EQ(told["target"], "/params/7/a/b%20c?x=1&y=%C3%A9&x=2+3");
  EXPECT_EQ(told["path"], "/params/7/a/b c");
  EXPECT_EQ(told["params"]["id"], "7");
  EXPECT_EQ(told["params"]["rest"], "a/b c");
  EXPECT_EQ(told["query"].dump(), R"([["x","1"],["y","é"],["x","2 3"]])");
  EXPECT_EQ(told["headers"].dump(),
            R"([["hOsT","api.example:80"],["X-One","1"],["X-Two","2"],["X-One","again"],)"
            R"(["Content-Length","5"]])");
  EXPECT_EQ(told["body"], "hello");
  EXPECT_EQ(told["base64"], false);
  EXPECT_EQ(told["client"], "127.0.0.1");
  EXPECT_EQ(told["tls"], false);
}

TEST_F(RelayTest, BodyThatIsNotTextIsBase64) {
  Client client = daemon_.Connect();
  const Response response =
      client.Exchange(PostRequest("/reflect", std::string("\xff\x00\xfe", 3)));
  const auto told = nlohmann::json::parse(response.body, nullptr, false);
  ASSERT_TRUE(told.is_object()) << response.body;
  EXPECT_EQ(told["base64"], true);
  EXPECT_EQ(told["body"], "/wD+");
}

TEST_F(RelayTest, TextForm) {
  Client client = daemon_.Connect();
  const Response response = client.Exchange(PostRequest("/text?q=1", "the body", "X-A: b\r\n"));
  EXPECT_EQ(response.Value("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_THAT(response.body, testing::AllOf(HasSubstr("POST /text?q=1"), HasSubstr("X-A: b"),
                                            HasSubstr("the body")));
}

TEST_F(RelayTest, BodiesUpToTheLimit) {
  Client client = daemon_.Connect();
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{2 * 1024 * 1024}}) {
    SCOPED_TRACE(size);
    const std::string body(size, 'b');
    const Response response = client.Exchange(PostRequest("/reflect", body));
    EXPECT_EQ(response.status, 200) << response.fault;
    const auto told = nlohmann::json::parse(response.body, nullptr, false);
    ASSERT_TRUE(told.is_object());
    EXPECT_TRUE(told["body"] == body);
  }
  const Response refused =
      client.Exchange(PostRequest("/reflect", std::string(2 * 1024 * 1024 + 1, 'b')));
  EXPECT_EQ(refused.status, 413) << refused.fault;
}

TEST_F(RelayTest, ChunkedBodyInPieces) {
  std::string request = "POST /reflect HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string body;
  for (int i = 0; i < 200; ++i) {
    const std::string part = "part " + std::to_string(i) + ";";
    std::array<char, 20> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", part.size());
    request.append(size.data()).append(part).append("\r\n");
    body += part;
  }
  request += "0\r\n\r\n";
  Client client = daemon_.Connect();
  client.SendInPieces(request, 7);
  const Response response = client.Read();
  const auto told = nlohmann::json::parse(response.body, nullptr, false);
  ASSERT_TRUE(told.is_object()) << response.fault << response.raw;
  EXPECT_EQ(told["body"], body);
}

TEST_F(RelayTest, AnswersStayInOrderAmongOthers) {
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += GetRequest("/") + PostRequest("/reflect", "body " + std::to_string(i) + ".") +
                GetRequest("/nowhere");
  }
  Client client = daemon_.Connect();
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(client.Read().body, "x") << i;
    ASSERT_THAT(client.Read().body, HasSubstr("body " + std::to_string(i) + "."));
    ASSERT_EQ(client.Read().status, 404) << i;
  }
}

TEST_F(RelayTest, ManyClientsAtOnce) {
  std::vector<Client> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(daemon_.Connect());
    clients.back().Send(PostRequest("/reflect", "client " + std::to_string(i) + "."));
  }
  for (size_t i = 0; i < clients.size(); ++i) {
    const Response response = clients[i].Read();
    EXPECT_THAT(response.body, HasSubstr("client " + std::to_string(i) + ".")) << response.fault;
  }
}

TEST_F(RelayTest, HalfCloseBehindALargeBody) {
  const std::string body(1024 * 1024, 'h');
  Client client = daemon_.Connect(8192);
  ASSERT_TRUE(client.Send(PostRequest("/reflect", body) + GetRequest("/")));
  client.HalfClose();
  EXPECT_THAT(client.Read().body, HasSubstr(body));
  EXPECT_EQ(client.Read().body, "x");
  EXPECT_EQ(client.WaitEnd(), End::kClosed);
}

// Clients that leave in every state cost nothing that stays.
TEST_F(RelayTest, ClientsThatReset) {
  Client canary = daemon_.Connect();
  EXPECT_EQ(canary.Get("/reflect").status, 200);
  const size_t files = daemon_.OpenFiles();
  const std::string request = PostRequest("/reflect", std::string(500'000, 'r'));
  for (int i = 0; i < 40; ++i) {
    Client client = daemon_.Connect(4096);
    const std::string_view part =
        std::string_view(request).substr(0, i % 4 == 0 ? request.size() / 2 : request.size());
    client.Send(part);
    if (i % 4 == 1) {
      (void)client.WaitEnd();  // until the answer begins
    }
    i % 2 == 0 ? client.Reset() : client.Close();
  }
  EXPECT_EQ(canary.Get("/reflect").status, 200);
  // Some connections of the pool may stay, those of the clients may not.
  EXPECT_TRUE(Eventually([&] { return daemon_.OpenFiles() <= files + 20; }))
      << daemon_.OpenFiles() << " open, " << files << " before";
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(daemon_.Connect().Get("/reflect").status, 200);
  }
}

// A client that stalls over its answer holds back nobody else, and no memory beyond its answer.
TEST_F(RelayTest, ClientsThatStall) {
  std::vector<Client> stalled;
  const std::string body(1024 * 1024, 's');
  for (int i = 0; i < 8; ++i) {
    stalled.push_back(daemon_.Connect(4096));
    ASSERT_TRUE(stalled.back().Send(PostRequest("/reflect", body)));
    EXPECT_EQ(stalled.back().WaitEnd(), End::kBytes);
  }
  Client other = daemon_.Connect();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(other.Get("/reflect").status, 200);
    EXPECT_EQ(other.Get("/").body, "x");
  }
  for (Client& client : stalled) {
    EXPECT_THAT(client.Read().body, HasSubstr(body));
  }
}

TEST_F(RelayTest, ReloadUnderWay) {
  Client client = daemon_.Connect();
  const std::string request = PostRequest("/reflect", "0123456789");
  client.Send(request.substr(0, request.size() - 5));
  EXPECT_EQ(daemon_.Connect().Get("/").status, 200);
  daemon_.Configure("listen: 127.0.0.1:0\nroutes:\n  - GET / echo: new\n");
  EXPECT_EQ(daemon_.Reload().reload, "ok");
  client.Send(request.substr(request.size() - 5) + GetRequest("/"));
  EXPECT_THAT(client.Read().body, HasSubstr("0123456789"));
  EXPECT_EQ(client.Read().body, "new");
  EXPECT_EQ(client.Get("/reflect").status, 404);
}

// Nobody but the daemon itself may speak to its evhttp.
TEST_F(RelayTest, SocketTakesNoStrangers) {
  EXPECT_EQ(daemon_.Connect().Get("/reflect").status, 200);
  std::istringstream table(ReadWhole("/proc/net/unix"));
  int tried = 0;
  for (std::string line; std::getline(table, line);) {
    const size_t at = line.find(" @");
    if (at == std::string::npos || line.find("quipd", at) == std::string::npos) {
      continue;
    }
    ++tried;
    Client stranger("unix:" + line.substr(at + 1));
    if (stranger.connected()) {
      const Response response = stranger.Get("/reflect");
      EXPECT_NE(response.status, 200) << response.raw;
    }
  }
  RecordProperty("sockets_tried", tried);
}

}  // namespace
}  // namespace quipd::test
