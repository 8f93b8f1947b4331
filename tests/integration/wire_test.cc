// SPDX-License-Identifier: MIT
// What only a client that waits, or sends much, can see: Expect, large bodies, Date, errors and
// bodies from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::milliseconds;

const std::string kConfig =
    "listen: 127.0.0.1:0\n"
    "workers: 1\n"
    "routes:\n"
    "  - GET / echo: x\n"
    "  - POST /post echo: posted\n"
    "  - ANY /reflect reflect: json\n"
    "  - GET /empty status: 204\n";

class Wire : public testing::Test {
 protected:
  Wire() : daemon_(kConfig) {}
  void SetUp() override { ASSERT_TRUE(daemon_.ready()); }

  Daemon daemon_;
};

// C57: 100 once, then the answer when the body is here; the connection goes on.
TEST_F(Wire, ExpectIsContinuedOnce) {
  for (const char* target : {"/post", "/reflect"}) {
    SCOPED_TRACE(target);
    Client client = daemon_.Connect();
    const std::string request = PostRequest(target, "hello", "Expect: 100-continue\r\n");
    client.Send(request.substr(0, request.size() - 5));
    EXPECT_EQ(client.Read().status, 100);
    EXPECT_TRUE(client.StaysQuiet(milliseconds(50)));
    client.Send("he");
    EXPECT_TRUE(client.StaysQuiet(milliseconds(50)));
    client.Send("llo");
    EXPECT_EQ(client.Read().status, 200);
    EXPECT_EQ(client.Get("/").body, "x");
  }
}

TEST_F(Wire, ExpectWithItsBodyNeedsNoContinue) {
  Client client = daemon_.Connect();
  EXPECT_EQ(client.Exchange(PostRequest("/post", "hello", "Expect: 100-continue\r\n")).status, 200);
  EXPECT_EQ(client.Get("/").body, "x");
}

TEST_F(Wire, ExpectIsRefusedAtOnce) {
  const struct {
    const char* request;
    int status;
  } rows[] = {
      {"POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
       404},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", 405},
      {"FROB / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", 501},
      {"POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\nExpect: 100-continue\r\n\r\n",
       413},
      {"POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 200-ok\r\n\r\n", 417},
      {"POST /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
       "Expect: 100-continue\r\n\r\n",
       404},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.request);
    Client client = daemon_.Connect();
    const Response response = client.Exchange(row.request);
    EXPECT_EQ(response.status, row.status) << response.fault;
    EXPECT_EQ(response.Value("Connection"), "close");
    EXPECT_EQ(client.WaitEnd(), End::kClosed);
  }
}

