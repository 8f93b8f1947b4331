// SPDX-License-Identifier: MIT
// What quipd answers itself: headers of the groups around a request, and `errors`.
#include <gtest/gtest.h>

#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

Asked AskHost(const Site& site, std::string host, std::string target, std::string method = "GET") {
  Ask ask;
  ask.host = std::move(host);
  ask.target = std::move(target);
  ask.method = std::move(method);
  return AskSite(site, ask);
}

TEST(Errors, NearestFirstAndCodeBeforeClass) {
  SiteBuilder builder;
  builder.AddError("404", "echo", "top 404");
  builder.AddError("5xx", "echo", "top 5xx");
  builder.Add("GET /x echo", "x");
  builder.Add("GET /down status", "503");
  builder.Begin("/api");
  builder.AddError("4xx", "json", "{}");
  builder.AddError("405", "html", "<p>405");
  builder.Add("GET /x echo", "x");
  builder.Add("GET /gone status", "410");
  builder.Begin("/v1");
  builder.AddError("404", "echo", "v1 404");
  builder.Add("GET /x echo", "x");
  builder.Add("GET /missing status", "404");
  builder.End();
  builder.End();
  const auto site = builder.Build();
  struct Case {
    const char* method;
    const char* target;
    int status;
    const char* body;
  };
  const Case cases[] = {
      {"GET", "/none", 404, "top 404"},
      {"POST", "/x", 405, "405 Method Not Allowed\n"},
      {"GET", "/down", 503, "top 5xx"},
      {"BREW", "/x", 501, "top 5xx"},
      {"GET", "/api/none", 404, "{}"},
      {"POST", "/api/x", 405, "<p>405"},
      {"GET", "/api/gone", 410, "{}"},
      {"GET", "/api", 404, "top 404"},  // a prefix is what stands before a path
      {"GET", "/apiary", 404, "top 404"},
      {"GET", "/api/", 404, "{}"},
      {"GET", "/api/v1/none", 404, "v1 404"},
      {"GET", "/api/v1/missing", 404, "v1 404"},
      {"POST", "/api/v1/x", 405, "<p>405"},
      {"BREW", "/api/v1/x", 501, "top 5xx"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.method) + ' ' + test.target);
    const Asked asked = AskSite(*site, test.method, test.target);
    EXPECT_EQ(asked.status, test.status);
    EXPECT_EQ(BodyOf(asked.bytes), test.body);
    EXPECT_EQ(FieldOf(asked.bytes, "content-length"),
              std::to_string(std::string_view(test.body).size()));
  }
  EXPECT_EQ(FieldOf(AskSite(*site, "POST", "/api/x").bytes, "allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(BodyOf(AskSite(*site, "HEAD", "/none").bytes), "");
  EXPECT_EQ(FieldOf(AskSite(*site, "HEAD", "/none").bytes, "content-length"), "7");
}

TEST(Errors, ChosenByHostAndListener) {
  SiteBuilder builder;
  builder.AddListener("second");
  builder.Begin("", {"*.a.com"});
  builder.AddError("404", "echo", "suffix");
  builder.End();
  builder.Begin("", {"x.a.com"});
  builder.AddError("404", "echo", "exact");
  builder.End();
  builder.Begin("", {}, 1);
  builder.AddError("404", "echo", "listener");
  builder.End();
  const auto site = builder.Build();
  EXPECT_EQ(BodyOf(AskHost(*site, "x.a.com", "/").bytes), "exact");
  EXPECT_EQ(BodyOf(AskHost(*site, "y.a.com", "/").bytes), "suffix");
  EXPECT_EQ(BodyOf(AskHost(*site, "b.com", "/").bytes), "404 Not Found\n");
  Ask ask;
  ask.host = "x.a.com";
  ask.listener = 1;
  EXPECT_EQ(BodyOf(AskSite(*site, ask).bytes), "listener");
}

TEST(Errors, StatusRedirectTypeHeadersCacheTemplate) {
  SiteBuilder builder;
  builder.AddError("404", "redirect", "/home");
  builder.AddError("405", "echo", "no {{method}} for {{path}}");
  builder.AddError("4xx", "html", "<p>");
  builder.AddError("503", "json", "{}");
  config::Scope& top = builder.config.scopes[0];
  top.errors[0].answer.status = 302;
  top.errors[3].answer.status = 200;
  config::Options& options = SiteBuilder::Edit(&top.errors[3].answer.options);
  options.status = 200;
  options.type = "application/problem+json";
  options.cache = "max-age=5";
  options.headers.push_back({"x-top", "nearer", {}});
  SiteBuilder::SetHeader(&top.options, "X-Top", "1");
  builder.Add("GET /x echo", "x");
  builder.Add("GET /down status", "503");
  builder.Add("GET /gone status", "410");
  builder.Add("GET /own echo", "own").answer.status = 404;
  const auto site = builder.Build();
  const Asked missing = AskSite(*site, "GET", "/none?a=b");
  EXPECT_EQ(missing.status, 302);
  EXPECT_EQ(FieldOf(missing.bytes, "location"), "/home?a=b");
  EXPECT_EQ(FieldOf(missing.bytes, "x-top"), "1");
  EXPECT_EQ(BodyOf(AskSite(*site, "POST", "/x").bytes), "no POST for /x");
  EXPECT_EQ(AskSite(*site, "GET", "/gone").status, 410);
  EXPECT_EQ(BodyOf(AskSite(*site, "GET", "/gone").bytes), "<p>");
  EXPECT_EQ(BodyOf(AskSite(*site, "GET", "/own").bytes), "own");
  EXPECT_EQ(AskSite(*site, "GET", "/down").bytes,
            "HTTP/1.1 200 OK\r\nServer: quipd\r\nx-top: nearer\r\nCache-Control: max-age=5\r\n"
            "Content-Type: application/problem+json\r\nContent-Length: 2\r\nDate: <date>\r\n\r\n"
            "{}");
}

TEST(Errors, HeadersOfAllGroupsAround) {
  SiteBuilder builder;
  SiteBuilder::SetHeader(&builder.config.scopes[0].options, "X-Top", "top");
  SiteBuilder::SetHeader(&builder.config.scopes[0].options, "X-Gone", "top");
  builder.Add("GET /x echo", "x");
  builder.Add("GET /moved moved", "/x");
  builder.Add("GET /down status", "503");
  builder.Add("GET /not status", "304");
  config::Scope& first = builder.Begin("/api");
  SiteBuilder::SetHeader(&first.options, "X-Api", "api");
  SiteBuilder::SetHeader(&first.options, "X-Top", "api");
  std::erase_if(SiteBuilder::Edit(&first.options).headers,
                [](const config::Header& header) { return header.name == "X-Gone"; });
  builder.Add("GET /x echo", "x");
  config::Scope& second = builder.Begin("/v1");
  SiteBuilder::SetHeader(&second.options, "X-V1", "v1");
  builder.Add("GET /x echo", "x");
  builder.End();
  builder.End();
  config::Scope& side = builder.Begin("/api/{version}");
  SiteBuilder::SetHeader(&side.options, "X-Side", "side");
  SiteBuilder::SetHeader(&side.options, "X-Api", "side");
  builder.End();
  const auto site = builder.Build();
  // C40: on every status.
  const std::pair<const char*, int> top[] = {
      {"GET /x", 200},     {"GET /moved", 301}, {"GET /none", 404},
      {"GET /down", 503},  {"POST /x", 405},    {"GET /not", 304},
      {"OPTIONS /x", 204}, {"BREW /x", 501},    {"OPTIONS *", 204}};
  for (const auto& [line, status] : top) {
    SCOPED_TRACE(line);
    const std::string request = line;
    const size_t blank = request.find(' ');
    const Asked asked = AskSite(*site, request.substr(0, blank), request.substr(blank + 1));
    EXPECT_EQ(asked.status, status);
    EXPECT_EQ(FieldOf(asked.bytes, "x-top"), "top");
    EXPECT_EQ(FieldOf(asked.bytes, "x-gone"), "top");
    EXPECT_EQ(FieldOf(asked.bytes, "x-api"), "(none)");
  }
  for (const char* target : {"/api/x", "/api/v2"}) {
    SCOPED_TRACE(target);
    const Asked asked = AskSite(*site, "POST", target);
    EXPECT_EQ(FieldOf(asked.bytes, "x-top"), "api");
    EXPECT_EQ(FieldOf(asked.bytes, "x-api"), "api");
    EXPECT_EQ(FieldOf(asked.bytes, "x-gone"), "(none)");  // by `without`
    EXPECT_EQ(FieldOf(asked.bytes, "x-v1"), "(none)");
    EXPECT_EQ(FieldOf(asked.bytes, "x-side"), "(none)");
  }
  const Asked asked = AskSite(*site, "POST", "/api/v1/x");
  EXPECT_EQ(FieldOf(asked.bytes, "x-v1"), "v1");
  EXPECT_EQ(FieldOf(asked.bytes, "x-side"), "side");
  EXPECT_EQ(FieldOf(asked.bytes, "x-api"), "side");  // nearer than /api
}

TEST(Errors, AStatusRuleKeepsItsHeadersAndItsGroup) {
  SiteBuilder builder;
  builder.Begin();
  builder.AddError("404", "echo", "first");
  builder.Add("GET /first status", "404");
  builder.End();
  builder.Begin();
  builder.AddError("404", "echo", "second");
  config::Rule& rule = builder.Add("GET /second status", "404");
  SiteBuilder::SetHeader(&rule.answer.options, "X-Rule", "1");
  SiteBuilder::Edit(&rule.answer.options).cache = "max-age=9";
  builder.End();
  const auto site = builder.Build();
  EXPECT_EQ(BodyOf(AskSite(*site, "GET", "/first").bytes), "first");
  const Asked asked = AskSite(*site, "GET", "/second");
  EXPECT_FALSE(asked.answer.own);
  EXPECT_EQ(asked.answer.rule, 1u);
  EXPECT_EQ(BodyOf(asked.bytes), "second");
  EXPECT_EQ(FieldOf(asked.bytes, "x-rule"), "1");
  EXPECT_EQ(FieldOf(asked.bytes, "cache-control"), "max-age=9");
}

TEST(Errors, AHostIsClosedByARule) {
  SiteBuilder builder;
  builder.AddError("404", "echo", "top");
  builder.Add("GET /x echo", "open");
  builder.Begin("", {"a.com"});
  builder.AddError("404", "echo", "closed");
  builder.Add("ANY /{rest...} status", "404");
  builder.End();
  const auto site = builder.Build();
  EXPECT_EQ(BodyOf(AskHost(*site, "b.com", "/x").bytes), "open");
  EXPECT_EQ(BodyOf(AskHost(*site, "a.com", "/x").bytes), "closed");
  EXPECT_EQ(BodyOf(AskHost(*site, "b.com", "/y").bytes), "top");
}

// What was made at load has the bytes of what Render composes.
TEST(Errors, OwnAnswersAreReady) {
  SiteBuilder builder;
  builder.AddListener("second");
  builder.AddError("404", "echo", "top");
  SiteBuilder::SetHeader(&builder.config.scopes[0].options, "X-Top", "1");
  builder.Add("GET /x echo", "x");
  builder.Add("POST,PUT /{name} echo", "{name}");
  builder.Add("GET /api/x echo", "x");
  builder.Add("DELETE,PURGE /purged echo", "");
  SiteBuilder::SetHeader(&builder.Begin("/api").options, "X-Api", "1");
  builder.AddError("405", "html", "<p>405");
  builder.AddError("410", "echo", "api");
  builder.Add("GET /gone status", "410");
  builder.Begin("/v1");
  builder.AddError("404", "echo", "no {{path}}");
  builder.AddError("405", "echo", "no {{method}}");
  builder.Add("ANY /x echo", "x");
  builder.Add("GET /gone status", "410");
  builder.End();
  builder.End();
  builder.Begin("/api/", {"a.com"}, 1);
  builder.AddError("4xx", "json", "{}");
  builder.End();
  const auto site = builder.Build();
  enum class Form : uint8_t { kBytes, kTemplate, kLater };
  struct Case {
    const char* method;
    const char* target;
    int status;
    Form form;
    const char* allow = "(none)";
  };
  const Case cases[] = {
      {"GET", "/none/x", 404, Form::kBytes},
      {"BREW", "/x", 501, Form::kBytes},
      {"DELETE", "/x", 405, Form::kBytes, "GET, HEAD, POST, PUT, OPTIONS"},
      {"DELETE", "/other", 405, Form::kBytes, "POST, PUT, OPTIONS"},
      {"OPTIONS", "/x", 204, Form::kBytes, "GET, HEAD, POST, PUT, OPTIONS"},
      {"OPTIONS", "/api/x", 204, Form::kBytes, "GET, HEAD, OPTIONS"},
      {"OPTIONS", "*", 204, Form::kBytes, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, PURGE"},
      {"GET", "/purged", 405, Form::kLater, "POST, PUT, DELETE, OPTIONS, PURGE"},
      {"GET", "/api/none", 404, Form::kBytes},
      {"GET", "/api/gone", 410, Form::kBytes},
      {"POST", "/api/x", 405, Form::kBytes, "GET, HEAD, OPTIONS"},
      {"GET", "/api/v1/none", 404, Form::kTemplate},
      {"GET", "/api/v1/gone", 410, Form::kBytes},
      {"TRACE", "/api/v1/x", 405, Form::kTemplate, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"},
  };
  for (const Case& test : cases) {
    for (uint32_t listener = 0; listener < 2; ++listener) {
      for (const char* host : {"a.com", "b.com"}) {
        SCOPED_TRACE(std::string(test.method) + ' ' + test.target + ' ' + host +
                     std::to_string(listener));
        Ask ask;
        ask.method = test.method;
        ask.target = test.target;
        ask.host = host;
        ask.listener = listener;
        const Asked ready = AskSite(*site, ask);
        ask.composed = true;
        EXPECT_EQ(ready.bytes, AskSite(*site, ask).bytes);
        EXPECT_EQ(ready.status, test.status);
        EXPECT_EQ(FieldOf(ready.bytes, "allow"), test.allow);
        EXPECT_EQ(ready.answer.kind == Answer::Kind::kFixed, test.form == Form::kBytes);
        EXPECT_EQ(ready.answer.compiled != nullptr, test.form == Form::kTemplate);
      }
    }
  }
}

TEST(Errors, ComposedWhenSentWhereAPrefixHasAParameter) {
  SiteBuilder builder;
  builder.Add("GET /x echo", "x");
  builder.Begin("/{version}");
  builder.AddError("404", "echo", "version");
  builder.End();
  const auto site = builder.Build();
  const Asked asked = AskSite(*site, "GET", "/v1/none");
  EXPECT_EQ(asked.answer.kind, Answer::Kind::kTemplate);
  EXPECT_EQ(asked.answer.compiled, nullptr);
  EXPECT_EQ(BodyOf(asked.bytes), "version");
  EXPECT_EQ(BodyOf(AskSite(*site, "GET", "/none").bytes), "404 Not Found\n");
}

TEST(Errors, FaultsAreAnsweredByTheTopLevel) {
  SiteBuilder builder;
  SiteBuilder::SetHeader(&builder.config.scopes[0].options, "X-Top", "1");
  builder.AddError("4xx", "echo", "a fault");
  builder.AddError("400", "html", "<p>{{method}} {{path}} {{scheme}} {{header.X}}</p>");
  builder.AddError("413", "redirect", "/too-large");
  builder.AddError("431", "redirect", "https://{{host}}/");
  builder.AddError("503", "json", "{}");
  config::Scope& top = builder.config.scopes[0];
  config::Options& of_400 = SiteBuilder::Edit(&top.errors[1].answer.options);
  of_400.headers = {{"X-Method", "<{{method}}{{scheme}}>", MakePieces("<{{method}}{{scheme}}>")}};
  of_400.cache = "max-age=1";
  top.errors[4].answer.status = 500;
  SiteBuilder::Edit(&top.errors[4].answer.options).status = 500;
  builder.Begin("/group");
  builder.AddError("408", "echo", "of a group");
  builder.End();
  const auto site = builder.Build();
  struct Case {
    int fault;
    int status;
    const char* body;
  };
  const Case cases[] = {
      {400, 400, "<p>   </p>"},
      {408, 408, "a fault"},
      {413, 302, ""},
      {431, 431, "431 Request Header Fields Too Large\n"},
      {500, 500, "500 Internal Server Error\n"},
      {501, 501, "501 Not Implemented\n"},
      {503, 500, "{}"},
      {505, 505, "505 HTTP Version Not Supported\n"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.fault);
    const Response& response = site->FaultResponse(test.fault);
    const std::string bytes(response.bytes, response.head_size + response.body_size);
    EXPECT_EQ(response.status, test.status);
    EXPECT_TRUE(bytes.starts_with("HTTP/1.1 " + std::to_string(test.status) + ' '));
    EXPECT_EQ(BodyOf(bytes), test.body);
    EXPECT_EQ(FieldOf(bytes, "x-top"), "1");
    EXPECT_EQ(FieldOf(bytes, "content-length"), std::to_string(response.body_size));
    EXPECT_EQ(response.selectors, 0);
  }
  const Response& of_fault = site->FaultResponse(400);
  const std::string bytes(of_fault.bytes, of_fault.head_size);
  EXPECT_EQ(FieldOf(bytes, "x-method"), "<>");
  EXPECT_EQ(FieldOf(bytes, "cache-control"), "max-age=1");
  EXPECT_EQ(FieldOf(bytes, "content-type"), "text/html; charset=utf-8");
  const Response& redirect = site->FaultResponse(413);
  EXPECT_EQ(FieldOf(std::string(redirect.bytes, redirect.head_size), "location"), "/too-large");
  // A NUL in a path is found by the Site, and is such a fault too.
  const Asked nul = AskSite(*site, "GET", "/a%00");
  EXPECT_EQ(nul.status, 400);
  EXPECT_EQ(BodyOf(nul.bytes), "<p>   </p>");
}

}  // namespace
}  // namespace quipd::site
