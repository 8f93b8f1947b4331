// SPDX-License-Identifier: MIT
// Placeholders: where values come from, and that none leaves its place.
#include "site/template.h"

#include <gtest/gtest.h>

#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

TEST(Template, ValuesOfTheRequest) {
  struct Case {
    const char* body;
    Ask ask;
    const char* expected;
  };
  const Case cases[] = {
      {"{{x}} and {{x}}", {.target = "/a%20b"}, "a b and a b"},
      {"{{host}}", {.target = "/x", .host = "WWW.Example.COM.:8080"}, "www.example.com"},
      {"{{host}}", {.target = "/x", .host = ""}, ""},
      {"{{path}}", {.target = "//%70//./q/../x"}, "/p/x"},
      {"{{path}}", {.target = "/a%2Fb"}, "/a/b"},
      {"{{method}} {{scheme}} {{client}}", {.target = "/x"}, "GET http 192.0.2.7"},
      {"{{scheme}}", {.target = "/x", .secure = true}, "https"},
      {"[{{query.a}}]", {.target = "/x?a=1&a=2"}, "[1]"},
      {"[{{query.a}}]", {.target = "/x?b=1&a=x+y%2Bz"}, "[x y+z]"},
      {"[{{query.a}}]", {.target = "/x?aa=1&%61=2"}, "[2]"},
      {"[{{query.a}}]", {.target = "/x?a"}, "[]"},
      {"[{{query.a}}]", {.target = "/x?a="}, "[]"},
      {"[{{query.a}}]", {.target = "/x?&&=&a=b=c"}, "[b=c]"},
      {"[{{query.a}}]", {.target = "/x"}, "[]"},
      {"[{{header.X-A}}]", {.target = "/x", .fields = "x-a:  one \r\nX-A: two\r\n"}, "[one]"},
      {"[{{header.X-A}}]", {.target = "/x"}, "[]"},
      {"[{{cookie.s}}]", {.target = "/x", .fields = "Cookie: ss=0; s=1; s=2\r\n"}, "[1]"},
      {"[{{cookie.s}}]", {.target = "/x", .fields = "Cookie: a=0\r\nCookie: s=1\r\n"}, "[1]"},
      {"[{{cookie.s}}]", {.target = "/x", .fields = "Cookie: s\r\n"}, "[]"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.body) + " of " + test.ask.target);
    SiteBuilder builder;
    builder.AddTemplate("GET /{x} echo", test.body);
    if (test.ask.target.starts_with("//")) builder.AddTemplate("GET /p/x echo", test.body);
    const auto site = builder.Build();
    const Asked asked = AskSite(*site, test.ask);
    EXPECT_EQ(BodyOf(asked.bytes), test.expected);
    EXPECT_EQ(FieldOf(asked.bytes, "content-length"),
              std::to_string(std::string_view(test.expected).size()));
  }
}

