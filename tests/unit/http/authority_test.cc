// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string_view>

#include "http/request_head.h"

namespace quipd::http {
namespace {

using std::string_view_literals::operator""sv;

TEST(Authority, TakesHostsAndPorts) {
  for (const std::string_view text : {""sv,
                                      "h"sv,
                                      "Example.COM"sv,
                                      "example.com."sv,
                                      "example.com:8080"sv,
                                      "h:"sv,
                                      "h:0"sv,
                                      "h:65535"sv,
                                      "h:0000080"sv,
                                      "127.0.0.1"sv,
                                      "127.0.0.1:80"sv,
                                      "a_b-c~d.e"sv,
                                      "!$&'()*+;="sv,
                                      "caf%C3%A9.example"sv,
                                      "[::]"sv,
                                      "[::1]"sv,
                                      "[::1]:8080"sv,
                                      "[::1]:"sv,
                                      "[2001:DB8::1]"sv,
                                      "[::ffff:192.0.2.1]"sv,
                                      "[1:2:3:4:5:6:7:8]:65535"sv}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(IsAuthority(text));
  }
}

TEST(Authority, RefusesTheRest) {
  for (const std::string_view text : {"a b"sv,
                                      " h"sv,
                                      "h "sv,
                                      "a/b"sv,
                                      "u@h"sv,
                                      "a,b"sv,
                                      "a?b"sv,
                                      "a#b"sv,
                                      "a\\b"sv,
                                      "a\"b"sv,
                                      "a<b"sv,
                                      "a|b"sv,
                                      "a[b"sv,
                                      "h\0"sv,
                                      "h\x7f"sv,
                                      "caf\xC3\xA9"sv,
                                      ":"sv,
                                      ":80"sv,
                                      "h:99999"sv,
                                      "h:65536"sv,
                                      "h:99999999999999999999"sv,
                                      "h:-1"sv,
                                      "h:+1"sv,
                                      "h:8a"sv,
                                      "h: 80"sv,
                                      "h:80:80"sv,
                                      "::1"sv,
                                      "::"sv,
                                      "[::1"sv,
                                      "::1]"sv,
                                      "[]"sv,
                                      "[]:80"sv,
                                      "[:]"sv,
                                      "[::1]80"sv,
                                      "[::1]x"sv,
                                      "[::1]:x"sv,
                                      "[::1]:65536"sv,
                                      "[::1%25eth0]"sv,
                                      "[::1%eth0]"sv,
                                      "[::g]"sv,
                                      "[1.2.3.4]"sv,
                                      "[v1.x]"sv,
                                      "[::1\0]"sv,
                                      "[1:2:3:4:5:6:7:8:9]"sv,
                                      "[[::1]]"sv,
                                      "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]"sv,
                                      "%"sv,
                                      "a%2"sv,
                                      "a%zz"sv,
                                      "a%4"sv}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(IsAuthority(text));
  }
}

}  // namespace
}  // namespace quipd::http
