// SPDX-License-Identifier: MIT
#include "server/reflect.h"

#include <gtest/gtest.h>

#include "exchange_of.h"

namespace quipd::server {
namespace {

TEST(Reflect, JsonHoldsTheRequestAsItWasSent) {
  const auto exchange = ExchangeOf(
      ReflectSite(),
      "POST /greet//Ada/./x%2Fy?a=1&b=two+w%26&&c&a=&=v HTTP/1.1\nHost: example.com\nx-B: \"q\\\"\n"
      "X-A: 1\nx-b: 2\nContent-Length: 9",
      "{\"k\": \"\xC3\xA4\"}\n");
  EXPECT_EQ(ReflectedJson(*exchange),
            "{\"method\":\"POST\",\"target\":\"/greet//Ada/./x%2Fy?a=1&b=two+w%26&&c&a=&=v\","
            "\"path\":\"/greet/Ada/x/y\",\"params\":{\"who\":\"Ada\",\"rest\":\"x/y\"},"
            "\"query\":[[\"a\",\"1\"],[\"b\",\"two w&\"],[\"c\",\"\"],[\"a\",\"\"],[\"\",\"v\"]],"
            "\"headers\":[[\"Host\",\"example.com\"],[\"x-B\",\"\\\"q\\\\\\\"\"],[\"X-A\",\"1\"],"
            "[\"x-b\",\"2\"],[\"Content-Length\",\"9\"]],"
            "\"body\":\"{\\\"k\\\": \\\"\xC3\xA4\\\"}\\n\",\"base64\":false,"
            "\"client\":\"192.0.2.7\",\"tls\":false}");
}

TEST(Reflect, BodyIsTextOrBase64) {
  struct Case {
    std::string body;
    std::string_view json;
  };
  const Case cases[] = {
      {"", R"("body":"","base64":false)"},
      {std::string("\0\x1f\x7f", 3), "\"body\":\"\\u0000\\u001f\x7f\",\"base64\":false"},
      {"\xF0\x9F\x98\x80", "\"body\":\"\xF0\x9F\x98\x80\",\"base64\":false"},
      {"\xF4\x8F\xBF\xBF", "\"body\":\"\xF4\x8F\xBF\xBF\",\"base64\":false"},
      {"\xFF", R"("body":"/w==","base64":true)"},
      {"a\x80", R"("body":"YYA=","base64":true)"},
      {"ab\xC3", R"("body":"YWLD","base64":true)"},
      {"\xC0\x80", R"("body":"wIA=","base64":true)"},              // overlong
      {"\xE0\x9F\xBF", R"("body":"4J+/","base64":true)"},          // overlong
      {"\xED\xA0\x80", R"("body":"7aCA","base64":true)"},          // a surrogate
      {"\xF4\x90\x80\x80", R"("body":"9JCAgA==","base64":true)"},  // above U+10FFFF
      {"\xF0\x9F\x98", R"("body":"8J+Y","base64":true)"},          // cut
  };
  const auto site = ReflectSite();
  for (const Case& test : cases) {
    SCOPED_TRACE(test.json);
    const auto exchange = ExchangeOf(site, "POST /greet/a/ HTTP/1.1\nHost: h", test.body);
    EXPECT_NE(ReflectedJson(*exchange).find(test.json), std::string::npos)
        << ReflectedJson(*exchange);
  }
}

TEST(Reflect, ForeignBytesInFieldsBecomeReplacementCharacters) {
  const auto exchange =
      ExchangeOf(ReflectSite(), "GET /greet/a/%FFb?q=%C3 HTTP/1.1\nHost: h\nX-Latin: caf\xE9");
  const std::string json = ReflectedJson(*exchange);
  EXPECT_NE(json.find("\"path\":\"/greet/a/\xEF\xBF\xBD"
                      "b\""),
            std::string::npos)
      << json;
  EXPECT_NE(json.find("[[\"q\",\"\xEF\xBF\xBD\"]]"), std::string::npos) << json;
  EXPECT_NE(json.find("[\"X-Latin\",\"caf\xEF\xBF\xBD\"]"), std::string::npos) << json;
}

TEST(Reflect, TextIsTheRequestInLines) {
  const auto exchange =
      ExchangeOf(ReflectSite("text"), "BREW /greet/a/?x HTTP/1.0\nHost: h\nx-b: 2", "a\r\n\xFF");
  EXPECT_EQ(ReflectedText(*exchange), "BREW /greet/a/?x HTTP/1.0\nHost: h\nx-b: 2\n\na\r\n\xFF");
}

}  // namespace
}  // namespace quipd::server
