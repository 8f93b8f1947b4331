// SPDX-License-Identifier: MIT
// What config/ ships: each file loads without a warning and answers byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "config/loader.h"
#include "http/request_head.h"
#include "site/site.h"

namespace quipd {
namespace {

constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kJson = "application/json";

constexpr std::string_view kWelcome =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<head><meta charset=\"utf-8\"><title>quipd</title></head>\n"
    "<body>\n"
    "<h1>It works</h1>\n"
    "<p>This page is a rule in quipd.yaml. Edit it, then reload quipd.</p>\n"
    "</body>\n"
    "</html>\n";

constexpr std::string_view kBackSoon =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<head><meta charset=\"utf-8\"><title>Back soon</title></head>\n"
    "<body><h1>Back soon</h1><p>We are working on it. Please try again in some "
    "minutes.</p></body>\n"
    "</html>\n";

constexpr std::string_view kSecurity =
    "Contact: mailto:security@example.com\n"
    "Expires: 2030-01-01T00:00:00Z\n"
    "Preferred-Languages: en\n"
    "Canonical: https://example.com/.well-known/security.txt\n";

constexpr std::string_view kAppleSuccess =
    "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>";

struct Case {
  std::string_view file;  // below config/
  std::string_view method;
  std::string_view target;
  std::string_view host;
  int status;
  std::string_view type;   // empty: no Content-Type
  std::string_view body;   // kOwn: a body of quipd's own, not looked at
  std::string_view field;  // a line that the head has besides; may be empty
  uint32_t listener = 0;
};

constexpr std::string_view kOwn = "\x01";

constexpr Case kCases[] = {
    {"quipd.yaml", "GET", "/", "localhost:8080", 200, kHtml, kWelcome, "Server: quipd"},
    {"quipd.yaml", "GET", "/hello/Ada", "localhost:8080", 200, kText, "Hello Ada!\n", ""},
    {"quipd.yaml", "GET", "/livez", "localhost:8080", 200, kText, "ok", "Cache-Control: no-store"},
    {"quipd.yaml", "GET", "/nothing", "localhost:8080", 404, kText, kOwn, ""},
    {"quipd.yaml", "POST", "/", "localhost:8080", 405, kText, kOwn, "Allow: GET, HEAD, OPTIONS"},

    {"examples/actframework.yaml", "GET", "/", "h", 200, kText, "Hello World!", ""},
    {"examples/actframework.yaml", "GET", "/txt", "h", 200, kHtml, "Hello World!", ""},
    {"examples/blueeyes.yaml", "GET", "/hello", "h", 200, kJson, R"(["Hello","World"])", ""},
    {"examples/servlet.yaml", "GET", "/testservlet/Test", "h", 200, kJson, R"(["Hello","World!"])",
     ""},
    {"examples/play.yaml", "GET", "/", "h", 200, kJson, R"(["Hello","World!"])",
     "Server: Play! Framework"},
    {"examples/jetty.yaml", "GET", "/", "h", 200, kText, "noop", ""},
    {"examples/jetty.yaml", "POST", "/any/path?at=all", "h", 200, kText, "noop", ""},

    {"examples/health.yaml", "GET", "/livez", "10.0.0.7:8080", 200, kText, "ok",
     "X-Content-Type-Options: nosniff"},
    {"examples/health.yaml", "GET", "/readyz", "", 200, kText, "ok", "Cache-Control: no-store"},
    {"examples/health.yaml", "GET", "/healthz", "h", 200, "application/health+json",
     R"({"status":"pass"})", "Cache-Control: no-store"},

    {"examples/maintenance.yaml", "GET", "/", "h", 503, kHtml, kBackSoon, "Retry-After: 300"},
    {"examples/maintenance.yaml", "PUT", "/a/b?c", "x.example.com", 503, kHtml, kBackSoon,
     "Cache-Control: no-store"},
    {"examples/maintenance.yaml", "GET", "/livez", "h", 200, kText, "ok", ""},
    {"examples/maintenance.yaml", "GET", "/readyz", "h", 200, kText, "ok", ""},

    {"examples/redirect-host.yaml", "GET", "/a/b?c=d", "www.example.com", 308, "", "",
     "Location: https://example.com/a/b?c=d"},
    {"examples/redirect-host.yaml", "POST", "/", "shop.example.net:80", 308, "", "",
     "Location: https://example.com/"},
    {"examples/redirect-host.yaml", "GET", "/", "example.org", 404, kText, kOwn, ""},

    {"examples/well-known.yaml", "GET", "/robots.txt", "h", 200, kText,
     "User-agent: *\nDisallow: /private/\n", "Cache-Control: max-age=86400"},
    {"examples/well-known.yaml", "GET", "/.well-known/security.txt", "h", 200, kText, kSecurity,
     "Cache-Control: max-age=86400"},
    {"examples/well-known.yaml", "GET", "/security.txt", "h", 301, "", "",
     "Location: /.well-known/security.txt"},
    {"examples/well-known.yaml", "GET", "/.well-known/change-password", "h", 302, "", "",
     "Location: /account/password"},

    {"examples/captive-portal.yaml", "GET", "/generate_204", "connectivitycheck.gstatic.com", 204,
     "", "", "Cache-Control: no-store"},
    {"examples/captive-portal.yaml", "GET", "/gen_204", "h", 204, "", "", ""},
    {"examples/captive-portal.yaml", "GET", "/hotspot-detect.html", "captive.apple.com", 200, kHtml,
     kAppleSuccess, ""},
    {"examples/captive-portal.yaml", "GET", "/connecttest.txt", "h", 200, kText,
     "Microsoft Connect Test", ""},
    {"examples/captive-portal.yaml", "GET", "/ncsi.txt", "h", 200, kText, "Microsoft NCSI", ""},
    {"examples/captive-portal.yaml", "GET", "/success.txt", "h", 200, kText, "success\n", ""},

    {"examples/default-backend.yaml", "GET", "/healthz", "h", 200, kText, "ok", ""},
    {"examples/default-backend.yaml", "GET", "/", "h", 404, kText, "default backend - 404", ""},
    {"examples/default-backend.yaml", "DELETE", "/a/b", "x.test", 404, kText,
     "default backend - 404", ""},

    {"examples/mock-api.yaml", "GET", "/api/v1/users", "h", 200, kJson,
     R"([{"id":1,"name":"Ada"},{"id":2,"name":"Grace"}])", "X-Mock: true"},
    {"examples/mock-api.yaml", "GET", "/api/v1/users/a%22b", "h", 200, kJson,
     R"({"id":"a\"b","name":"Ada"})", "X-Mock: true"},
    {"examples/mock-api.yaml", "POST", "/api/v1/users", "h", 201, kJson,
     R"({"id":3,"name":"Edsger"})", "Location: /api/v1/users/3"},
    {"examples/mock-api.yaml", "DELETE", "/api/v1/users/7", "h", 204, "", "", "X-Mock: true"},
    {"examples/mock-api.yaml", "PUT", "/api/v1/users", "h", 405, kJson,
     R"({"error":"no such method"})", "X-Mock: true"},
    {"examples/mock-api.yaml", "GET", "/api/v1/busy", "h", 503, kText, kOwn, "Retry-After: 5"},
    {"examples/mock-api.yaml", "GET", "/api/v1/none", "h", 404, kJson,
     R"({"error":"no such thing"})", "X-Mock: true"},

