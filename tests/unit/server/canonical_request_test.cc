// SPDX-License-Identifier: MIT
#include "server/canonical_request.h"

#include <gtest/gtest.h>

#include "exchange_of.h"

namespace quipd::server {
namespace {

struct Case {
  std::string_view head;
  std::string_view body;
  std::string_view expected;  // with LF, without the final empty line
};

constexpr Case kCases[] = {
    {"GET /a?b=c HTTP/1.1\nHost: example.com", "",
     "GET /a?b=c HTTP/1.1\nHost: example.com\nQuipd-Exchange: id\nContent-Length: 0\n"},
    // Fields in order; those of the connection and of framing are gone, and one Host stays.
    {"POST / HTTP/1.1\nX-A: 1\nHost: h\nConnection: keep-alive, X-Hop\nX-Hop: 2\nTE: trailers\n"
     "Trailer: X-T\nUpgrade: h2c\nKeep-Alive: 5\nProxy-Connection: x\nExpect: 100-continue\n"
     "Transfer-Encoding: chunked\nx-b:  two words \nX-A: 3",
     "abc",
     "POST / HTTP/1.1\nHost: h\nQuipd-Exchange: id\nContent-Length: 3\nX-A: 1\nx-b: two words\n"
     "X-A: 3\n"},
    // A client can't name an exchange.
    {"PUT / HTTP/1.1\nHost: h\nquipd-exchange: guessed\nContent-Length: 2", "xy",
     "PUT / HTTP/1.1\nHost: h\nQuipd-Exchange: id\nContent-Length: 2\n"},
    // Two fields of Connection, names in any case.
    {"GET / HTTP/1.1\nHost: h\nConnection: a\nConnection: close , B\nA: 1\nb: 2\nc: 3", "",
     "GET / HTTP/1.1\nHost: h\nQuipd-Exchange: id\nContent-Length: 0\nc: 3\n"},
    // Absolute-form and HTTP/1.0.
    {"GET http://example.org:81/x?y HTTP/1.1\nHost: example.org:81", "",
     "GET /x?y HTTP/1.1\nHost: example.org:81\nQuipd-Exchange: id\nContent-Length: 0\n"},
    {"GET /? HTTP/1.0", "", "GET /? HTTP/1.1\nHost: \nQuipd-Exchange: id\nContent-Length: 0\n"},
    // What evhttp would take for an authority.
    {"GET //evil:x/[?q HTTP/1.1\nHost: h", "",
     "GET /evil:x/[?q HTTP/1.1\nHost: h\nQuipd-Exchange: id\nContent-Length: 0\n"},
    // Methods whose body evhttp would leave in the stream, or that it doesn't know.
    {"HEAD / HTTP/1.1\nHost: h", "",
     "HEAD / HTTP/1.1\nHost: h\nQuipd-Exchange: id\nContent-Length: 0\n"},
    {"HEAD / HTTP/1.1\nHost: h\nContent-Length: 1", "x",
     "POST / HTTP/1.1\nHost: h\nQuipd-Exchange: id\nContent-Length: 1\n"},
    {"BREW / HTTP/1.1\nHost: h", "",
     "POST / HTTP/1.1\nHost: h\nQuipd-Exchange: id\nContent-Length: 0\n"},
    {"PATCH / HTTP/1.1\nHost: h", "",
     "PATCH / HTTP/1.1\nHost: h\nQuipd-Exchange: id\nContent-Length: 0\n"},
};

TEST(CanonicalRequest, HasOneForm) {
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.head);
    const auto exchange = ExchangeOf(nullptr, test.head, std::string(test.body));
    std::string expected;
    for (const char byte : test.expected) {
      if (byte == '\n') expected += '\r';
      expected += byte;
    }
    EXPECT_EQ(CanonicalRequestHead(*exchange, "id"), expected + "\r\n");
  }
}

}  // namespace
}  // namespace quipd::server
