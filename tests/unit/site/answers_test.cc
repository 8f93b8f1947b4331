// SPDX-License-Identifier: MIT
// The bytes of answers: fields, their order, lengths, statuses without content, redirects, errors.
#include <gtest/gtest.h>

#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

TEST(Answers, BytesOfEachAction) {
  struct Case {
    const char* key;
    const char* payload;
    const char* expected;
  };
  const Case cases[] = {
      {"GET / echo", "Hello World!",
       "HTTP/1.1 200 OK\r\nServer: quipd\r\nETag: <etag>\r\nAccept-Ranges: bytes\r\n"
       "Content-Type: text/plain; charset=utf-8\r\n"
       "Content-Length: 12\r\nDate: <date>\r\n\r\nHello World!"},
      {"GET / html", "<p>x",
       "HTTP/1.1 200 OK\r\nServer: quipd\r\nETag: <etag>\r\nAccept-Ranges: bytes\r\n"
       "Content-Type: text/html; charset=utf-8\r\n"
       "Content-Length: 4\r\nDate: <date>\r\n\r\n<p>x"},
      {"GET / json", R"(["Hello","World"])",
       "HTTP/1.1 200 OK\r\nServer: quipd\r\nETag: <etag>\r\nAccept-Ranges: bytes\r\n"
       "Content-Type: application/json\r\n"
       "Content-Length: 17\r\nDate: <date>\r\n\r\n[\"Hello\",\"World\"]"},
      {"GET / echo", "",
       "HTTP/1.1 200 OK\r\nServer: quipd\r\nETag: <etag>\r\nAccept-Ranges: bytes\r\n"
       "Content-Type: text/plain; charset=utf-8\r\n"
       "Content-Length: 0\r\nDate: <date>\r\n\r\n"},
      {"GET / status", "200",
       "HTTP/1.1 200 OK\r\nServer: quipd\r\nContent-Length: 0\r\nDate: <date>\r\n\r\n"},
      {"GET / status", "204",  // C39
       "HTTP/1.1 204 No Content\r\nServer: quipd\r\nDate: <date>\r\n\r\n"},
      {"GET / status", "205",
       "HTTP/1.1 205 Reset Content\r\nServer: quipd\r\nContent-Length: 0\r\nDate: <date>\r\n\r\n"},
      {"GET / status", "304", "HTTP/1.1 304 Not Modified\r\nServer: quipd\r\nDate: <date>\r\n\r\n"},
      {"GET / status", "299",
       "HTTP/1.1 299 Unknown\r\nServer: quipd\r\nContent-Length: 0\r\nDate: <date>\r\n\r\n"},
      {"GET / status", "404",
       "HTTP/1.1 404 Not Found\r\nServer: quipd\r\nContent-Type: text/plain; charset=utf-8\r\n"
       "Content-Length: 14\r\nDate: <date>\r\n\r\n404 Not Found\n"},
      {"GET / redirect", "/new",
       "HTTP/1.1 302 Found\r\nServer: quipd\r\nLocation: /new\r\nContent-Length: 0\r\n"
       "Date: <date>\r\n\r\n"},
      {"GET / moved", "https://example.com/",
       "HTTP/1.1 301 Moved Permanently\r\nServer: quipd\r\nLocation: https://example.com/\r\n"
       "Content-Length: 0\r\nDate: <date>\r\n\r\n"},
      {"GET / health", "live",
       "HTTP/1.1 200 OK\r\nServer: quipd\r\nCache-Control: no-store\r\n"
       "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\nDate: <date>\r\n\r\nok"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.key) + ": " + test.payload);
    SiteBuilder builder;
    builder.Add(test.key, test.payload);
    const auto site = builder.Build();
    std::string expected = test.expected;
    const size_t etag = expected.find("<etag>");
    if (etag != std::string::npos) expected.replace(etag, 6, EtagFor(test.payload));
    EXPECT_EQ(AskSite(*site, "GET", "/").bytes, expected);
    // C36, C37
    EXPECT_EQ(AskSite(*site, "HEAD", "/").bytes, expected.substr(0, expected.find("\r\n\r\n") + 4));
  }
}