    {"examples/static-site.yaml", "POST", "/", "h", 405, kText, kOwn, "Allow: GET, HEAD, OPTIONS"},

    {"examples/tls-redirect.yaml", "GET", "/a/b?c=d", "example.com", 308, "", "",
     "Location: https://example.com/a/b?c=d"},
    {"examples/tls-redirect.yaml", "POST", "/.well-known/a", "example.com", 308, "", "",
     "Location: https://example.com/.well-known/a"},
    {"examples/tls-redirect.yaml", "GET", "/", "example.com", 200, kText, "Hello World!",
     "Strict-Transport-Security: max-age=31536000", 1},
    {"examples/tls-redirect.yaml", "GET", "/.well-known/a", "example.com", 404, kText, kOwn,
     "Strict-Transport-Security: max-age=31536000", 1},
};

// What is answered by a file that is opened for each request.
struct Opened {
  std::string_view file;
  std::string_view target;
  std::string_view variable;  // the folder is that of this variable
  std::string_view folder;    // and this behind it
  std::string_view below;     // the name in there
};

constexpr Opened kOpened[] = {
    {"examples/static-site.yaml", "/", "SITE", "", ""},
    {"examples/static-site.yaml", "/accounts/7?x=y", "SITE", "", "accounts/7"},
    {"examples/static-site.yaml", "/assets/app.js", "SITE", "/assets", "app.js"},
    {"examples/static-site.yaml", "/assets", "SITE", "", "assets"},
    {"examples/static-site.yaml", "/assets", "SITE", "", "assets"},
    {"examples/tls-redirect.yaml", "/.well-known/acme-challenge/x", "WELL_KNOWN", "",
     "acme-challenge/x"},
};

// The folders that examples name, in a folder of the test's own.
const std::map<std::string_view, std::string>& Folders() {
  static const std::map<std::string_view, std::string> folders = [] {
    const std::string root = testing::TempDir() + "quipd-examples-" + std::to_string(getpid());
    std::filesystem::create_directories(root + "/site/assets");
    std::filesystem::create_directories(root + "/well-known");
    std::ofstream(root + "/site/index.html") << "<h1>Home</h1>";
    return std::map<std::string_view, std::string>{{"SITE", root + "/site"},
                                                   {"WELL_KNOWN", root + "/well-known"}};
  }();
  return folders;
}

const char* Variable(const char* name) {
  const auto found = Folders().find(name);
  return found == Folders().end() ? nullptr : found->second.c_str();
}

// The Site of a shipped file; its diagnostics are failures.
std::shared_ptr<const site::Site> LoadShipped(std::string_view file) {
  config::LoadRequest request;
  request.file = std::string(QUIPD_SOURCE_DIR "/config/").append(file);
  request.environment = Variable;
  config::Loaded loaded = config::Load(request);
  EXPECT_EQ(ToText(loaded.diagnostics), "");
  if (!loaded.config.has_value()) {
    return nullptr;
  }
  site::Compiled compiled = site::Compile(*std::move(loaded.config));
  EXPECT_EQ(ToText(compiled.diagnostics), "");
  return compiled.site;
}

struct Response {
  std::string head;  // through CRLF CRLF
  std::string body;
};

Response Ask(const site::Site& site, const Case& test) {
  std::string bytes = std::string(test.method).append(" ").append(test.target);
  bytes.append(test.host.empty() ? " HTTP/1.0\r\n" : " HTTP/1.1\r\nHost: ");
  bytes.append(test.host).append(test.host.empty() ? "\r\n" : "\r\n\r\n");
  http::RequestHead head;
  const http::HeadResult parsed = http::ParseRequestHead(bytes, http::HeadLimits{}, &head);
  EXPECT_EQ(parsed.state, http::HeadState::kComplete);

  const site::Request request{.head = &head, .listener = test.listener, .client = "127.0.0.1"};
  site::Scratch scratch;
  const site::Answer answer = site.Find(request, &scratch);
  EXPECT_NE(answer.kind, site::Answer::Kind::kRelay);
  std::string all;
  if (answer.kind == site::Answer::Kind::kTemplate) {
    uint16_t status = 0;
    site.Render(answer, request, scratch, kDate, false, &all, &status);
  } else if (answer.kind == site::Answer::Kind::kFixed) {
    all.assign(answer.response->bytes, answer.response->head_size + answer.response->body_size);
  }
  const size_t end = all.find("\r\n\r\n");
  if (end == std::string::npos) {
    return {};
  }
  return {all.substr(0, end + 4), all.substr(end + 4)};
}

std::string_view FieldsOf(const Response& response) {
  const std::string_view head = response.head;
  const size_t line_end = head.find("\r\n") + 2;
  return head.substr(line_end, head.size() - line_end - 2);
}

void ExpectAnswer(const site::Site& site, const Case& test) {
  const Response response = Ask(site, test);
  ASSERT_FALSE(response.head.empty());
  EXPECT_EQ(response.head.substr(0, 13), "HTTP/1.1 " + std::to_string(test.status) + " ");
  EXPECT_EQ(http::FindField(FieldsOf(response), "Content-Type"), test.type);
  if (test.body != kOwn) {
    EXPECT_EQ(response.body, test.body);
  }
  if (test.status != 204) {
    EXPECT_EQ(http::FindField(FieldsOf(response), "Content-Length"),
              std::to_string(response.body.size()));
  }
  if (!test.field.empty()) {
    EXPECT_THAT(response.head, testing::HasSubstr("\r\n" + std::string(test.field) + "\r\n"));
  }
}

TEST(Examples, AnswerByteForByte) {
  std::map<std::string_view, std::shared_ptr<const site::Site>> sites;
  for (const Case& test : kCases) {
    SCOPED_TRACE(testing::Message()
                 << test.file << ": " << test.method << " " << test.target << " of " << test.host);
    auto found = sites.find(test.file);
    if (found == sites.end()) {
      found = sites.emplace(test.file, LoadShipped(test.file)).first;
    }
    ASSERT_NE(found->second, nullptr);
    ExpectAnswer(*found->second, test);
  }
}

TEST(Examples, OpenTheRightFiles) {
  for (const Opened& test : kOpened) {
    SCOPED_TRACE(testing::Message() << test.file << ": " << test.target);
    const std::shared_ptr<const site::Site> site = LoadShipped(test.file);
    ASSERT_NE(site, nullptr);
    const std::string bytes =
        std::string("GET ").append(test.target).append(" HTTP/1.1\r\nHost: h\r\n\r\n");
    http::RequestHead head;
    ASSERT_EQ(http::ParseRequestHead(bytes, http::HeadLimits{}, &head).state,
              http::HeadState::kComplete);
    site::Scratch scratch;
    const site::Answer answer = site->Find({.head = &head, .client = "127.0.0.1"}, &scratch);
    ASSERT_EQ(answer.kind, site::Answer::Kind::kFile);
    EXPECT_TRUE(answer.files->is_dir);
    EXPECT_EQ(answer.files->path, Folders().at(test.variable) + std::string(test.folder));
    EXPECT_EQ(answer.below, test.below);
  }
}

TEST(Examples, AreAllTested) {
  std::set<std::string> tested;
  for (const Case& test : kCases) {
    tested.emplace(test.file);
  }
  const std::filesystem::path folder(QUIPD_SOURCE_DIR "/config/examples");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") {
      EXPECT_TRUE(tested.contains("examples/" + entry.path().filename().string())) << entry.path();
    }
  }
}

TEST(Examples, ListenOnPort8080) {
  config::LoadRequest request;
  request.file = QUIPD_SOURCE_DIR "/config/quipd.yaml";
  request.environment = [](const char*) -> const char* { return nullptr; };
  const config::Loaded loaded = config::Load(request);
  ASSERT_TRUE(loaded.config.has_value());
  ASSERT_EQ(loaded.config->listeners.size(), 1U);
  EXPECT_EQ(loaded.config->listeners[0].address.family, config::ListenAddress::Family::kAny);
  EXPECT_EQ(loaded.config->listeners[0].address.port, 8080);
  EXPECT_EQ(loaded.config->profile, "prod");
}

}  // namespace
}  // namespace quipd
