// SPDX-License-Identifier: MIT
// The small parsers of config/: units, environment, spelling, keys.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "config/environment.h"
#include "config/hosts.h"
#include "config/keys.h"
#include "config/listen.h"
#include "config/spelling.h"
#include "config/units.h"

namespace quipd::config {
namespace {

TEST(Units, Durations) {
  const std::pair<const char*, int64_t> kGood[] = {
      {"0s", 0},       {"250ms", 250},    {"30s", 30'000},
      {"5m", 300'000}, {"1h", 3'600'000}, {"7d", 604'800'000},
  };
  for (const auto& [text, milliseconds] : kGood) {
    SCOPED_TRACE(text);
    const auto parsed = ParseDuration(text);
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(parsed->count(), milliseconds);
  }
  for (const char* text : {"", "30", "s", "1.5s", "1h30m", "-1s", "+1s", "1 s", "1S", "1min",
                           "99999999999999999999s", "9999999999999999d", "0x1s"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(ParseDuration(text).has_value());
  }
}

TEST(Units, Sizes) {
  const std::pair<const char*, uint64_t> kGood[] = {
      {"0B", 0},
      {"1kB", 1000},
      {"2MB", 2'000'000},
      {"1GB", 1'000'000'000},
      {"16KiB", 16 * 1024},
      {"1MiB", 1 << 20},
      {"1GiB", 1 << 30},
  };
  for (const auto& [text, bytes] : kGood) {
    SCOPED_TRACE(text);
    const auto parsed = ParseSize(text);
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(*parsed, bytes);
  }
  for (const char* text : {"", "16", "16K", "16k", "1m", "1 MiB", "1mb", "1.5MiB", "-1B"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(ParseSize(text).has_value());
  }
}

TEST(Units, NumbersModesSwitches) {
  EXPECT_EQ(ParseNumber("7", 1, 10).value(), 7u);
  for (const char* text : {"", "0", "11", "7x", "-7", "+7", " 7", "7.0", "1e1"}) {
    EXPECT_FALSE(ParseNumber(text, 1, 10).has_value()) << text;
  }
  EXPECT_EQ(ParseMode("0660").value(), 0660u);
  EXPECT_EQ(ParseMode("660").value(), 0660u);
  EXPECT_EQ(ParseMode("0o600").value(), 0600u);
  for (const char* text : {"", "0888", "7777", "rw", "0x1"}) {
    EXPECT_FALSE(ParseMode(text).has_value()) << text;
  }
  EXPECT_TRUE(ParseSwitch("on").value());
  EXPECT_TRUE(ParseSwitch("true").value());
  EXPECT_FALSE(ParseSwitch("off").value());
  EXPECT_FALSE(ParseSwitch("false").value());
  for (const char* text : {"yes", "no", "1", "ON", "True", ""}) {
    EXPECT_FALSE(ParseSwitch(text).has_value()) << text;
  }
}

const char* Variable(const char* name) {
  const std::string_view text = name;
  if (text == "PORT") return "9000";
  if (text == "EMPTY") return "";
  if (text == "NEST") return "${PORT}";
  return nullptr;
}

TEST(Environment, IsExpandedOnce) {
  const std::pair<const char*, const char*> kGood[] = {
      {"plain", "plain"},        {"${PORT}", "9000"},       {"a${PORT}b${PORT}c", "a9000b9000c"},
      {"${PORT:-8080}", "9000"}, {"${NONE:-8080}", "8080"}, {"${EMPTY:-8080}", "8080"},
      {"${EMPTY}", ""},          {"${NONE:-}", ""},         {"${NONE:-a:-b}", "a:-b"},
      {"$${PORT}", "${PORT}"},   {"a$${b", "a${b"},         {"$PORT $ $$ {x}", "$PORT $ $$ {x}"},
      {"${NEST}", "${PORT}"},
  };
  for (const auto& [text, expected] : kGood) {
    SCOPED_TRACE(text);
    const auto expanded = Expand(text, Variable);
    ASSERT_TRUE(expanded.has_value());
    EXPECT_EQ(*expanded, expected);
  }
  const std::pair<const char*, const char*> kBad[] = {
      {"x${NONE}", "the environment variable NONE is not set"},
      {"${PORT", "${ has no closing }"},
      {"${}", "\"\" is no name of a variable"},
      {"${1X}", "\"1X\" is no name of a variable"},
      {"${A B}", "\"A B\" is no name of a variable"},
      {"${PORT-8}", "\"PORT-8\" is no name of a variable"},
  };
  for (const auto& [text, message] : kBad) {
    SCOPED_TRACE(text);
    const auto expanded = Expand(text, Variable);
    ASSERT_FALSE(expanded.has_value());
    EXPECT_EQ(expanded.error().message, message);
  }
  EXPECT_EQ(Expand("x${NONE}", Variable).error().offset, 1u);
}

TEST(Spelling, FindsTheNearest) {
  constexpr std::string_view kWords[] = {"cache", "headers", "type", "template", "host"};
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"cahce", "cache"}, {"Cache", "cache"}, {"header", "headers"},
      {"tpye", "type"},   {"hots", "host"},   {"zzz", ""},
      {"", ""},           {"completely", ""},
  };
  for (const auto& [word, nearest] : kCases) {
    EXPECT_EQ(Nearest(word, kWords), nearest) << word;
  }
  EXPECT_EQ(Nearest(std::string(10'000, 'a'), kWords), "");
  EXPECT_EQ(Listing(kWords), "cache, headers, type, template and host");
  EXPECT_EQ(Quoted(std::string(100, 'a')), "\"" + std::string(60, 'a') + "...\"");
}

TEST(Keys, AreUniqueWithinALevel) {
  std::set<std::pair<Level, std::string_view>> seen;
  for (const Key& key : Keys()) {
    EXPECT_TRUE(seen.emplace(key.level, key.name).second) << key.name;
    EXPECT_EQ(FindKey(key.level, key.name), &key);
    EXPECT_FALSE(IsReserved(key.name)) << key.name;
  }
  EXPECT_EQ(FindKey(Level::kTop, "echo"), nullptr);
  EXPECT_EQ(HintForUnknown(Level::kRule, "limits"),
            "\"limits\" stands at the top level of the file");
  EXPECT_EQ(HintForUnknown(Level::kTop, "listne"), "did you mean \"listen\"?");
  EXPECT_EQ(HintForUnknown(Level::kTop, "qqqqqqq"), "");
}

TEST(Hosts, AsTheyAreCompared) {
  const std::pair<const char*, const char*> kGood[] = {
      {"example.com", "example.com"},
      {"Example.COM.", "example.com"},
      {"*.Example.com", "*.example.com"},
      {"[::1]", "[::1]"},
      {"localhost", "localhost"},
      {"127.0.0.1", "127.0.0.1"},
      {"xn--bcher-kva.example", "xn--bcher-kva.example"},
  };
  for (const auto& [text, host] : kGood) {
    SCOPED_TRACE(text);
    ASSERT_TRUE(ParseHost(text).has_value());
    EXPECT_EQ(*ParseHost(text), host);
  }
  const std::pair<const char*, const char*> kBad[] = {
      {"example.com:80", "a host has no port"},
      {"[::1]:80", "a host has no port"},
      {"http://example.com", "a host has no scheme"},
      {"example.com/x", "a host has no path"},
      {"bücher.example", "a host is in ASCII"},
      {"*", "any host is meant where none is written"},
      {"a.*.b", "a * stands only in front: *.example.com"},
      {"", "\"\" is no host"},
      {"a..b", "\"a..b\" is no host"},
      {"a b", "\"a b\" is no host"},
      {"[::g]", "\"[::g]\" is no host"},
  };
  for (const auto& [text, message] : kBad) {
    SCOPED_TRACE(text);
    ASSERT_FALSE(ParseHost(text).has_value());
    EXPECT_EQ(ParseHost(text).error().message, message);
  }
}

TEST(Listen, Addresses) {
  using Family = ListenAddress::Family;
  struct Case {
    const char* text;
    Family family;
    const char* host;
    int port;
    const char* path;
  };
  const Case kGood[] = {
      {"8080", Family::kAny, "", 8080, ""},
      {":8080", Family::kAny, "", 8080, ""},
      {"0", Family::kAny, "", 0, ""},
      {"127.0.0.1:80", Family::kInet, "127.0.0.1", 80, ""},
      {"[::1]:8080", Family::kInet, "::1", 8080, ""},
      {"[fe80::1%eth0]:80", Family::kInet, "fe80::1%eth0", 80, ""},
      {"localhost:0", Family::kInet, "localhost", 0, ""},
      {"unix:/run/x.sock", Family::kUnix, "", 0, "/run/x.sock"},
      {"unix:x.sock", Family::kUnix, "", 0, "conf/x.sock"},
  };
  for (const Case& one : kGood) {
    SCOPED_TRACE(one.text);
    const auto address = ParseAddress(one.text, "conf");
    ASSERT_TRUE(address.has_value());
    EXPECT_EQ(address->family, one.family);
    EXPECT_EQ(address->host, one.host);
    EXPECT_EQ(address->port, one.port);
    EXPECT_EQ(address->path, one.path);
  }
  for (const char* text : {"",
                           ":",
                           "65536",
                           "80x",
                           "127.0.0.1",
                           "127.0.0.256:80",
                           "[::1]",
                           "[::g]:1",
                           "::1:80",
                           "*:80",
                           "http://x:80",
                           "unix:",
                           "unix:@x",
                           "systemd:",
                           "systemd:a:b",
                           "systemd:a\tb",
                           "systemd:ä",
                           "a b:80",
                           "localhost:http",
                           "[::1]x:80"}) {
    EXPECT_FALSE(ParseAddress(text, "").has_value()) << text;
  }
  EXPECT_FALSE(ParseAddress("unix:/" + std::string(107, 'x'), "").has_value());
  EXPECT_FALSE(ParseAddress("systemd:" + std::string(256, 'x'), "").has_value());
  for (const std::string& name :
       {std::string("web"), std::string("a b.socket"), std::string(255, 'x')}) {
    const auto address = ParseAddress("systemd:" + name, "conf");
    ASSERT_TRUE(address.has_value()) << name;
    EXPECT_EQ(address->family, Family::kSystemd);
    EXPECT_EQ(address->name, name);
  }
}

}  // namespace
}  // namespace quipd::config
