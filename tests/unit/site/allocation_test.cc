// SPDX-License-Identifier: MIT
// A warm lookup or rendering takes no memory. Counts every allocation of this program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "unit/site/site_builder.h"

namespace {
size_t allocations = 0;
}  // namespace

void* operator new(size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { std::free(memory); }

namespace quipd::site {
namespace {

TEST(Allocation, NoneOnceWarm) {
  SiteBuilder builder;
  builder.AddListener("second");
  builder.Begin("/api");
  builder.AddError("404", "echo", "api");
  builder.AddError("405", "echo", "no {{method}} here");
  builder.Add("GET /x echo", "x");
  builder.End();
  builder.Add("GET /a echo", "a");
  builder.AddTemplate("GET /t/{x} html", "{{x}} {{query.q}} {{header.X-A}} {{host}} {{path}}");
  builder.Add("GET /old redirect", "/new");
  builder.Add("GET /gone status", "410");
  builder.Add("GET /long echo", std::string(2000, 'x'));
  builder.Add("GET /files/ dir", "/srv");
  builder.Begin("", {"a.com", "*.b.com"});
  builder.Add("GET /v{n}/{rest...} echo", "b");
  builder.End();
  builder.Begin("", {}, 1);
  builder.Add("PURGE /purged echo", "c");
  builder.End();
  const auto site = builder.Build();
  const std::string requests[] = {
      "GET /a HTTP/1.1\r\nHost: a.com\r\n\r\n",
      "HEAD //%61 HTTP/1.1\r\nHost: A.com:80\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: a.com\r\n\r\n",
      "BREW /a HTTP/1.1\r\nHost: a.com\r\n\r\n",
      "GET /t/%3Cx%3E?q=%22a+b HTTP/1.1\r\nHost: x.b.com\r\nX-A: <>\r\n\r\n",
      "GET /old?x=y HTTP/1.1\r\nHost: c.com\r\n\r\n",
      "GET /gone HTTP/1.1\r\nHost: c.com\r\n\r\n",
      "GET /v2/a/b/c HTTP/1.1\r\nHost: y.x.b.com\r\n\r\n",
      "GET /none HTTP/1.1\r\nHost: c.com\r\n\r\n",
      "GET /api/none HTTP/1.1\r\nHost: c.com\r\n\r\n",
      "POST /api/x HTTP/1.1\r\nHost: c.com\r\n\r\n",
      "OPTIONS /t/a HTTP/1.1\r\nHost: c.com\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: c.com\r\n\r\n",
      "GET /files HTTP/1.1\r\nHost: c.com\r\n\r\n",
      "GET /files/a HTTP/1.1\r\nHost: c.com\r\n\r\n",
      "GET /long HTTP/1.1\r\nHost: c.com\r\nAccept-Encoding: gzip;q=0.5, br\r\n"
      "If-None-Match: \"a\", W/\"b\"\r\nRange: bytes=0-1,5-6\r\n\r\n",
      "GET /long HTTP/1.1\r\nHost: c.com\r\nAccept-Encoding: *;q=0\r\n\r\n",
  };
  const std::string date(29, 'd');
  Scratch scratch;
  std::string out;
  for (const bool warm : {false, true}) {
    for (const std::string& text : requests) {
      SCOPED_TRACE(text);
      for (uint32_t listener = 0; listener < 2; ++listener) {
        http::RequestHead head;
        static_cast<void>(http::ParseRequestHead(text, {}, &head));
        const Request request{&head, listener, false, "192.0.2.1"};
        const size_t before = allocations;
        Answer answer = site->Find(request, &scratch);
        if (answer.kind == Answer::Kind::kFile) {
          answer = site->ErrorOf(answer, 404, request, scratch);
        } else if (answer.response != nullptr) {
          static_cast<void>(site->Select(*answer.response, head, 1'700'000'000));
        }
        EXPECT_TRUE(answer.kind == Answer::Kind::kFixed || answer.compiled != nullptr) << listener;
        if (answer.compiled != nullptr) {
          out.clear();
          uint16_t status = 0;
          site->Render(answer, request, scratch, date, false, &out, &status);
        }
        const size_t taken = allocations - before;
        EXPECT_TRUE(!warm || taken == 0) << taken;
      }
    }
  }
}

}  // namespace
}  // namespace quipd::site
