// SPDX-License-Identifier: MIT
#include "http/request_head.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/head_parser.h"
#include "http/scan.h"

namespace quipd::http {
namespace {

using std::string_view_literals::operator""sv;

// What a parse said, with copies of what its views showed.
struct Outcome {
  HeadResult result;
  std::string text;
};

std::string Quoted(std::string_view view) {
  return view.data() == nullptr ? "-" : "'" + std::string(view) + "'";
}

// "GET '/a' ?'q' @'h'" and then what is set beyond the usual.
std::string Text(const RequestHead& head) {
  std::string text = std::string(head.method) + " " + Quoted(head.path);
  text += head.query.data() != nullptr ? " ?" + Quoted(head.query) : "";
  text += " @'" + std::string(head.authority) + "'";
  text += head.method_id == MethodOf(head.method) ? "" : " METHOD?";
  text += head.http10 ? " 1.0" : "";
  text += head.plain_path ? "" : " uneven";
  text += head.has_content_length ? " length=" + std::to_string(head.content_length) : "";
  text += head.chunked ? " chunked" : "";
  text += head.close ? " close" : "";
  text += head.keep_alive_10 ? " keep-alive" : "";
  text += head.expect_continue ? " continue" : "";
  text += (head.selectors & kConditional) != 0 ? " conditional" : "";
  text += (head.selectors & kRange) != 0 ? " range" : "";
  text += (head.selectors & kAcceptEncoding) != 0 ? " codings" : "";
  text += (head.selectors & kWeightedCodings) != 0 ? " weighted" : "";
  const size_t before = head.selecting.empty() ? 0 : head.selecting.data() - head.fields.data();
  text += head.selecting.empty() ? "" : " <" + std::string(head.selecting) + ">";
  EXPECT_LE(before + head.selecting.size(), head.fields.size());
  return text;
}

using ParseFunction = HeadResult (*)(std::string_view, const HeadLimits&, RequestHead*);

template <typename Scan>
HeadResult ParseWith(std::string_view input, const HeadLimits& limits, RequestHead* head) {
  return HeadParser<Scan>(limits, head).Parse(input);
}

// Parses a copy of its exact size, so that the sanitizer sees a byte read too many.
Outcome Parse(ParseFunction parse, std::string_view input, const HeadLimits& limits) {
  const auto heap = std::make_unique<char[]>(input.size());
  std::memcpy(heap.get(), input.data(), input.size());
  RequestHead head;
  const HeadResult result = parse({heap.get(), input.size()}, limits, &head);
  return {result,
          result.state == HeadState::kComplete ? Text(head) : std::string(NameOf(result.fault))};
}

void ExpectSame(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.result.state, b.result.state);
  EXPECT_EQ(a.result.fault, b.result.fault);
  EXPECT_EQ(a.result.length, b.result.length);
  EXPECT_EQ(a.text, b.text);
}

HeadResult ParseAlone(std::string_view input, const HeadLimits& limits, RequestHead* head) {
  return ParseRequestHead(input, limits, head);
}

// With every set of scanners that this machine has.
Outcome ParseEveryWay(std::string_view input, const HeadLimits& limits) {
  const Outcome outcome = Parse(ParseAlone, input, limits);
  ExpectSame(outcome, Parse(ParseWith<scan::Tables>, input, limits));
#if defined(__SSE2__)
  if (input.size() >= 16 && limits.head >= 16) {
    ExpectSame(outcome, Parse(ParseWith<scan::Sse2>, input, limits));
  }
#endif
  return outcome;
}

// Parses `input` whole and every prefix of it: up to some length they are partial, from there on
// they are what the whole is.
Outcome ParseEveryPrefix(std::string_view input, const HeadLimits& limits = {}) {
  const Outcome whole = ParseEveryWay(input, limits);
  bool decided = false;
  for (size_t length = 0; length < input.size() && !testing::Test::HasFailure(); ++length) {
    SCOPED_TRACE("prefix of " + std::to_string(length));
    const Outcome prefix = ParseEveryWay(input.substr(0, length), limits);
    if (prefix.result.state == HeadState::kPartial) {
      EXPECT_FALSE(decided);
      EXPECT_EQ(prefix.result.length, length);
    } else {
      decided = true;
      ExpectSame(prefix, whole);
    }
  }
  return whole;
}

std::string Accepted(std::string_view input, const HeadLimits& limits = {}) {
  const Outcome outcome = ParseEveryPrefix(input, limits);
  if (outcome.result.state == HeadState::kComplete) {
    EXPECT_EQ(outcome.result.length, input.size());
  }
  return outcome.result.state == HeadState::kPartial ? "partial" : outcome.text;
}

struct AcceptedCase {
  std::string_view input;
  std::string_view text;
};

void ExpectAccepted(const std::vector<AcceptedCase>& cases) {
  for (const AcceptedCase& c : cases) {
    SCOPED_TRACE(c.input);
    EXPECT_EQ(Accepted(c.input), c.text);
  }
}

struct RefusedCase {
  std::string_view input;
  HeadFault fault;
};

void ExpectRefused(const std::vector<RefusedCase>& cases) {
  for (const RefusedCase& c : cases) {
    SCOPED_TRACE(c.input);
    const Outcome outcome = ParseEveryPrefix(c.input);
    EXPECT_EQ(outcome.result.state, HeadState::kFault);
    EXPECT_EQ(NameOf(outcome.result.fault), NameOf(c.fault));
  }
}

TEST(RequestHead, ReadsRequestLines) {
  ExpectAccepted({
      {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/' @'h'"},
      {"GET /a/b?c=d&e HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/a/b' ?'c=d&e' @'h'"},
      {"GET /? HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/' ?'' @'h'"},
      {"GET /?a?b HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/' ?'a?b' @'h'"},
      {"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", "HEAD '/' @'h'"},
      {"POST / HTTP/1.1\r\nHost: h\r\n\r\n", "POST '/' @'h'"},
      {"PUT / HTTP/1.1\r\nHost: h\r\n\r\n", "PUT '/' @'h'"},
      {"PATCH / HTTP/1.1\r\nHost: h\r\n\r\n", "PATCH '/' @'h'"},
      {"DELETE / HTTP/1.1\r\nHost: h\r\n\r\n", "DELETE '/' @'h'"},
      {"OPTIONS / HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS '/' @'h'"},
      {"TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", "TRACE '/' @'h'"},
      {"get / HTTP/1.1\r\nHost: h\r\n\r\n", "get '/' @'h'"},
      {"M-SEARCH!#$%&'*+.^_`|~9 / HTTP/1.1\r\nHost: h\r\n\r\n", "M-SEARCH!#$%&'*+.^_`|~9 '/' @'h'"},
      {"PROPFINDPROPFINDPROPFINDPROPFIND / HTTP/1.1\r\nHost: h\r\n\r\n",
       "PROPFINDPROPFINDPROPFINDPROPFIND '/' @'h'"},
      {"GET / HTTP/1.2\r\nHost: h\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.9\r\nHost: h\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.0\r\n\r\n", "GET '/' @'' 1.0 close"},
      {"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/' @'h'"},
      {"\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/' @'h'"},
      {"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS '*' @'h'"},
      {"GET //x/y HTTP/1.1\r\nHost: h\r\n\r\n", "GET '//x/y' @'h' uneven"},
      {"GET /a//b HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/a//b' @'h' uneven"},
      {"GET /a/../b HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/a/../b' @'h' uneven"},
      {"GET /.a HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/.a' @'h' uneven"},
      {"GET /a.b/c..d HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/a.b/c..d' @'h'"},
      {"GET /%41 HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/%41' @'h' uneven"},
      {"GET /a?%41/.//x HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/a' ?'%41/.//x' @'h'"},
      {"GET /%4fabcdefghijklmnopqrstuvwxyz%aB?%Ba HTTP/1.1\r\nHost: h\r\n\r\n",
       "GET '/%4fabcdefghijklmnopqrstuvwxyz%aB' ?'%Ba' @'h' uneven"},
      {"GET /\"<>\\^`{|}[] HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/\"<>\\^`{|}[]' @'h'"},
      {"GET /?\"<>\\^`{|}[] HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/' ?'\"<>\\^`{|}[]' @'h'"},
  });
}

TEST(RequestHead, ReadsAbsoluteForms) {
  ExpectAccepted({
      {"GET http://t/p?q HTTP/1.1\r\nHost: other\r\n\r\n", "GET '/p' ?'q' @'t'"},
      {"GET http://t HTTP/1.1\r\nHost: other\r\n\r\n", "GET '/' @'t'"},
      {"GET http://t?q HTTP/1.1\r\nHost: other\r\n\r\n", "GET '/' ?'q' @'t'"},
      {"GET http://t?q/r HTTP/1.1\r\nHost: other\r\n\r\n", "GET '/' ?'q/r' @'t'"},
      {"GET HTTPS://T:8443/ HTTP/1.1\r\nHost: other\r\n\r\n", "GET '/' @'T:8443'"},
      {"GET hTtP://[::1]:80/a//b HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/a//b' @'[::1]:80' uneven"},
      {"GET http://t/a%2Fb HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/a%2Fb' @'t' uneven"},
      {"GET http://t/. HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/.' @'t' uneven"},
      {"GET http://t/a?b%20//c HTTP/1.1\r\nHost: h\r\n\r\n", "GET '/a' ?'b%20//c' @'t'"},
      {"GET http://t/ HTTP/1.1\r\nHost:\r\n\r\n", "GET '/' @'t'"},
      {"GET http://t/ HTTP/1.0\r\n\r\n", "GET '/' @'t' 1.0 close"},
      {"OPTIONS http://t HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS '/' @'t'"},
  });
  ExpectRefused({
      {"GET http://t/ HTTP/1.1\r\n\r\n", HeadFault::kHost},
      {"GET http://t/ HTTP/1.1\r\nHost: a b\r\n\r\n", HeadFault::kHost},
      {"GET ftp://t/ HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET httpx://t/ HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http:/t/ HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http:t HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http:/// HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http:// HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http://?q HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http://:80/ HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http://u@t/ HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http://t:99999/ HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http://[::1/ HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET http://a,b/ HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
      {"GET ://t/ HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kTarget},
  });
}

TEST(RequestHead, RefusesRequestLines) {
  ExpectRefused({
      {"\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"\rGET / HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"\nGET / HTTP/1.1\r\n", HeadFault::kRequestLine},
      {" GET / HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"\tGET / HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"\0GET / HTTP/1.1\r\n"sv, HeadFault::kRequestLine},
      {"\x16\x03\x01\x02", HeadFault::kRequestLine},
      {"GET\r\n", HeadFault::kRequestLine},
      {"GET\t/ HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"GE(T / HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"G\xC3T / HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"G:T / HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"GET  / HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"GET /  HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"GET / HTTP/1.1 \r\n", HeadFault::kRequestLine},
      {"GET / HTTP/1.1\t\r\n", HeadFault::kRequestLine},
      {"GET /a b HTTP/1.1\r\n", HeadFault::kRequestLine},
      {"GET /\r\n\r\n", HeadFault::kRequestLine},
      {"GET / \r\n\r\n", HeadFault::kRequestLine},
      {"GET /\n", HeadFault::kTarget},
      {"GET /\tHTTP/1.1\r\n", HeadFault::kTarget},
      {"GET / HTTP/1.1\nHost: h\n\n", HeadFault::kRequestLine},
      {"GET / HTTP/1.1\rHost: h\r\r", HeadFault::kRequestLine},
      {"GET / HTTP/1.01\r\n", HeadFault::kRequestLine},
      {"GET / HTTP/1.+1\r\n", HeadFault::kRequestLine},
      {"GET / HTTP/+1.1\r\n", HeadFault::kRequestLine},
      {"GET / HTTP/11.1\r\n", HeadFault::kRequestLine},
      {"GET / HTTP/1.\r\n", HeadFault::kRequestLine},
      {"GET / HTTP/1\r\n", HeadFault::kRequestLine},
      {"GET / HTTP/1,1\r\n", HeadFault::kRequestLine},
      {"GET / http/1.1\r\n", HeadFault::kRequestLine},
      {"GET / HTTPS/1.1\r\n", HeadFault::kRequestLine},
      {"GET / HTTP /1.1\r\n", HeadFault::kRequestLine},
      {"GET / HTTP/4294967297.1\r\n", HeadFault::kRequestLine},
      {"GET / HTTP/2.0\r\n\r\n", HeadFault::kVersion},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", HeadFault::kVersion},
      {"GET / HTTP/0.9\r\n\r\n", HeadFault::kVersion},
      {"GET x HTTP/3.1\r\n\r\n", HeadFault::kVersion},
      {"CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", HeadFault::kConnect},
      {"CONNECT / HTTP/1.0\r\n\r\n", HeadFault::kConnect},
  });
}

TEST(RequestHead, RefusesTargets) {
  ExpectRefused({
      {"GET a HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET a/b HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET ?a HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET h:443 HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET * HTTP/1.1\r\n", HeadFault::kTarget},
      {"OPTIONS ** HTTP/1.1\r\n", HeadFault::kTarget},
      {"OPTIONS *?a HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET \\a HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET %2Fa HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /a#b HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /?a#b HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET # HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /\x01 HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /\0 HTTP/1.1\r\n"sv, HeadFault::kTarget},
      {"GET /\x7f HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /caf\xC3\xA9 HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /?\xff HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /% HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /%4 HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /%zz HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /%4g HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /%%41 HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /%u0041 HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /?a=% HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /?a=%4 HTTP/1.1\r\n", HeadFault::kTarget},
      {"GET /?a=%zz HTTP/1.1\r\n", HeadFault::kTarget},
  });
}

TEST(RequestHead, RefusesFieldLines) {
  ExpectRefused({
      {"GET / HTTP/1.1\r\n Host: h\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\n\tHost: h\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\n\tfolded\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\n \r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost\t: h\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\n: v\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX(@): v\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX\xC3: v\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX\0: v\r\n\r\n"sv, HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: \0\r\n\r\n"sv, HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: a\r\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: a\x01\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: a\x1b[0m\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: a\x7f\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\nX: a\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\n\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\n\rX", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: h\r\n\0\r\n\r\n"sv, HeadFault::kField},
  });
}

TEST(RequestHead, RefusesHosts) {
  ExpectRefused({
      {"GET / HTTP/1.1\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nX: h\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.2\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.0\r\nHost: h\r\nHOST: h\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost:\r\nHost: h\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: h:8x\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: :80\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: u@h\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: h:99999\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nHost: ::1\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.0\r\nHost: a b\r\n\r\n", HeadFault::kHost},
  });
}

TEST(RequestHead, ReadsFields) {
  ExpectAccepted({
      {"GET / HTTP/1.1\r\nhOsT:h\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nHost: \t h:80 \t \r\n\r\n", "GET '/' @'h:80'"},
      {"GET / HTTP/1.1\r\nHost: 127.0.0.1:65535\r\n\r\n", "GET '/' @'127.0.0.1:65535'"},
      {"GET / HTTP/1.1\r\nHost: a_b.example:\r\n\r\n", "GET '/' @'a_b.example:'"},
      {"GET / HTTP/1.1\r\nHost: \r\n\r\n", "GET '/' @''"},
      {"GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET '/' @''"},
      {"GET / HTTP/1.1\r\nHost: [2001:DB8::1]:8080\r\n\r\n", "GET '/' @'[2001:DB8::1]:8080'"},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: \xC3\xA9\xff\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: a\tb\t\tcdefghijklmnopqrstuvw\t\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nHost: h\r\nX:\r\nY: \r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nX-B3_trace.9~!#$%&'*+^`|: 1\r\nHost: h\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nA-name-of-more-than-sixteen-letters: 1\r\nHost: h\r\n\r\n",
       "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nHosts: a b\r\nHoss: a b\r\nHost: h\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n",
       "GET '/' @'h'"},
  });
}

TEST(RequestHead, ReadsConnections) {
  ExpectAccepted({
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET '/' @'h' close"},
      {"GET / HTTP/1.1\r\nHost: h\r\ncOnNeCtIoN:CLOSE\r\n\r\n", "GET '/' @'h' close"},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: foo , Close,\r\n\r\n", "GET '/' @'h' close"},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: foo\r\nConnection: close\r\n\r\n",
       "GET '/' @'h' close"},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, close\r\n\r\n", "GET '/' @'h' close"},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: closed\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection:\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnections: close\r\n\r\n", "GET '/' @'h'"},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET '/' @'' 1.0 keep-alive"},
      {"GET / HTTP/1.0\r\nConnection: KEEP-Alive\r\n\r\n", "GET '/' @'' 1.0 keep-alive"},
      {"GET / HTTP/1.0\r\nConnection: keep-alike\r\n\r\n", "GET '/' @'' 1.0 close"},
      {"GET / HTTP/1.0\r\nConnection: foo, Keep-Alive\r\n\r\n", "GET '/' @'' 1.0 keep-alive"},
      {"GET / HTTP/1.0\r\nConnection: keep-aliveXYZ\r\n\r\n", "GET '/' @'' 1.0 close"},
      {"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", "GET '/' @'' 1.0 close"},
  });
}

TEST(RequestHead, FramesBodies) {
  ExpectAccepted({
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n", "POST '/' @'h' length=5"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n", "GET '/' @'h' length=5"},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", "POST '/' @'h' length=0"},
      {"POST / HTTP/1.1\r\nHost: h\r\ncontent-lengtH:0005\t\r\n\r\n", "POST '/' @'h' length=5"},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551615\r\n\r\n",
       "POST '/' @'h' length=18446744073709551615"},
      {"POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n", "POST '/' @'' 1.0 length=5 close"},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", "POST '/' @'h' chunked"},
      {"POST / HTTP/1.1\r\nHost: h\r\ntRANSFER-eNCODING:ChunKed \r\n\r\n", "POST '/' @'h' chunked"},
  });
  ExpectRefused({
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +5\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -5\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x5\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \"\"\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5x\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5.0\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5 5\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5, 5\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5,6\r\n\r\n", HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551616\r\n\r\n",
       HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999\r\n\r\n",
       HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
       HeadFault::kContentLength},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\ncontent-length: 6\r\n\r\n",
       HeadFault::kContentLength},
  });
}