TEST(Answers, WhatNoRuleTakes) {
  SiteBuilder builder;
  builder.Add("GET /get echo", "x");
  builder.Add("POST,PUT /post echo", "x");
  builder.Add("ANY /any echo", "x");
  builder.Add("GET /users/{id} echo", "x");
  builder.Add("DELETE /users/me echo", "x");
  builder.Add("PURGE /cache echo", "x");
  const auto site = builder.Build();
  struct Case {
    const char* request;
    const char* method;
    const char* target;
    int status;
    const char* allow;
  };
  const Case cases[] = {
      {"C07a", "PUT", "/nothing", 404, "(none)"},
      {"C07b", "POST", "/get", 405, "GET, HEAD, OPTIONS"},
      {"unknown path", "GET", "/", 404, "(none)"},
      {"GET on POST,PUT", "GET", "/post", 405, "POST, PUT, OPTIONS"},
      {"HEAD on POST,PUT", "HEAD", "/post", 405, "POST, PUT, OPTIONS"},
      {"OPTIONS", "OPTIONS", "/get", 204, "GET, HEAD, OPTIONS"},
      {"OPTIONS of two paths in one", "OPTIONS", "/users/me", 204, "GET, HEAD, DELETE, OPTIONS"},
      {"OPTIONS by ANY", "OPTIONS", "/any", 200, "(none)"},
      {"OPTIONS on an unknown path", "OPTIONS", "/nothing", 404, "(none)"},
      {"TRACE", "TRACE", "/any", 405, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"},
      {"TRACE on an unknown path", "TRACE", "/nothing", 404, "(none)"},
      {"unknown method", "BREW", "/get", 501, "(none)"},
      {"unknown method by ANY", "BREW", "/any", 200, "(none)"},
      {"lower case", "get", "/get", 501, "(none)"},
      {"named method elsewhere", "PURGE", "/get", 405, "GET, HEAD, OPTIONS"},
      {"named method", "PURGE", "/cache", 200, "(none)"},
      {"allow of a named method", "GET", "/cache", 405, "OPTIONS, PURGE"},
      {"C53", "OPTIONS", "*", 204, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, PURGE"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.request);
    const Asked asked = AskSite(*site, test.method, test.target);
    EXPECT_EQ(asked.status, test.status);
    EXPECT_EQ(FieldOf(asked.bytes, "allow"), test.allow);
    EXPECT_EQ(asked.answer.own, asked.status != 200);
    EXPECT_FALSE(asked.answer.close);
    EXPECT_EQ(FieldOf(asked.bytes, "content-length") == "(none)", asked.status == 204);
  }
}

TEST(Answers, NulInAPathClosesTheConnection) {
  SiteBuilder builder;
  builder.Add("GET /secret.key echo", "x");
  const auto site = builder.Build();
  const Asked asked = AskSite(*site, "GET", "/secret.key%00.html");  // C14
  EXPECT_EQ(asked.status, 400);
  EXPECT_TRUE(asked.answer.own);
  EXPECT_TRUE(asked.answer.close);
  EXPECT_EQ(BodyOf(asked.bytes), "400 Bad Request\n");
}

TEST(Answers, FaultsCarryTheTopLevelsHeaders) {
  SiteBuilder builder;
  SiteBuilder::SetHeader(&builder.config.scopes[0].options, "X-Top", "1");
  const auto site = builder.Build();
  for (const int status : {400, 408, 413, 414, 417, 431, 500, 501, 503, 505}) {
    SCOPED_TRACE(status);
    const Response& response = site->FaultResponse(status);
    const std::string bytes(response.bytes, response.head_size + response.body_size);
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(FieldOf(bytes, "x-top"), "1");
    EXPECT_EQ(FieldOf(bytes, "content-length"), std::to_string(response.body_size));
    EXPECT_TRUE(BodyOf(bytes).starts_with(std::to_string(status) + ' '));
  }
  EXPECT_EQ(site->FaultResponse(418).status, 500);
}

TEST(Answers, HeadersOfARule) {
  SiteBuilder builder;
  config::Rule& rule = builder.Add("GET / echo", "x");
  config::Options& options = SiteBuilder::Edit(&rule.answer.options);
  options.headers = {
      {"X-A", "1", {}}, {"Link", "<a>", {}}, {"Link", "<b>", {}}, {"server", "me", {}}};
  options.type = "text/x";
  options.cache = "max-age=60";
  config::Rule& redirect = builder.Add("GET /r redirect", "/x");
  SiteBuilder::SetHeader(&redirect.answer.options, "LOCATION", "/y");
  const auto site = builder.Build();
  EXPECT_EQ(AskSite(*site, "GET", "/").bytes,
            "HTTP/1.1 200 OK\r\nX-A: 1\r\nLink: <a>\r\nLink: <b>\r\nserver: me\r\n"
            "Cache-Control: max-age=60\r\nETag: " +
                EtagFor("x") +
                "\r\nAccept-Ranges: bytes\r\nContent-Type: text/x\r\nContent-Length: 1\r\n"
                "Date: <date>\r\n\r\nx");
  EXPECT_EQ(AskSite(*site, "GET", "/r").bytes,
            "HTTP/1.1 302 Found\r\nServer: quipd\r\nLOCATION: /y\r\nContent-Length: 0\r\n"
            "Date: <date>\r\n\r\n");
}

TEST(Answers, ServerHeaderOffAndDev) {
  SiteBuilder builder;
  builder.config.server_header = "";
  builder.config.dev = true;
  config::Rule& rule = builder.Add("GET / echo", "x");
  SiteBuilder::Edit(&rule.answer.options).cache = "max-age=60";
  SiteBuilder::SetHeader(&builder.Add("GET /b echo", "x").answer.options, "Cache-Control",
                         "public");
  const auto site = builder.Build();
  EXPECT_EQ(FieldOf(AskSite(*site, "GET", "/").bytes, "server"), "(none)");
  for (const char* path : {"/", "/b", "/unknown"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(FieldOf(AskSite(*site, "GET", path).bytes, "cache-control"), "no-store");
  }
}

TEST(Answers, BodiesAreLiteralWithoutTemplate) {
  SiteBuilder builder;
  const std::string body = R"({"foo":"{{name}}"} $host %s \n)";  // C42
  builder.Add("GET /{name} echo", body);
  SiteBuilder::SetHeader(&builder.config.rules[0].answer.options, "X", R"({"a":1})");
  const auto site = builder.Build();
  const Asked asked = AskSite(*site, "GET", "/x");
  EXPECT_EQ(BodyOf(asked.bytes), body);
  EXPECT_EQ(FieldOf(asked.bytes, "x"), R"({"a":1})");
}

TEST(Answers, RedirectsAndTheQuery) {
  struct Case {
    const char* target;
    const char* request;
    const char* location;
  };
  const Case cases[] = {
      {"/new", "/old", "/new"},
      {"/new", "/old?a=1", "/new?a=1"},  // C23
      {"/new?x=2", "/old?a=1", "/new?x=2&a=1"},
      {"/new?x=2", "/old", "/new?x=2"},
      {"/new?", "/old?a=1", "/new?a=1"},
      {"/new#part", "/old?a=1", "/new?a=1#part"},
      {"/new?x=2#part", "/old?a=1", "/new?x=2&a=1#part"},
      {"/new#part?", "/old?a=1", "/new?a=1#part?"},
      {"https://e.org", "/old?a=1&b=%2F", "https://e.org?a=1&b=%2F"},
      {"/new", "/old?", "/new"},
      {"/h\xC3\xA9", "/old", "/h%C3%A9"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.target) + " for " + test.request);
    SiteBuilder builder;
    builder.Add("GET /old redirect", test.target);
    builder.Add("GET /drop redirect", test.target);
    SiteBuilder::Edit(&builder.config.rules[1].answer.options).keep_query = false;
    const auto site = builder.Build();
    const Asked asked = AskSite(*site, "GET", test.request);
    EXPECT_EQ(FieldOf(asked.bytes, "location"), test.location);
    EXPECT_EQ(asked.status, 302);
    EXPECT_EQ(FieldOf(asked.bytes, "content-length"), "0");
    const Asked dropped = AskSite(*site, "GET", "/drop?a=1");
    EXPECT_EQ(dropped.answer.kind, Answer::Kind::kFixed);
    EXPECT_EQ(FieldOf(dropped.bytes, "location").find("a=1"), std::string::npos);
  }
}

TEST(Answers, HealthWhileDraining) {
  SiteBuilder builder;
  builder.Add("GET /live health", "live");
  builder.Add("GET /ready health", "ready");
  const auto site = builder.Build();
  EXPECT_EQ(AskSite(*site, "GET", "/live").answer.draining, nullptr);
  const Asked ready = AskSite(*site, "GET", "/ready");
  EXPECT_EQ(BodyOf(ready.bytes), "ok");
  ASSERT_NE(ready.answer.draining, nullptr);
  const Response& draining = *ready.answer.draining;
  const std::string bytes(draining.bytes, draining.head_size + draining.body_size);
  EXPECT_EQ(draining.status, 503);
  EXPECT_EQ(BodyOf(bytes), "draining");
  EXPECT_EQ(FieldOf(bytes, "cache-control"), "no-store");
}

TEST(Answers, ReflectIsRelayedWithItsFields) {
  SiteBuilder builder;
  config::Rule& rule = builder.Add("ANY /debug reflect", "json");
  SiteBuilder::SetHeader(&rule.answer.options, "X-A", "1");
  const auto site = builder.Build();
  const Asked asked = AskSite(*site, "POST", "/debug");
  EXPECT_EQ(asked.answer.kind, Answer::Kind::kRelay);
  EXPECT_EQ(asked.answer.rule, 0u);
  EXPECT_EQ(site->RelayFields(0), "Server: quipd\r\nX-A: 1\r\n");
}

TEST(Answers, IdenticalResponsesAreStoredOnce) {
  SiteBuilder builder;
  builder.Add("GET /a echo", "same");
  builder.Add("GET /b echo", "same");
  builder.Add("GET /{x}/c echo", "same");
  const auto site = builder.Build();
  const char* bytes = AskSite(*site, "GET", "/a").answer.response->bytes;
  EXPECT_EQ(AskSite(*site, "GET", "/b").answer.response->bytes, bytes);
  EXPECT_EQ(AskSite(*site, "GET", "/b/c").answer.response->bytes, bytes);
}

TEST(Answers, LongBodies) {
  for (const size_t size : {5000, 1 << 20, 8 << 20}) {  // C46
    SCOPED_TRACE(size);
    SiteBuilder builder;
    builder.Add("GET / echo", std::string(size, 'x'));
    const auto site = builder.Build();
    const Asked asked = AskSite(*site, "GET", "/");
    EXPECT_EQ(asked.answer.response->body_size, size);
    EXPECT_EQ(FieldOf(asked.bytes, "content-length"), std::to_string(size));
    EXPECT_EQ(BodyOf(asked.bytes), std::string(size, 'x'));
  }
}

}  // namespace
}  // namespace quipd::site