TEST_F(Wire, ExpectOfHttp10IsIgnored) {
  Client client = daemon_.Connect();
  client.Send("POST /post HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(client.StaysQuiet(milliseconds(100)));
  client.Send("hello");
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_EQ(client.WaitEnd(), End::kClosed);
}

TEST_F(Wire, ExpectBehindOtherRequests) {
  Client client = daemon_.Connect();
  const std::string request = PostRequest("/post", "hello", "Expect: 100-continue\r\n");
  client.Send(GetRequest("/") + PostRequest("/reflect", "one") +
              request.substr(0, request.size() - 5));
  EXPECT_EQ(client.Read().body, "x");
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_EQ(client.Read().status, 100);
  client.Send("hello");
  EXPECT_EQ(client.Read().body, "posted");
}

// An answer is not sent before its body is in and checked.
TEST_F(Wire, AnswerWaitsForTheBody) {
  for (const char* target : {"/post", "/reflect", "/nowhere", "/"}) {
    SCOPED_TRACE(target);
    Client client = daemon_.Connect();
    const std::string request = PostRequest(target, "hello");
    client.Send(request.substr(0, request.size() - 1));
    EXPECT_TRUE(client.StaysQuiet(milliseconds(50)));
    client.Send("o");
    EXPECT_GE(client.Read().status, 200);
    EXPECT_EQ(client.Get("/").body, "x");
  }
}

// C56, row 56: a large body that nobody wants. The answer arrives whole, with no reset before it,
// whether the client reads while it sends or behind it.
TEST_F(Wire, LargeBodyAboveTheLimit) {
  const std::string request = PostRequest("/post", std::string(10 * 1024 * 1024, 'b'));
  for (const bool reads_first : {false, true}) {
    SCOPED_TRACE(reads_first);
    Client client = daemon_.Connect();
    if (reads_first) {
      client.Send(std::string_view(request).substr(0, 50'000));
    } else {
      client.Send(request);
    }
    const Response response = client.Read();
    EXPECT_EQ(response.status, 413) << response.fault;
    EXPECT_EQ(response.Value("Connection"), "close");
    EXPECT_NE(client.WaitEnd(), End::kBytes);
  }
}

TEST(WireLimits, LargeBodyBelowTheLimit) {
  Daemon daemon(kConfig + "limits: {body: 16MiB}\n");
  ASSERT_TRUE(daemon.ready());
  const std::string body(10 * 1024 * 1024, 'b');
  Client client = daemon.Connect();
  const size_t before = daemon.ResidentBytes();
  EXPECT_EQ(client.Exchange(PostRequest("/post", body)).body, "posted");
  EXPECT_LT(daemon.ResidentBytes(), before + 4 * 1024 * 1024) << "a body that nobody wants is kept";
  EXPECT_EQ(client.Get("/").body, "x");
}

std::time_t ParseDate(const std::string& text) {
  std::tm parts{};
  EXPECT_NE(strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts), nullptr) << text;
  return timegm(&parts);
}

// C45: Date is now, on every answer, also after a while without any.
TEST_F(Wire, DateIsNow) {
  Client client = daemon_.Connect();
  std::time_t last = 0;
  for (const milliseconds pause : {milliseconds(0), milliseconds(1100), milliseconds(2100)}) {
    EXPECT_TRUE(client.StaysQuiet(pause));
    for (const char* target : {"/", "/nowhere", "/reflect", "/empty"}) {
      const std::time_t before = std::time(nullptr);
      const std::time_t date = ParseDate(client.Get(target).Value("Date"));
      const std::time_t after = std::time(nullptr);
      // The coarse clock may be a tick behind.
      EXPECT_GE(date, before - 1) << target;
      EXPECT_LE(date, after) << target;
      EXPECT_GE(date, last) << target;
      last = date;
    }
  }
}

// C46: bodies of all sizes; and one above the limit of files is told at load.
TEST(WireFiles, BodiesOfAllSizes) {
  DaemonSetup setup{.config = "listen: 127.0.0.1:0\nlimits: {inline_file: 64MiB}\nroutes:\n"};
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{5000}, size_t{1} << 20, size_t{64} << 20}) {
    const std::string name = std::to_string(size) + ".txt";
    setup.files.emplace_back(name, std::string(size, 'f'));
    setup.config += "  - GET /" + std::to_string(size) + " file: " + name + "\n";
  }
  Daemon daemon(setup);
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  for (const auto& [name, text] : setup.files) {
    SCOPED_TRACE(name);
    const std::string target = "/" + name.substr(0, name.size() - 4);
    EXPECT_TRUE(client.Get(target).body == text);
    const Response head = client.Exchange("HEAD " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(head.Value("Content-Length"), std::to_string(text.size()));
  }
}

// C43, C48: a body file is a body only, its type by its name.
TEST(WireFiles, TypeIsByExtension) {
  Daemon daemon(DaemonSetup{
      .config = "listen: 127.0.0.1:0\nroutes:\n"
                "  - GET /robots.txt file: robots.txt\n"
                "  - GET /a.json file: a.json\n"
                "  - GET /a.PNG file: a.PNG\n"
                "  - GET /none file: none\n"
                "  - GET /typed file: none\n    type: text/x-own\n    status: 503\n"
                "errors: {404: {file: 404.html}}\n",
      .files = {{"robots.txt", "User-agent: * \xe2\x80\x94\n"},
                {"a.json", "{}"},
                {"a.PNG", "png"},
                {"none", "?"},
                {"404.html", "HTTP/1.0 404 Not Found\r\nX-Inner: 1\r\n\r\n<p>gone</p>"}}});
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  EXPECT_EQ(client.Get("/robots.txt").Value("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(client.Get("/robots.txt").body, "User-agent: * \xe2\x80\x94\n");
  EXPECT_EQ(client.Get("/a.json").Value("Content-Type"), "application/json");
  EXPECT_EQ(client.Get("/a.PNG").Value("Content-Type"), "image/png");
  EXPECT_EQ(client.Get("/none").Value("Content-Type"), "application/octet-stream");
  const Response typed = client.Get("/typed");
  EXPECT_EQ(typed.status, 503);
  EXPECT_EQ(typed.Value("Content-Type"), "text/x-own");
  const Response error = client.Get("/nowhere");
  EXPECT_EQ(error.status, 404);
  EXPECT_EQ(error.Count("X-Inner"), 0u);
  EXPECT_EQ(error.body, "HTTP/1.0 404 Not Found\r\nX-Inner: 1\r\n\r\n<p>gone</p>");
  EXPECT_EQ(error.Value("Content-Type"), "text/html; charset=utf-8");
}

// C40: top-level headers on every status, group and rule headers where they belong.
TEST(WireHeaders, StandOnEveryStatus) {
  Daemon daemon(
      "listen: 127.0.0.1:0\n"
      "headers: {X-Top: t, X-Both: top}\n"
      "routes:\n"
      "  - GET /ok echo: x\n"
      "    headers: {X-Both: rule, X-Two: [a, b]}\n"
      "  - GET /moved moved: /ok\n"
      "  - GET /down status: 503\n"
      "  - GET /bare echo: x\n"
      "    without: [x-top, Server]\n"
      "  - prefix: /api\n"
      "    headers: {X-Group: g}\n"
      "    errors: {404: {json: {\"error\": \"no such thing\"}}}\n"
      "    routes:\n"
      "      - GET /a echo: a\n");
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  for (const char* request :
       {"GET /ok", "GET /moved", "GET /down", "GET /nowhere", "POST /ok", "OPTIONS /ok"}) {
    SCOPED_TRACE(request);
    const Response response =
        client.Exchange(std::string(request) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(response.Value("X-Top"), "t") << response.raw;
    EXPECT_EQ(response.Count("X-Group"), 0u);
  }
  const Response ok = client.Get("/ok");
  EXPECT_EQ(ok.Value("X-Both"), "rule");
  EXPECT_EQ(ok.Count("X-Both"), 1u);
  EXPECT_EQ(ok.Count("X-Two"), 2u);
  EXPECT_EQ(client.Get("/bare").Count("X-Top"), 0u);
  const Response lost = client.Get("/api/nowhere");
  EXPECT_EQ(lost.status, 404);
  EXPECT_EQ(lost.Value("X-Group"), "g");
  EXPECT_EQ(lost.body, "{\"error\":\"no such thing\"}");
  EXPECT_EQ(client.Exchange("POST /api/a HTTP/1.1\r\nHost: a\r\n\r\n").Value("X-Group"), "g");
}

// C40, C49: a configured answer to what the rules and, later, the parser refuse.
TEST(WireErrors, ConfiguredOnesAreSent) {
  Daemon daemon(
      "listen: 127.0.0.1:0\n"
      "errors:\n"
      "  404: {html: <p>lost</p>, status: 410, headers: {X-Lost: \"1\"}}\n"
      "  4xx: {json: {\"error\": 4}}\n"
      "  503: {redirect: /ok}\n"
      "routes:\n"
      "  - GET /ok echo: x\n"
      "  - GET /teapot status: 418\n"
      "  - GET /down status: 503\n"
      "  - GET /own echo: own\n    status: 404\n");
  if (!daemon.ready()) {
    return;
  }
  Client client = daemon.Connect();
  const Response lost = client.Get("/nowhere");
  EXPECT_EQ(lost.status, 410);
  EXPECT_EQ(lost.body, "<p>lost</p>");
  EXPECT_EQ(lost.Value("X-Lost"), "1");
  EXPECT_EQ(client.Get("/teapot").body, "{\"error\":4}");
  const Response refused = client.Exchange("POST /ok HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.Value("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(refused.body, "{\"error\":4}");
  const Response moved = client.Get("/down");
  EXPECT_EQ(moved.status, 302);
  EXPECT_EQ(moved.Value("Location"), "/ok");
  EXPECT_EQ(client.Get("/own").body, "own");
}

// A head above what a worker holds in its scratch is sent in parts, with its date and its
// Connection.
TEST(Head, AsLargeAsAConfigurationWritesIt) {
  Daemon daemon("listen: 127.0.0.1:0\nroutes:\n  - GET / echo: hi\n    headers: {X-Large: \"" +
                std::string(300'000, 'x') + "\"}\n");
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  for (const char* connection : {"", "Connection: close\r\n"}) {
    const Response response =
        client.Exchange("GET / HTTP/1.1\r\nHost: a\r\n" + std::string(connection) + "\r\n");
    EXPECT_EQ(response.status, 200) << response.fault;
    EXPECT_EQ(response.body, "hi");
    EXPECT_EQ(response.Value("X-Large").size(), 300'000u);
    EXPECT_EQ(response.Value("Date").size(), 29u);
    EXPECT_EQ(response.Value("Connection"), *connection == '\0' ? "" : "close");
  }
}

}  // namespace
}  // namespace quipd::test