TEST(RequestHead, RefusesTransferCodings) {
  const HeadFault faulty = HeadFault::kTransferEncoding;
  ExpectRefused({
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
       faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
       faulty},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", faulty},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"
       "\r\n",
       faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
       "gzip\r\n\r\n",
       faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked;x\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked ; x=1\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked;x, chunked\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \"chunked\"\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \"chunked\", chunked\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity, chunked\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: , chunked\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked,\r\n\r\n", faulty},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \x0b"
       "chunked\r\n\r\n",
       HeadFault::kField},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
       HeadFault::kTransferCoding},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip;q=1\r\nTransfer-Encoding: chunked\r\n"
       "\r\n",
       HeadFault::kTransferCoding},
  });
}

TEST(RequestHead, ReadsExpectations) {
  ExpectAccepted({
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
       "POST '/' @'h' length=5 continue"},
      {"POST / HTTP/1.1\r\nHost: h\r\nexpect: 100-CONTINUE\r\nTransfer-Encoding: chunked\r\n\r\n",
       "POST '/' @'h' chunked continue"},
      {"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nExpect:\r\nContent-Length: 1\r\n\r\n",
       "POST '/' @'h' length=1 continue"},
      {"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n",
       "POST '/' @'h' length=0"},
      {"GET / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n", "GET '/' @'h'"},
      {"POST / HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
       "POST '/' @'' 1.0 length=5 close"},
      {"POST / HTTP/1.0\r\nContent-Length: 5\r\nExpect: foo\r\n\r\n",
       "POST '/' @'' 1.0 length=5 close"},
  });
  ExpectRefused({
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: foo\r\n\r\n",
       HeadFault::kExpectation},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue, foo\r\n\r\n",
       HeadFault::kExpectation},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue;a=b\r\n\r\n",
       HeadFault::kExpectation},
      {"GET / HTTP/1.1\r\nHost: h\r\nExpect: foo\r\n\r\n", HeadFault::kExpectation},
  });
}

