// SPDX-License-Identifier: MIT
// Rules that open files: where they rank, what they say of their files, their errors, and a
// directory's path without its slash.
#include <gtest/gtest.h>

#include "site/explain.h"
#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

TEST(Files, WhatADirMatches) {
  SiteBuilder builder;
  builder.Add("GET /a/ dir", "/srv/a");
  builder.Add("GET /a/x echo", "literal");
  builder.Add("GET /a/v{n} echo", "mixed");
  builder.Add("GET /a/b/{n} echo", "param");
  builder.Begin("/u/{id}");
  builder.Add("GET /files/ dir", "/srv/u");
  builder.End();
  const auto site = builder.Build();
  struct Case {
    const char* target;
    const char* path;   // of the files; empty: by another rule
    const char* below;  // else the body
  };
  const Case cases[] = {
      {"/a/", "/srv/a", ""},
      {"/a/sub/a.txt", "/srv/a", "sub/a.txt"},
      {"/a/sub/", "/srv/a", "sub/"},
      {"/a/x", "", "literal"},
      {"/a/x/", "/srv/a", "x/"},
      {"/a/v1", "", "mixed"},
      {"/a/v", "/srv/a", "v"},
      {"/a/b/c", "", "param"},
      {"/a/b/", "/srv/a", "b/"},
      {"/a/%61%20b", "/srv/a", "a b"},
      {"/a//c/../%2e/d", "/srv/a", "d"},
      {"/u/7/files/d/e", "/srv/u", "d/e"},
      {"/u/7/files/", "/srv/u", ""},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.target);
    for (const char* method : {"GET", "HEAD"}) {
      const std::string path = test.path;
      const Asked asked = AskSite(*site, method, test.target);
      EXPECT_EQ(asked.answer.kind == Answer::Kind::kFile, !path.empty());
      if (asked.answer.kind == Answer::Kind::kFile) {
        EXPECT_EQ(asked.answer.files->path, path);
        EXPECT_EQ(asked.below, test.below);
        EXPECT_EQ(asked.answer.response, nullptr);
        EXPECT_EQ(asked.answer.rule, asked.answer.files->rule);
        EXPECT_TRUE(asked.answer.files->is_dir);
      } else if (method[0] == 'G') {
        EXPECT_EQ(BodyOf(asked.bytes), test.below);
      }
    }
  }
  const Asked encoded = AskSite(*site, "GET", "/a/b%2Fc");
  EXPECT_EQ(encoded.below, std::string_view("b\0c", 3));
  const Asked posted = AskSite(*site, "POST", "/a/sub");
  EXPECT_EQ(posted.status, 405);
  EXPECT_EQ(FieldOf(posted.bytes, "allow"), "GET, HEAD, OPTIONS");
}

TEST(Files, WhatARuleSaysOfThem) {
  SiteBuilder builder;
  config::Rule& dir = builder.Add("GET /a/ dir", "/srv/a");
  config::Options& options = SiteBuilder::Edit(&dir.answer.options);
  options.headers = {{"X-A", "1", {}},
                     {"Vary", "Origin", {}},
                     {"content-type", "text/x", {}},
                     {"vary", "X-B", {}},
                     {"X-C", "2", {}}};
  options.cache = "max-age=60";
  options.listing = true;
  config::Rule& file = builder.Add("ANY /big file");
  file.answer.file = "/srv/big.iso";
  file.answer.live = true;
  SiteBuilder::SetHeader(&file.answer.options, "ETag", "\"v1\"");
  SiteBuilder::Edit(&file.answer.options).type = "application/x-iso";
  SiteBuilder::Edit(&builder.Add("GET /b/ dir", "/srv/b").answer.options).etag = false;
  const auto site = builder.Build();
  const FileRule& a = *AskSite(*site, "GET", "/a/x").answer.files;
  EXPECT_EQ(a.fields, "Server: quipd\r\nX-A: 1\r\nX-C: 2\r\nCache-Control: max-age=60\r\n");
  EXPECT_EQ(a.vary, "Origin, X-B");
  EXPECT_EQ(a.type, "");
  EXPECT_TRUE(a.has_etag);
  EXPECT_TRUE(a.options->listing);
  const Asked asked = AskSite(*site, "POST", "/big");
  ASSERT_EQ(asked.answer.kind, Answer::Kind::kFile);
  const FileRule& big = *asked.answer.files;
  EXPECT_FALSE(big.is_dir);
  EXPECT_EQ(big.path, "/srv/big.iso");
  EXPECT_EQ(big.fields, "Server: quipd\r\nETag: \"v1\"\r\n");
  EXPECT_EQ(big.type, "application/x-iso");
  EXPECT_FALSE(big.has_etag);
  EXPECT_EQ(asked.below, "");
  EXPECT_FALSE(AskSite(*site, "GET", "/b/x").answer.files->has_etag);
}