TEST(Template, EscapesForTheirPlace) {
  const std::pair<const char*, const char*> html[] = {
      {"<script>&\"'", "&lt;script&gt;&amp;&quot;&#39;"}, {"plain", "plain"}, {"", ""}};
  for (const auto& [value, expected] : html) {
    SCOPED_TRACE(value);
    std::string out = "kept<";
    out += value;
    EscapeTail(&out, 5, Escape::kHtml, false);
    EXPECT_EQ(out, std::string("kept<") + expected);
  }
  const std::pair<std::string, const char*> json[] = {
      {"a\"b\\c", "a\\\"b\\\\c"},
      {std::string("\0\x1f\n", 3), "\\u0000\\u001f\\u000a"},
      {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"\x80", "\xEF\xBF\xBD"},
      {"\xC3", "\xEF\xBF\xBD"},
      {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},                  // overlong
      {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},  // a surrogate
      {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD"},
  };
  for (const auto& [value, expected] : json) {
    SCOPED_TRACE(expected);
    std::string out = value;
    EscapeTail(&out, 0, Escape::kJson, false);
    EXPECT_EQ(out, expected);
  }
  std::string field("a\r\nSet-Cookie: b\x7f\tc\0d", 21);
  EscapeTail(&field, 0, Escape::kHeader, false);
  EXPECT_EQ(field, "aSet-Cookie: bcd");
  std::string target("a/b c%\0\xC3", 8);
  EscapeTail(&target, 0, Escape::kTarget, false);
  EXPECT_EQ(target, "a%2Fb%20c%25%00%C3");
  std::string path("a/b\0c", 5);
  EscapeTail(&path, 0, Escape::kTargetPath, true);
  EXPECT_EQ(path, "a/b%2Fc");
}

TEST(Template, BodiesByAction) {
  struct Case {
    const char* key;
    const char* payload;
    const char* file;
    const char* expected;
  };
  const Case cases[] = {
      {"GET /{x} html", "<b>{{query.q}}</b>", "", "<b>&lt;i&gt; &quot;</b>"},
      {"GET /{x} json", R"({"q":"{{query.q}}"})", "", R"({"q":"<i> \""})"},
      {"GET /{x} echo", "{{query.q}}", "", "<i> \""},
      {"GET /{x} file", "{{query.q}}", "a.html", "&lt;i&gt; &quot;"},
      {"GET /{x} file", "{{query.q}}", "a.svg", "&lt;i&gt; &quot;"},
      {"GET /{x} file", "{{query.q}}", "a.json", "<i> \\\""},
      {"GET /{x} file", "{{query.q}}", "a.txt", "<i> \""},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.key) + ' ' + test.file);
    SiteBuilder builder;
    builder.AddTemplate(test.key, test.payload).answer.file = test.file;
    const auto site = builder.Build();
    EXPECT_EQ(BodyOf(AskSite(*site, "GET", "/x?q=%3Ci%3E+%22").bytes), test.expected);
  }
}

TEST(Template, HeadersTakeNoControls) {
  SiteBuilder builder;
  config::Rule& rule = builder.Add("GET /{x} echo", "body");
  config::Options& options = SiteBuilder::Edit(&rule.answer.options);
  options.headers.push_back({"X-Q", "", MakePieces("<{{query.q}}|{{x}}>", rule.path)});
  const auto site = builder.Build();
  const Asked asked = AskSite(*site, "GET", "/%0d%0aSet-Cookie:%20a=1?q=%0D%0AX:+1%00");
  EXPECT_EQ(FieldOf(asked.bytes, "x-q"), "<X: 1|Set-Cookie: a=1>");
  EXPECT_EQ(FieldOf(asked.bytes, "set-cookie"), "(none)");
  EXPECT_EQ(BodyOf(asked.bytes), "body");
}

TEST(Template, HeadHasTheLengthOfTheBody) {
  SiteBuilder builder;
  builder.AddTemplate("GET /{x} echo", "{{x}}");
  const auto site = builder.Build();
  for (const size_t size : {1, 9, 10, 99, 100, 1000, 4000}) {
    SCOPED_TRACE(size);
    const std::string target = '/' + std::string(size, 'y');
    const Asked got = AskSite(*site, "GET", target);
    const Asked head = AskSite(*site, "HEAD", target);
    EXPECT_EQ(BodyOf(got.bytes).size(), size);
    EXPECT_EQ(FieldOf(got.bytes, "content-length"), std::to_string(size));
    EXPECT_EQ(head.bytes, got.bytes.substr(0, got.bytes.size() - size));
  }
}