TEST(RequestHead, TellsOfFieldsThatSelect) {
  const struct {
    std::string_view fields;
    std::string_view text;
    bool none = false;  // they don't select
  } cases[] = {
      {"If-Match: *", " conditional"},
      {"iF-mATCH:\"a;b\"", " conditional"},
      {"If-None-Match: \"a\"", " conditional"},
      {"IF-NONE-MATCH:", " conditional"},
      {"If-Modified-Since: x", " conditional"},
      {"if-modified-sincE: x", " conditional"},
      {"If-Unmodified-Since: x", " conditional"},
      {"if-unmodified-since: x", " conditional"},
      {"Range: bytes=0-1", " range"},
      {"rANGE:", " range"},
      {"If-Range: \"a\"", ""},
      {"Range: x\r\nIf-Range: \"a\"\r\nIf-Match: x", " conditional range"},
      {"Accept-Encoding:", " codings"},
      {"Accept-Encoding: gzip, deflate, br", " codings"},
      {"aCCEPT-eNCODING: gzip;q=0.5", " codings weighted"},
      {"Accept-Encoding:;", " codings weighted"},
      {"Accept-Encoding: gzip, deflate, br, zstd, identity, compress;q=0", " codings weighted"},
      {"Accept-Encoding: ;gzip, deflate, br, zstd, identity, compress, x", " codings weighted"},
      {"Accept-Encoding: gzip, deflate, br, zstd, identity, compress, xy", " codings"},
      {"Accept-Encoding: gzip\r\nY: ;\r\niF-rANGE:", " codings"},
      {"Accept-Encoding: gzip\r\nAccept-Encoding: br;q=1", " codings weighted"},
      {"Accept-Encodinh: gzip;q=1", "", true},
      {"Accept-Language: de;q=1", "", true},
      {"If-Matchx: *\r\nIf-Matcx: *\r\nRangf: x\r\nrrange: x", "", true},
      {"If-None-Matci: *\r\nIf-Modified-Sincf: x\r\nIf-Unmodified-Sincf: x", "", true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.fields);
    const std::string text =
        std::string(c.text) + (c.none ? "" : " <" + std::string(c.fields) + "\r\n>");
    const std::string head = "GET / HTTP/1.1\r\nHost: h\r\n" + std::string(c.fields) + "\r\n\r\n";
    EXPECT_EQ(Accepted(head), "GET '/' @'h'" + text);
    const std::string first = "A / HTTP/1.1\r\n" + std::string(c.fields) + "\r\nHost: h\r\n\r\n";
    EXPECT_EQ(Accepted(first), "A '/' @'h'" + text);
  }
  EXPECT_EQ(
      Accepted("GET / HTTP/1.1\r\nX: ;\r\nAccept-Encoding:\t a\tb\r\nY: ;\r\nHost: h\r\n\r\n"),
      "GET '/' @'h' codings <Accept-Encoding:\t a\tb\r\n>");
}