TEST(Files, DevStoresNothing) {
  SiteBuilder builder;
  builder.config.dev = true;
  SiteBuilder::Edit(&builder.Add("GET /a/ dir", "/srv/a").answer.options).cache = "max-age=60";
  const auto site = builder.Build();
  EXPECT_EQ(AskSite(*site, "GET", "/a/x").answer.files->fields,
            "Server: quipd\r\nCache-Control: no-store\r\n");
}

TEST(Files, ErrorsOfTheirGroups) {
  SiteBuilder builder;
  SiteBuilder::SetHeader(&builder.config.scopes[0].options, "X-Top", "1");
  builder.Begin("/in");
  builder.AddError("404", "html", "<p>{{path}}");
  builder.AddError("5xx", "echo", "ours");
  config::Rule& dir = builder.Add("GET /a/ dir", "/srv/a");
  SiteBuilder::Edit(&dir.answer.options).cache = "max-age=60";
  builder.End();
  builder.Add("GET /b/ dir", "/srv/b");
  const auto site = builder.Build();
  struct Case {
    const char* target;
    uint16_t status;
    const char* body;
    bool ready;
  };
  const Case cases[] = {
      {"/in/a/x<y", 404, "<p>/in/a/x&lt;y", true},          {"/in/a/x", 500, "ours", true},
      {"/in/a/x", 412, "412 Precondition Failed\n", false}, {"/b/x", 404, "404 Not Found\n", true},
      {"/b/x", 500, "500 Internal Server Error\n", true},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.target + (' ' + std::to_string(test.status)));
    Ask ask;
    ask.target = test.target;
    const Asked asked = AskError(*site, ask, test.status);
    EXPECT_EQ(asked.status, test.status);
    EXPECT_EQ(BodyOf(asked.bytes), test.body);
    EXPECT_EQ(FieldOf(asked.bytes, "x-top"), "1");
    EXPECT_EQ(FieldOf(asked.bytes, "cache-control"), "(none)");  // a miss isn't kept as a file is
    EXPECT_FALSE(asked.answer.own);
    EXPECT_EQ(asked.answer.response != nullptr || asked.answer.compiled != nullptr, test.ready);
    ask.composed = true;
    EXPECT_EQ(AskError(*site, ask, test.status).bytes, asked.bytes);
  }
}

TEST(Files, TheSlashIsAdded) {
  SiteBuilder builder;
  builder.AddListener("inner");
  config::Rule& dir = builder.Add("GET /a/ dir", "/srv/a");
  SiteBuilder::SetHeader(&dir.answer.options, "X-A", "1");
  SiteBuilder::Edit(&dir.answer.options).cache = "max-age=60";
  builder.Add("GET /b/ dir", "/srv/b");
  builder.Add("POST /b echo", "b");
  builder.Add("GET /c/{rest...} echo", "c");
  builder.Add("GET /f{n}/ dir", "/srv/f");
  builder.Begin("/u/{id}");
  builder.Add("GET /files/ dir", "/srv/u");
  builder.End();
  builder.Begin("", {"x.org"});
  builder.Add("GET /h/ dir", "/srv/h");
  builder.End();
  builder.Begin("", {}, 1);
  builder.Add("GET /l/ dir", "/srv/l");
  builder.End();
  const auto site = builder.Build();
  struct Case {
    Ask ask;
    int status;
    const char* value;  // of Location or Allow
  };
  const Case cases[] = {
      {{.target = "/a"}, 301, "/a/"},
      {{.method = "HEAD", .target = "/a"}, 301, "/a/"},
      {{.target = "/a?x=1&y=%2F"}, 301, "/a/?x=1&y=%2F"},
      {{.target = "//a"}, 301, "/a/"},
      {{.target = "/x/../a"}, 301, "/a/"},
      {{.target = "/%61"}, 301, "/a/"},
      {{.method = "POST", .target = "/a"}, 405, "GET, HEAD, OPTIONS"},
      {{.method = "OPTIONS", .target = "/a"}, 204, "GET, HEAD, OPTIONS"},
      {{.method = "BREW", .target = "/a"}, 501, ""},
      {{.target = "/b"}, 405, "POST, OPTIONS"},
      {{.target = "/c"}, 404, ""},
      {{.target = "/aa"}, 404, ""},
      {{.target = "/f1"}, 301, "/f1/"},
      {{.target = "/f%5C%2F%2Fe.org"}, 301, "/f%5C%2F%2Fe.org/"},
      {{.target = "/f%0d%0aX:%20y"}, 301, "/f%0D%0AX%3A%20y/"},
      {{.target = "/u/7%20/files"}, 301, "/u/7%20/files/"},
      {{.target = "/u/%2F%2Fe.org/files?"}, 301, "/u/%2F%2Fe.org/files/"},
      {{.target = "/u//files"}, 404, ""},
      {{.target = "/h", .host = "x.org"}, 301, "/h/"},
      {{.target = "/h"}, 404, ""},
      {{.target = "/l", .listener = 1}, 301, "/l/"},
      {{.target = "/l"}, 404, ""},
      {{.target = "/"}, 404, ""},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.ask.method + ' ' + test.ask.target);
    const Asked asked = AskSite(*site, test.ask);
    EXPECT_EQ(asked.status, test.status);
    const std::string value = test.value[0] == '\0' ? "(none)" : test.value;
    EXPECT_EQ(FieldOf(asked.bytes, test.status == 301 ? "location" : "allow"), value);
    EXPECT_EQ(asked.answer.own, test.status != 301);
  }
  EXPECT_EQ(AskSite(*site, "GET", "/a").bytes,
            "HTTP/1.1 301 Moved Permanently\r\nServer: quipd\r\nX-A: 1\r\n"
            "Cache-Control: max-age=60\r\nLocation: /a/\r\nContent-Length: 0\r\n"
            "Date: <date>\r\n\r\n");
}

