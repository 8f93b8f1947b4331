// SPDX-License-Identifier: MIT
// Which answers have validators, and what a request with conditions and ranges gets of them.
#include <gtest/gtest.h>

#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

constexpr int64_t kNow = 1'700'000'000;
constexpr int64_t kModified = 784'111'777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr uint8_t kKnown = http::kConditional | http::kRange | http::kWeightedCodings;

// The answer's response to a request that it is then selected for.
Selected SelectFor(const Site& site, const std::string& fields, const std::string& method = "GET") {
  const Heard heard(method + " / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
  Scratch scratch;
  const Answer answer = site.Find({&heard.head, 0, false, {}}, &scratch);
  EXPECT_EQ(answer.kind, Answer::Kind::kFixed);
  return site.Select(*answer.response, heard.head, kNow);
}

TEST(Representations, WhatHasValidators) {
  struct Case {
    const char* key;
    const char* payload;
    bool known;
  };
  const Case cases[] = {
      {"GET / echo", "x", true},       {"GET / html", "x", true},
      {"GET / json", "1", true},       {"GET / file", "x", true},
      {"POST / echo", "x", true},      {"GET / echo", "", true},
      {"GET / status", "200", false},  {"GET / status", "404", false},
      {"GET / redirect", "/x", false}, {"GET / health", "live", false},
      {"GET / status", "204", false},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.key) + ' ' + test.payload);
    SiteBuilder builder;
    builder.Add(test.key, test.payload);
    const auto site = builder.Build();
    const std::string method = std::string(test.key).substr(0, std::string(test.key).find(' '));
    const Asked asked = AskSite(*site, method, "/");
    const std::string none = "(none)";
    EXPECT_EQ(FieldOf(asked.bytes, "etag"), test.known ? EtagFor(test.payload) : none);
    EXPECT_EQ(FieldOf(asked.bytes, "accept-ranges"), test.known ? "bytes" : none);
    EXPECT_EQ(FieldOf(asked.bytes, "last-modified"), none);
    EXPECT_EQ(FieldOf(asked.bytes, "vary"), none);
    EXPECT_EQ(asked.answer.response->selectors, test.known ? kKnown : 0);
    EXPECT_EQ(asked.answer.response->variants, nullptr);
  }
}

TEST(Representations, NoneWithAnotherStatusOrValuesOfTheRequest) {
  SiteBuilder builder;
  builder.Add("GET /created echo", "x").answer.status = 201;
  builder.Add("GET /missing echo", "x").answer.status = 404;
  builder.AddTemplate("GET /template echo", "{{method}}");
  config::Rule& header = builder.Add("GET /header echo", "x");
  SiteBuilder::Edit(&header.answer.options).headers = {
      {"X", "{{method}}", MakePieces("{{method}}")}};
  builder.AddError("404", "echo", "none");
  SiteBuilder::Edit(&builder.config.scopes[0].errors[0].answer.options).status = 200;
  builder.config.scopes[0].errors[0].answer.status = 200;
  const auto site = builder.Build();
  for (const char* path : {"/created", "/missing", "/template", "/header", "/unknown"}) {
    SCOPED_TRACE(path);
    const Asked asked = AskSite(*site, "GET", path);
    EXPECT_EQ(FieldOf(asked.bytes, "etag"), "(none)");
    EXPECT_EQ(FieldOf(asked.bytes, "accept-ranges"), "(none)");
    if (asked.answer.response != nullptr) {
      EXPECT_EQ(asked.answer.response->selectors, 0);
    }
  }
}

TEST(Representations, HeadersAndOptionsOfARuleHaveTheSay) {
  SiteBuilder builder;
  config::Rule& own = builder.Add("GET /own echo", "x");
  SiteBuilder::Edit(&own.answer.options).headers = {
      {"etag", "\"mine\"", {}}, {"Last-Modified", "yesterday", {}}, {"accept-ranges", "none", {}}};
  SiteBuilder::Edit(&builder.Add("GET /off echo", "x").answer.options).etag = false;
  config::Rule& file = builder.Add("GET /file.txt file", "x");
  file.answer.file = "file.txt";
  file.answer.modified = kModified;
  const auto site = builder.Build();
  const std::string mine = AskSite(*site, "GET", "/own").bytes;
  EXPECT_EQ(mine.substr(0, mine.find("Content-Type")),
            "HTTP/1.1 200 OK\r\nServer: quipd\r\netag: \"mine\"\r\nLast-Modified: yesterday\r\n"
            "accept-ranges: none\r\n");
  EXPECT_EQ(AskSite(*site, "GET", "/own").answer.response->selectors, kKnown & ~http::kRange);
  EXPECT_EQ(FieldOf(AskSite(*site, "GET", "/off").bytes, "etag"), "(none)");
  EXPECT_EQ(AskSite(*site, "GET", "/off").answer.response->selectors, kKnown);
  EXPECT_EQ(AskSite(*site, "GET", "/file.txt").bytes,
            "HTTP/1.1 200 OK\r\nServer: quipd\r\nETag: " + EtagFor("x") +
                "\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nAccept-Ranges: bytes\r\n"
                "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 1\r\n"
                "Date: <date>\r\n\r\nx");
}

