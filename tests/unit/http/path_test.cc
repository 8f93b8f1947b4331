// SPDX-License-Identifier: MIT
#include "http/path.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

namespace quipd::http {
namespace {

using std::string_view_literals::operator""sv;

// The canonical form of `raw`, or the fault in brackets. The buffer is of the exact size that the
// contract asks for, so that the sanitizer sees a byte too many.
std::string Canonical(std::string_view raw) {
  const auto out = std::make_unique<char[]>(raw.size());
  size_t length = 0;
  switch (CanonicalPath(raw, out.get(), &length)) {
    case PathFault::kPercent:
      return "[percent]";
    case PathFault::kNul:
      return "[nul]";
    case PathFault::kNone:
      break;
  }
  return {out.get(), length};
}

std::string Encoded(std::string_view text, bool keep_slash) {
  std::string out;
  AppendPercentEncoded(text, keep_slash, &out);
  return out;
}

std::string Host(std::string_view authority) {
  const auto out = std::make_unique<char[]>(authority.size());
  return {out.get(), CanonicalHost(authority, out.get())};
}

TEST(CanonicalPath, DecodesOnceThenResolves) {
  const struct {
    std::string_view raw;
    std::string_view canonical;
  } cases[] = {
      {"/", "/"},
      {"/a", "/a"},
      {"/a/", "/a/"},
      {"/a/b/c", "/a/b/c"},
      {"//", "/"},
      {"///a///b//", "/a/b/"},
      {"/a//b/../c", "/a/c"},
      {"/a/.", "/a/"},
      {"/a/./", "/a/"},
      {"/a/./b", "/a/b"},
      {"/a/..", "/"},
      {"/a/../", "/"},
      {"/a/b/..", "/a/"},
      {"/a/b/../..", "/"},
      {"/a/b/../../../c", "/c"},
      {"/a//..", "/"},
      {"/..", "/"},
      {"/../../etc/passwd", "/etc/passwd"},
      {"/.", "/"},
      {"/./../", "/"},
      {"/...", "/..."},
      {"/.../..", "/"},
      {"/.a", "/.a"},
      {"/..a/", "/..a/"},
      {"/a..", "/a.."},
      {"/.well-known/x", "/.well-known/x"},
      {"/%2e%2e/%2E%2E/etc/passwd", "/etc/passwd"},
      {"/a/%2e./b", "/b"},
      {"/a/.%2E/b", "/b"},
      {"/a/%2e/b", "/a/b"},
      {"/%70rivate/x", "/private/x"},
      {"/a/../private/x", "/private/x"},
      {"/%61%2Fb", "/a\0b"sv},
      {"/public/..%2fadmin/x", "/public/..\0admin/x"sv},
      {"/%2F", "/\0"sv},
      {"/%2f..%2f", "/\0..\0"sv},
      {"/a%2F/..", "/"},
      {"/%252e%252e/x", "/%2e%2e/x"},
      {"/%2525", "/%25"},
      {"/caf%C3%A9", "/caf\xC3\xA9"},
      {"/caf\xC3\xA9", "/caf\xC3\xA9"},
      {"/%ff%80", "/\xff\x80"},
      {"/%0d%0aX", "/\r\nX"},
      {"/a+b", "/a+b"},
      {"/\\..\\a", "/\\..\\a"},
      {"/%", "[percent]"},
      {"/%4", "[percent]"},
      {"/%4/", "[percent]"},
      {"/%zz", "[percent]"},
      {"/%0g", "[percent]"},
      {"/a/%%20", "[percent]"},
      {"/%00", "[nul]"},
      {"/secret.key%00.html", "[nul]"},
      {"/a\0b"sv, "[nul]"},
      {"/%00/..", "[nul]"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.raw);
    EXPECT_EQ(Canonical(c.raw), c.canonical);
  }
}

TEST(CanonicalPath, OfItsOwnEncodingIsItself) {
  for (const std::string_view raw :
       {"/a%2Fb/c%20d"sv, "/%2e%2e%2f/%25"sv, "/caf%C3%A9/"sv, "/%0d%0a"sv, "/..%2f.."sv}) {
    SCOPED_TRACE(raw);
    const std::string canonical = Canonical(raw);
    EXPECT_EQ(Canonical(Encoded(canonical, true)), canonical);
  }
}

TEST(DecodedText, TurnsDataSlashesIntoSlashes) {
  EXPECT_EQ(DecodedText("a\0b\0"sv), "a/b/");
  EXPECT_EQ(DecodedText(""), "");
}

TEST(AppendPercentEncoded, KeepsTheUnreserved) {
  EXPECT_EQ(Encoded("AZaz09-._~", false), "AZaz09-._~");
  EXPECT_EQ(Encoded("a/b", true), "a/b");
  EXPECT_EQ(Encoded("a/b", false), "a%2Fb");
  EXPECT_EQ(Encoded("a\0b"sv, true), "a%2Fb");
  EXPECT_EQ(Encoded("\r\n %?#\xC3\xA9\x7f", true), "%0D%0A%20%25%3F%23%C3%A9%7F");
}

TEST(AppendPercentDecoded, LeavesWhatIsNoEscape) {
  const struct {
    std::string_view text;
    bool plus_is_blank;
    std::string_view decoded;
    bool clean;
  } cases[] = {
      {"a%20b+c", false, "a b+c", true}, {"a%20b+c", true, "a b c", true},
      {"%2B+", true, "+ ", true},        {"%", true, "%", true},
      {"%4", true, "%4", true},          {"%zz%41", true, "%zzA", true},
      {"%2f/", false, "//", true},       {"a%00b", false, "a\0b"sv, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    std::string out = ">";
    EXPECT_EQ(AppendPercentDecoded(c.text, c.plus_is_blank, &out), c.clean);
    EXPECT_EQ(out, ">" + std::string(c.decoded));
  }
}

TEST(CanonicalHost, IsLowerCaseWithoutPortAndDot) {
  const struct {
    std::string_view authority;
    std::string_view host;
  } cases[] = {
      {"Example.COM", "example.com"},
      {"example.com:8080", "example.com"},
      {"example.com:", "example.com"},
      {"example.com.", "example.com"},
      {"example.com.:80", "example.com"},
      {"127.0.0.1:80", "127.0.0.1"},
      {"[::1]", "[::1]"},
      {"[::1]:8080", "[::1]"},
      {"[2001:DB8::1]", "[2001:db8::1]"},
      {"", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.authority);
    EXPECT_EQ(Host(c.authority), c.host);
  }
}

}  // namespace
}  // namespace quipd::http