// A path that would name another host is cut.
TEST(Files, TheSlashNeverNamesAHost) {
  SiteBuilder builder;
  builder.Add("GET /{x}/ dir", "/srv/x");
  const auto site = builder.Build();
  for (const char* target : {"//e.org", "/%2Fe.org", "/%5Ce.org", "/%5C%5Ce.org", "///e.org"}) {
    SCOPED_TRACE(target);
    const std::string location = FieldOf(AskSite(*site, "GET", target).bytes, "location");
    EXPECT_TRUE(location.starts_with('/') && location.ends_with('/')) << location;
    EXPECT_EQ(location.find_first_of("/\\", 1), location.size() - 1) << location;
  }
}

TEST(Files, Explained) {
  SiteBuilder builder;
  builder.Add("GET /a/ dir", "/srv/a");
  builder.Add("GET /a/x echo", "x");
  builder.Add("GET /{x} echo", "x");
  const auto site = builder.Build();
  struct Case {
    const char* method;
    const char* target;
    uint32_t rule;
    int status;
    const char* summary;
  };
  const Case cases[] = {
      {"GET", "/a/b/c", 0, 200, "GET /a/ dir"},
      {"GET", "/a/x", 1, 200, "GET /a/x echo"},
      {"GET", "/a", 2, 200, "GET /{x} echo"},
      {"POST", "/a/b", kNoRule, 405, "405: no rule of this path takes POST"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.target);
    const Heard heard(std::string(test.method) + ' ' + test.target +
                      " HTTP/1.1\r\nHost: a\r\n\r\n");
    const Explanation explanation = Explain(*site, {&heard.head, 0, false, {}});
    EXPECT_EQ(explanation.rule, test.rule);
    EXPECT_EQ(explanation.status, test.status);
    EXPECT_EQ(explanation.summary, test.summary);
  }
  const Heard heard("GET /a/x HTTP/1.1\r\nHost: a\r\n\r\n");
  const Explanation explanation = Explain(*site, {&heard.head, 0, false, {}});
  ASSERT_FALSE(explanation.losers.empty());
  EXPECT_EQ(explanation.losers[0].reason, "the segment x goes before all below a directory");
}

TEST(Files, TheSlashExplained) {
  SiteBuilder builder;
  builder.Add("GET /a/ dir", "/srv/a");
  builder.Begin("/{x}");
  builder.Add("GET /b/ dir", "/srv/b");
  builder.End();
  const auto site = builder.Build();
  struct Case {
    const char* method;
    const char* target;
    uint32_t rule;
    int status;
    const char* summary;
  };
  const Case cases[] = {
      {"GET", "/a", 0, 301, "GET /a/ dir: its path without the slash is redirected to it"},
      {"GET", "/y/b", 1, 301, "GET /{x}/b/ dir: its path without the slash is redirected to it"},
      {"POST", "/a", kNoRule, 405, "405: no rule of this path takes POST"},
      {"OPTIONS", "/a", kNoRule, 204,
       "204: OPTIONS is answered with the methods of the path's rules"},
      {"GET", "/c", kNoRule, 404, "404: no rule has this path"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.method) + ' ' + test.target);
    const Heard heard(std::string(test.method) + ' ' + test.target +
                      " HTTP/1.1\r\nHost: a\r\n\r\n");
    const Explanation explanation = Explain(*site, {&heard.head, 0, false, {}});
    EXPECT_EQ(explanation.rule, test.rule);
    EXPECT_EQ(explanation.status, test.status);
    EXPECT_EQ(explanation.summary, test.summary);
  }
}

}  // namespace
}  // namespace quipd::site