TEST(Template, TargetsStayOnTheirHost) {
  struct Case {
    const char* key;
    const char* target;
    const char* request;
    const char* location;
  };
  const Case cases[] = {
      {"GET /{rest...} redirect", "/x/{{rest}}", "/a/b", "/x/a/b"},
      {"GET /{rest...} redirect", "/{{rest}}", "/a/b%2Fc%20d", "/a/b%2Fc%20d"},
      {"GET /{rest...} redirect", "/{{rest}}", "//evil.com", "/evil.com"},  // C21
      {"GET /{rest...} redirect", "/{{rest}}", "//evil.com/..", "/"},
      {"GET /{rest...} redirect", "/{{rest}}", "/%5Cevil.com/", "/%5Cevil.com/"},
      {"GET /{rest...} redirect", "/{{rest}}", "/%2Fevil.com", "/%2Fevil.com"},
      {"GET /{rest...} redirect", "/{{rest}}", "/en//evil", "/en/evil"},
      {"GET /{rest...} redirect", "{{path}}", "//evil.com", "/evil.com"},
      {"GET /{rest...} redirect", "/{{path}}", "/evil.com", "/evil.com"},
      {"GET /{rest...} redirect", "/{{query.to}}", "/?to=/evil.com", "/%2Fevil.com?to=/evil.com"},
      {"GET /{rest...} redirect", "/\\{{path}}", "/evil", "/evil"},
      {"GET /{rest...} redirect", "/{{rest}}", "/%0d%0aSet-Cookie:%20a=1",  // C20
       "/%0D%0ASet-Cookie%3A%20a%3D1"},
      {"GET /{rest...} moved", "https://{{host}}{{path}}", "/a?b=c", "https://example.org/a?b=c"},
      {"GET /{rest...} moved", "https://d.org/{{host}}#{{rest}}", "/a?b",
       "https://d.org/example.org?b#a"},
      {"GET /u/{id} redirect", "/v?id={{id}}", "/u/a%26b?c=d", "/v?id=a%26b&c=d"},
      {"GET /u/{id} redirect", "/v/{{id}}", "/u/%C3%A9", "/v/%C3%A9"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.target) + " for " + test.request);
    SiteBuilder builder;
    builder.Add(test.key, test.target);
    const auto site = builder.Build();
    const Asked asked = AskSite(*site, "GET", test.request);
    EXPECT_EQ(FieldOf(asked.bytes, "location"), test.location);
    EXPECT_EQ(FieldOf(asked.bytes, "content-length"), "0");
    EXPECT_EQ(FieldOf(asked.bytes, "set-cookie"), "(none)");
  }
}

TEST(Template, TargetWithHostNeedsOne) {
  SiteBuilder builder;
  builder.Add("GET / redirect", "https://{{host}}/");
  SiteBuilder::SetHeader(&builder.config.scopes[0].options, "X-Top", "1");
  const auto site = builder.Build();
  Ask ask;
  ask.host = "";
  const Asked asked = AskSite(*site, ask);
  EXPECT_EQ(asked.status, 400);
  EXPECT_EQ(BodyOf(asked.bytes), "400 Bad Request\n");
  EXPECT_EQ(FieldOf(asked.bytes, "x-top"), "1");
  ask.host = "[::1]:80";
  EXPECT_EQ(FieldOf(AskSite(*site, ask).bytes, "location"), "https://[::1]/");
}

TEST(Template, AppendsBehindWhatIsThere) {
  SiteBuilder builder;
  builder.AddTemplate("GET /{x} html", "<p>{{x}}");
  const auto site = builder.Build();
  const std::string text = "GET /%3Ca HTTP/1.1\r\nHost: x\r\n\r\n";
  http::RequestHead head;
  ASSERT_EQ(http::ParseRequestHead(text, {}, &head).state, http::HeadState::kComplete);
  const Request request{&head, 0, false, {}};
  Scratch scratch;
  const Answer answer = site->Find(request, &scratch);
  std::string out = "before";
  uint16_t status = 0;
  const std::string date(29, 'd');
  const size_t at = site->Render(answer, request, scratch, date, false, &out, &status);
  EXPECT_EQ(out.substr(0, 14), "beforeHTTP/1.1");
  EXPECT_EQ(out.substr(at), "Date: " + date + "\r\n\r\n<p>&lt;a");
  EXPECT_EQ(status, 200);
}

}  // namespace
}  // namespace quipd::site