TEST(Representations, TypesOfTheConfigurationGoFirst) {
  SiteBuilder builder;
  builder.config.types = {{"txt", "text/x-mine"}, {"a-very-long-extension", "text/long"}};
  builder.Add("GET / file", "x").answer.file = "/some.d/file.TXT";
  const auto site = builder.Build();
  EXPECT_EQ(FieldOf(AskSite(*site, "GET", "/").bytes, "content-type"), "text/x-mine");
  const std::pair<const char*, const char*> cases[] = {
      {"a.txt", "text/x-mine"},
      {"sub.html/a.Txt", "text/x-mine"},
      {"a.a-very-long-extension", "text/long"},
      {"a.html", "text/html; charset=utf-8"},
      {".txt", "application/octet-stream"},
      {"txt", "application/octet-stream"},
      {"dir.txt/a", "application/octet-stream"},
      {"", "application/octet-stream"},
  };
  for (const auto& [name, type] : cases) {
    SCOPED_TRACE(name);
    EXPECT_EQ(site->TypeOf(name), type);
  }
}

TEST(Representations, Selected) {
  SiteBuilder builder;
  config::Rule& rule = builder.Add("GET / file", std::string(100, 'x'));
  rule.answer.file = "x.png";
  rule.answer.modified = kModified;
  const auto site = builder.Build();
  const std::string etag = EtagFor(std::string(100, 'x'));
  struct Case {
    std::string fields;
    int status;
    const char* method = "GET";
  };
  const Case cases[] = {
      {"", 200},
      {"If-None-Match: " + etag + "\r\n", 304},
      {"If-None-Match: " + etag + "\r\n", 304, "HEAD"},
      {"If-None-Match: W/" + etag + "\r\n", 304},
      {"If-None-Match: \"other\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 200},
      {"If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 304},
      {"If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n", 200},
      {"If-Match: \"other\"\r\n", 412},
      {"If-Match: " + etag + "\r\n", 200},
      {"If-Match: " + etag + "\r\nRange: bytes=0-9\r\n", 206},
      {"Range: bytes=100-\r\n", 416},
      {"Range: bytes=0-9\r\n", 200, "HEAD"},
      {"Range: bytes=0-9\r\nIf-Range: " + etag + "\r\n", 206},
      {"Range: bytes=0-9\r\nIf-Range: \"other\"\r\n", 200},
      {"Accept-Encoding: gzip\r\n", 200},
      {"Accept-Encoding: identity;q=0\r\n", 406},
      {"Accept-Encoding: gzip, *;q=0\r\n", 406},
      {"Accept-Encoding: gzip;q=0.5\r\n", 200},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.method + (' ' + test.fields));
    const Selected selected = SelectFor(*site, test.fields, test.method);
    EXPECT_EQ(selected.selection.status, test.status);
    EXPECT_EQ(selected.response == nullptr, test.status == 406);
  }
  const Selected part = SelectFor(*site, "Range: bytes=-30\r\n");
  ASSERT_EQ(part.selection.ranges.all().size(), 1u);
  EXPECT_EQ(part.selection.ranges.all()[0].first, 70u);
  EXPECT_EQ(part.selection.ranges.all()[0].size, 30u);
}

TEST(Representations, ValidatorsOfHeadersCount) {
  SiteBuilder builder;
  config::Rule& rule = builder.Add("GET / echo", "x");
  SiteBuilder::Edit(&rule.answer.options).headers = {
      {"ETag", "\"mine\"", {}},
      {"last-modified", "Sun, 06 Nov 1994 08:49:37 GMT", {}},
      {"Accept-Ranges", "none", {}}};
  const auto site = builder.Build();
  EXPECT_EQ(SelectFor(*site, "If-None-Match: \"mine\"\r\n").selection.status, 304);
  EXPECT_EQ(SelectFor(*site, "If-None-Match: " + EtagFor("x") + "\r\n").selection.status, 200);
  EXPECT_EQ(
      SelectFor(*site, "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n").selection.status,
      304);
  const std::string part = "If-Match: \"mine\"\r\nRange: bytes=0-0\r\n";
  EXPECT_EQ(SelectFor(*site, part).selection.status, 200);
}

TEST(Representations, ErrorsInPlaceOfAnAnswer) {
  SiteBuilder builder;
  SiteBuilder::SetHeader(&builder.config.scopes[0].options, "X-Top", "1");
  builder.AddError("412", "echo", "{{path}} has changed");
  config::Rule& rule = builder.Add("GET / echo", "x");
  SiteBuilder::SetHeader(&rule.answer.options, "X-Rule", "1");
  SiteBuilder::Edit(&rule.answer.options).cache = "max-age=60";
  const auto site = builder.Build();
  for (const int status : {406, 412, 416}) {
    SCOPED_TRACE(status);
    const Asked asked = AskError(*site, {}, static_cast<uint16_t>(status));
    EXPECT_EQ(asked.status, status);
    EXPECT_FALSE(asked.answer.own);
    EXPECT_EQ(asked.answer.rule, 0u);
    EXPECT_EQ(asked.answer.status, status);
    EXPECT_EQ(FieldOf(asked.bytes, "x-top"), "1");
    EXPECT_EQ(FieldOf(asked.bytes, "x-rule"), "1");
    EXPECT_EQ(FieldOf(asked.bytes, "cache-control"), "(none)");
    EXPECT_EQ(FieldOf(asked.bytes, "etag"), "(none)");
    EXPECT_EQ(FieldOf(asked.bytes, "vary"), status == 406 ? "Accept-Encoding" : "(none)");
  }
  EXPECT_EQ(BodyOf(AskError(*site, {}, 412).bytes), "/ has changed");
  EXPECT_EQ(BodyOf(AskError(*site, {}, 416).bytes), "416 Range Not Satisfiable\n");
}

}  // namespace
}  // namespace quipd::site
