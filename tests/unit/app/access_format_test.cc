// SPDX-License-Identifier: MIT
#include "app/access_format.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"

namespace quipd::app {
namespace {

using Format = AccessFormat::Format;
using server::AccessEntry;

server::Peer PeerOf(const char* text) {
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1) {
    return server::Peer(reinterpret_cast<const sockaddr*>(&in6));
  }
  sockaddr_in in{};
  in.sin_family = AF_INET;
  EXPECT_EQ(inet_pton(AF_INET, text, &in.sin_addr), 1);
  return server::Peer(reinterpret_cast<const sockaddr*>(&in));
}

AccessEntry Plain() {
  AccessEntry entry;
  entry.client = PeerOf("192.0.2.7");
  entry.unix_ms = 971'186'136'045;  // Tue, 10 Oct 2000 13:55:36 GMT
  entry.latency_us = 34;
  entry.body_bytes = 2326;
  entry.status = 200;
  entry.method = "GET";
  entry.target = "/a?b=c";
  entry.host = "example.com";
  entry.referer = "http://x/";
  entry.user_agent = "Mozilla/4.08 [en]";
  entry.rule = "start";
  entry.file = "quipd.yaml";
  entry.line = 12;
  return entry;
}

// In a buffer of the bound's exact size, so that a sanitizer sees what is too long.
std::string Line(Format format, const AccessEntry& entry) {
  std::vector<char> buffer(AccessFormat::Bound(entry));
  AccessFormat one(format);
  char* const end = one.Write(entry, buffer.data());
  return std::string(buffer.data(), end);
}

class AccessLines : public testing::Test {
 protected:
  AccessLines() {
    setenv("TZ", "XYZ+7", 1);
    tzset();
  }
  ~AccessLines() override {
    unsetenv("TZ");
    tzset();
  }
};

TEST_F(AccessLines, AreThoseOfApache) {
  const std::string common =
      R"(192.0.2.7 - - [10/Oct/2000:06:55:36 -0700] "GET /a?b=c HTTP/1.1" 200 2326)";
  EXPECT_EQ(Line(Format::kCommon, Plain()), common + "\n");
  EXPECT_EQ(Line(Format::kCombined, Plain()),
            common + R"( "http://x/" "Mozilla/4.08 [en]")" + "\n");
}

TEST_F(AccessLines, SayADashForWhatIsNotThere) {
  AccessEntry entry;
  entry.status = 408;
  EXPECT_EQ(Line(Format::kCombined, entry),
            "unix - - [31/Dec/1969:17:00:00 -0700] \"-\" 408 - \"-\" \"-\"\n");
  EXPECT_EQ(Line(Format::kDev, entry), "17:00:00 408 - - 0 B 0 us -\n");
  entry.method = "GET";
  EXPECT_EQ(Line(Format::kCommon, entry),
            "unix - - [31/Dec/1969:17:00:00 -0700] \"GET - HTTP/1.1\" 408 -\n");
}

TEST_F(AccessLines, AreForPeopleInDev) {
  EXPECT_EQ(Line(Format::kDev, Plain()), "06:55:36 200 GET /a?b=c 2326 B 34 us quipd.yaml:12\n");
}

TEST_F(AccessLines, AreOneObjectInJson) {
  EXPECT_EQ(
      Line(Format::kJson, Plain()),
      R"({"time":"2000-10-10T13:55:36.045Z","client":"192.0.2.7","method":"GET","target":"/a?b=c",)"
      R"("host":"example.com","protocol":"HTTP/1.1","status":200,"bytes":2326,"us":34,)"
      R"("rule":"start","at":"quipd.yaml:12","referer":"http://x/",)"
      R"("user_agent":"Mozilla/4.08 [en]","tls":false})"
      "\n");
  AccessEntry entry;
  entry.client = PeerOf("2001:db8::1");
  entry.secure = true;
  entry.http10 = true;
  EXPECT_EQ(
      Line(Format::kJson, entry),
      R"({"time":"1970-01-01T00:00:00.000Z","client":"2001:db8::1","method":null,"target":null,)"
      R"("host":null,"protocol":"HTTP/1.0","status":0,"bytes":0,"us":0,"rule":null,"at":null,)"
      R"("referer":null,"user_agent":null,"tls":true})"
      "\n");
}

TEST_F(AccessLines, FollowTheClock) {
  AccessFormat format(Format::kDev);
  AccessEntry entry = Plain();
  std::vector<char> buffer(AccessFormat::Bound(entry));
  for (const char* expected : {"06:55:36 ", "06:55:37 ", "06:55:38 "}) {
    const std::string line(buffer.data(), format.Write(entry, buffer.data()));
    EXPECT_THAT(line, testing::StartsWith(expected));
    entry.unix_ms += 1000;
  }
}

// What a client sends stays within its field, whatever it is and wherever in it.
TEST_F(AccessLines, EscapeWhatAClientSent) {
  const struct {
    std::string sent;
    std::string text;
    std::string json;  // of the object's member, as read
  } rows[] = {
      {"a\"b", R"(a\"b)", "a\"b"},
      {"a\\b", R"(a\\b)", "a\\b"},
      {"\r\n1.2.3.4 - -", R"(\x0d\x0a1.2.3.4 - -)", "\r\n1.2.3.4 - -"},
      {"\x1b[31mred\x7f", R"(\x1b[31mred\x7f)", "\x1b[31mred\x7f"},
      {std::string("a\0b", 3), R"(a\x00b)", std::string("a\0b", 3)},
      {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
       "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
      {"\xff\xc3(\xe2\x82", R"(\xff\xc3(\xe2\x82)",
       "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xc2\x9b"
       "31m\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6",
       R"(\xc2\x9b31m\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6)",
       "\xc2\x9b"
       "31m\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6"},
  };
  for (const auto& row : rows) {
    for (size_t padding = 0; padding < 17; ++padding) {
      SCOPED_TRACE(testing::Message() << row.text << " behind " << padding);
      const std::string before(padding, 'x');
      const std::string sent = before + row.sent + before;
      AccessEntry entry = Plain();
      entry.method = entry.target = entry.referer = entry.user_agent = entry.host = sent;
      const std::string text = before + row.text + before;
      EXPECT_EQ(Line(Format::kCombined, entry), "192.0.2.7 - - [10/Oct/2000:06:55:36 -0700] \"" +
                                                    text + " " + text + " HTTP/1.1\" 200 2326 \"" +
                                                    text + "\" \"" + text + "\"\n");
      EXPECT_THAT(Line(Format::kDev, entry), testing::HasSubstr(text + " " + text));
      const std::string line = Line(Format::kJson, entry);
      EXPECT_TRUE(IsUtf8(line));
      EXPECT_EQ(line.find('\n'), line.size() - 1);
      EXPECT_EQ(line.find('\x1b'), line.npos);
      const auto object = nlohmann::json::parse(line);
      for (const char* member : {"method", "target", "host", "referer", "user_agent"}) {
        EXPECT_EQ(object.at(member), before + row.json + before);
      }
    }
  }
}

// Every pair of bytes: a line, valid JSON, and no byte that drives a terminal.
TEST_F(AccessLines, HoldAnyPairOfBytes) {
  for (int first = 0; first < 256; ++first) {
    std::string sent;
    for (int second = 0; second < 256; ++second) {
      sent += {'x', static_cast<char>(first), static_cast<char>(second)};
    }
    AccessEntry entry;
    entry.target = sent;
    entry.method = "M";
    for (const Format format : {Format::kCommon, Format::kJson}) {
      const std::string line = Line(format, entry);
      ASSERT_TRUE(IsUtf8(line)) << first;
      ASSERT_EQ(std::count_if(line.begin(), line.end(), IsControl), 1) << line;
      ASSERT_EQ(line.back(), '\n');
      ASSERT_TRUE(format != Format::kJson || nlohmann::json::accept(line)) << line;
    }
  }
}

}  // namespace
}  // namespace quipd::app