// The first fault in byte order is the answer; what fields say together comes with the last byte.
TEST(RequestHead, GoesByTheFirstFault) {
  ExpectRefused({
      {"GET / HTTP/1.1\r\nHost: a b\r\nX : y\r\n\r\n", HeadFault::kHost},
      {"GET / HTTP/1.1\r\nX : y\r\nHost: a b\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nHost: a b\x01\r\n\r\n", HeadFault::kField},
      {"GET / HTTP/1.1\r\nContent-Length: x\r\nExpect: foo\r\n\r\n", HeadFault::kContentLength},
      {"GET / HTTP/1.1\r\nExpect: foo\r\nContent-Length: x\r\n\r\n", HeadFault::kExpectation},
      {"GET /% HTTP/2.0\r\n\r\n", HeadFault::kTarget},
      {"GET /\x01%zz HTTP/1.1\r\n\r\n", HeadFault::kTarget},
      {"GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\nX : y\r\n\r\n", HeadFault::kField},
  });
}

TEST(RequestHead, BoundsTheHead) {
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\nX: 0123456789\r\n\r\n";
  const auto size = static_cast<uint32_t>(head.size());
  for (uint32_t limit = 0; limit <= size + 2; ++limit) {
    SCOPED_TRACE(limit);
    EXPECT_EQ(Accepted(head, {.head = limit}),
              limit >= size ? "GET '/' @'h'" : NameOf(HeadFault::kHeadTooLarge));
  }
  // Empty lines in front don't count, pipelined bytes behind don't either.
  EXPECT_EQ(Accepted("\r\n\r\n" + head, {.head = size}), "GET '/' @'h'");
  EXPECT_EQ(ParseEveryPrefix(head + head, {.head = size}).result.length, size);
  // A fault within the limit is told, one beyond it isn't seen.
  const std::string faulty = "GET / HTTP/1.1\r\nX: 01234\x01";
  EXPECT_EQ(ParseEveryPrefix(faulty, {.head = 25}).result.fault, HeadFault::kField);
  EXPECT_EQ(ParseEveryPrefix(faulty, {.head = 24}).result.fault, HeadFault::kHeadTooLarge);
  const std::string flood = "GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x');
  EXPECT_EQ(ParseEveryWay(flood, {}).result.fault, HeadFault::kHeadTooLarge);
  EXPECT_EQ(ParseEveryWay(std::string(20'000, 'G'), {}).result.fault, HeadFault::kHeadTooLarge);
}

TEST(RequestHead, BoundsTheTarget) {
  for (const std::string_view target : {"/23456", "/2?456", "/23%41", "/%4142", "/?%414"}) {
    SCOPED_TRACE(target);
    const std::string head = "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n";
    EXPECT_EQ(ParseEveryPrefix(head, {.target = 6}).result.state, HeadState::kComplete);
    EXPECT_EQ(ParseEveryPrefix(head, {.target = 5}).result.fault, HeadFault::kTargetTooLong);
    EXPECT_EQ(ParseEveryPrefix(head, {.target = 0}).result.fault, HeadFault::kTargetTooLong);
  }
  // It is refused as soon as it is seen, and before a fault that stands behind the limit.
  EXPECT_EQ(ParseEveryWay("GET /23456", {.target = 5}).result.fault, HeadFault::kTargetTooLong);
  EXPECT_EQ(ParseEveryWay("GET /2345", {.target = 5}).result.state, HeadState::kPartial);
  EXPECT_EQ(ParseEveryPrefix("GET /234\x01", {.target = 4}).result.fault, HeadFault::kTarget);
  EXPECT_EQ(ParseEveryPrefix("GET /2345\x01", {.target = 4}).result.fault,
            HeadFault::kTargetTooLong);
  EXPECT_EQ(ParseEveryPrefix("GET /23%zz", {.target = 4}).result.fault, HeadFault::kTarget);
  EXPECT_EQ(ParseEveryPrefix("GET /23%4z", {.target = 4}).result.fault, HeadFault::kTargetTooLong);
  // At least 8000 bytes have to be taken (RFC 9112 3).
  const std::string longest = "GET /" + std::string(8191, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n";
  EXPECT_EQ(ParseEveryWay(longest, {}).result.state, HeadState::kComplete);
  EXPECT_EQ(ParseEveryWay("GET /" + std::string(20'000, 'x'), {}).result.fault,
            HeadFault::kTargetTooLong);
}

TEST(RequestHead, ShowsOfALongTargetWhatFits) {
  RequestHead head;
  EXPECT_EQ(ParseRequestHead("HEAD /23456789", {.target = 5}, &head).state, HeadState::kFault);
  EXPECT_EQ(head.target, "/2345");
}

TEST(RequestHead, BoundsTheCount) {
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\na:\r\na:\r\n\r\n";
  EXPECT_EQ(Accepted(head, {.header_count = 3}), "GET '/' @'h'");
  EXPECT_EQ(Accepted(head, {.header_count = 2}), NameOf(HeadFault::kHeadTooLarge));
  EXPECT_EQ(Accepted("GET / HTTP/1.0\r\n\r\n", {.header_count = 0}), "GET '/' @'' 1.0 close");
  std::string flood = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 101; ++i) {
    flood += "a:\r\n";
  }
  EXPECT_EQ(ParseEveryWay(flood, {}).result.fault, HeadFault::kHeadTooLarge);
}

TEST(RequestHead, ShowsItsBytes) {
  const std::string_view input =
      "\r\nPOST /a?b HTTP/1.1\r\nHost: h\r\nX-Y: 1\r\n\r\nGET / HTTP/1.1\r\n";
  RequestHead head;
  const HeadResult result = ParseRequestHead(input, {}, &head);
  EXPECT_EQ(result.length, 41U);
  EXPECT_EQ(head.bytes, input.substr(2, 39));
  EXPECT_EQ(head.target, "/a?b");
  EXPECT_EQ(head.fields, "Host: h\r\nX-Y: 1\r\n");
  EXPECT_EQ(head.method_id, Method::kPost);
  EXPECT_EQ(head.method.data(), input.data() + 2);
}

TEST(RequestHead, TellsWhatWasReadBeforeAFault) {
  const struct {
    const char* input;
    const char* method;
    const char* target;
    bool http10;
  } cases[] = {
      {"HEAD /a#b HTTP/1.1\r\n", "HEAD", "/a", false},
      {"HEAD /a HTTP/1.0\r\nX : y\r\n", "HEAD", "/a", true},
      {"HEAD /a HTTP/2.0\r\n", "HEAD", "/a", false},
      {"HEAD  /a HTTP/1.1\r\n", "HEAD", "", false},
      {"HEAD\t", "HEAD", "", false},
      {"\x16\x03\x01", "", "", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.input);
    RequestHead head;
    EXPECT_EQ(ParseRequestHead(c.input, {}, &head).state, HeadState::kFault);
    EXPECT_EQ(head.method, c.method);
    EXPECT_EQ(head.target, c.target);
    EXPECT_EQ(head.http10, c.http10);
  }
}

TEST(HeadFault, HasAStatus) {
  const struct {
    HeadFault fault;
    int status;
  } cases[] = {
      {HeadFault::kRequestLine, 400},
      {HeadFault::kTarget, 400},
      {HeadFault::kVersion, 505},
      {HeadFault::kField, 400},
      {HeadFault::kHost, 400},
      {HeadFault::kContentLength, 400},
      {HeadFault::kTransferEncoding, 400},
      {HeadFault::kTransferCoding, 501},
      {HeadFault::kExpectation, 417},
      {HeadFault::kConnect, 501},
      {HeadFault::kTargetTooLong, 414},
      {HeadFault::kHeadTooLarge, 431},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(NameOf(c.fault));
    EXPECT_EQ(StatusOf(c.fault), c.status);
  }
}

TEST(FieldReader, WalksTheLines) {
  FieldReader reader("A:1\r\nb: \t two words \t\r\nC:\r\nD: \r\nA: x:y\r\n");
  const std::pair<const char*, const char*> fields[] = {
      {"A", "1"}, {"b", "two words"}, {"C", ""}, {"D", ""}, {"A", "x:y"}};
  Field field;
  for (const auto& [name, value] : fields) {
    ASSERT_TRUE(reader.Next(&field));
    EXPECT_EQ(field.name, name);
    EXPECT_EQ(field.value, value);
  }
  EXPECT_FALSE(reader.Next(&field));
  EXPECT_FALSE(FieldReader("").Next(&field));
}

TEST(FindField, TakesTheFirstInAnyCase) {
  const std::string_view fields = "A: 1\r\nbB: 2\r\na: 3\r\nC:\r\n";
  EXPECT_EQ(FindField(fields, "a"), "1");
  EXPECT_EQ(FindField(fields, "BB"), "2");
  EXPECT_EQ(FindField(fields, "c"), "");
  EXPECT_NE(FindField(fields, "c").data(), nullptr);
  EXPECT_EQ(FindField(fields, "d").data(), nullptr);
}

TEST(FindOnlyField, TakesNoneOfSeveral) {
  const std::string_view fields = "A: 1\r\nb: 2\r\na: 3\r\nC:\r\n";
  EXPECT_EQ(FindOnlyField(fields, "B"), "2");
  EXPECT_NE(FindOnlyField(fields, "c").data(), nullptr);
  EXPECT_EQ(FindOnlyField(fields, "a").data(), nullptr);
  EXPECT_EQ(FindOnlyField(fields, "d").data(), nullptr);
}

TEST(Bytes, CompareAndClassify) {
  EXPECT_TRUE(EqualsIgnoreCase("aZ-[1", "Az-[1"));
  EXPECT_FALSE(EqualsIgnoreCase("[", "{"));
  EXPECT_FALSE(EqualsIgnoreCase("a", "ab"));
  EXPECT_TRUE(IsToken("x-Y!9"));
  EXPECT_FALSE(IsToken(""));
  EXPECT_FALSE(IsToken("a b"));
  EXPECT_TRUE(IsTokenByte('~'));
  EXPECT_FALSE(IsTokenByte(':'));
  EXPECT_TRUE(IsFieldValue(""));
  EXPECT_TRUE(IsFieldValue("a\tb \xC3"));
  EXPECT_FALSE(IsFieldValue("a\r\nb"));
  EXPECT_FALSE(IsFieldValue("a\0b"sv));
  EXPECT_FALSE(IsFieldValue("\x7f"));
}

// Heads that repeat the fields of the one before, or almost: what is told of them is what is told
// of each alone.
TEST(RequestHead, TheHeadBeforeChangesNothing) {
  const std::string lines[] = {"GET / HTTP/1.1\r\n",         "HEAD /a?b HTTP/1.1\r\n",
                               "POST /a%20b HTTP/1.0\r\n",   "GET http://t/x HTTP/1.1\r\n",
                               "OPTIONS * HTTP/1.1\r\n",     "GET /x HTTP/1.2\r\n",
                               "GET http://u/x HTTP/1.0\r\n"};
  const std::string fields[] = {
      "Host: h\r\n",
      "Host: i\r\n",
      "Host: h\r\nX: y\r\n",
      "Host:\r\n",
      "",
      "Host: h:80\r\nConnection: close\r\n",
      "Host: h\r\nConnection: keep-alive\r\n",
      "Host: h\r\nContent-Length: 0\r\n",
      "Host: h\r\nContent-Length: 12\r\nExpect: 100-continue\r\n",
      "Host: h\r\nTransfer-Encoding: chunked\r\n",
      "Host: h\r\nAccept-Encoding: br;q=1\r\nRange: bytes=0-1\r\nIf-Match: *\r\n",
  };
  std::vector<std::string> heads;
  for (const std::string& line : lines) {
    for (const std::string& some : fields) heads.push_back(line + some + "\r\n");
  }
  for (const std::string& first : heads) {
    for (const std::string& second : heads) {
      SCOPED_TRACE(first + second);
      const std::string input = first + second;
      const HeadLimits limits;
      RequestHead before;
      if (ParseRequestHead(input, limits, &before).state != HeadState::kComplete) continue;
      const std::string_view rest = std::string_view(input).substr(first.size());
      RequestHead alone;
      RequestHead behind;
      const HeadResult expected = ParseRequestHead(rest, limits, &alone);
      const HeadResult result = ParseRequestHead(rest, limits, &behind, &before);
      ASSERT_EQ(result.state, expected.state);
      ASSERT_EQ(result.fault, expected.fault);
      if (expected.state != HeadState::kComplete) continue;
      ASSERT_EQ(result.length, expected.length);
      ASSERT_EQ(Text(behind), Text(alone));
      ASSERT_EQ(behind.bytes, alone.bytes);
      ASSERT_EQ(behind.fields.data(), alone.fields.data());
      ASSERT_EQ(behind.fields, alone.fields);
      ASSERT_EQ(behind.selecting.data(), alone.selecting.data());
      ASSERT_EQ(behind.authority.data(), alone.authority.data());
    }
  }
}

// The limits hold for a head that repeats as for any other.
TEST(RequestHead, TheHeadBeforeLiftsNoLimit) {
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string input = head + "GET /" + std::string(20, 'a') + head.substr(5);
  HeadLimits limits;
  limits.head = static_cast<uint32_t>(head.size() + 10);
  RequestHead before;
  ASSERT_EQ(ParseRequestHead(input, limits, &before).state, HeadState::kComplete);
  RequestHead behind;
  const HeadResult result =
      ParseRequestHead(std::string_view(input).substr(head.size()), limits, &behind, &before);
  EXPECT_EQ(result.fault, HeadFault::kHeadTooLarge);
}

}  // namespace
}  // namespace quipd::http
