// SPDX-License-Identifier: MIT
#include "http/ranges.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>

namespace quipd::http {
namespace {

// "0-4,9-9", "416" or "200".
std::string Parsed(std::string_view value, uint64_t size) {
  const Ranges ranges = ParseRanges(value, size);
  if (ranges.kind == Ranges::Kind::kIgnored) return "200";
  if (ranges.kind == Ranges::Kind::kUnsatisfiable) return "416";
  std::string text;
  for (const ByteRange& range : ranges.all()) {
    text += (text.empty() ? "" : ",") + std::to_string(range.first) + "-" +
            std::to_string(range.first + range.size - 1);
  }
  return text;
}

struct Case {
  std::string_view value;
  std::string_view expected;
};

template <size_t N>
void ExpectAll(const Case (&cases)[N], uint64_t size) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.value);
    EXPECT_EQ(Parsed(c.value, size), c.expected);
  }
}

TEST(Ranges, ReadOne) {
  ExpectAll(
      {
          {"bytes=0-0", "0-0"},
          {"bytes=0-9", "0-9"},
          {"bytes=99-99", "99-99"},
          {"bytes=5-", "5-99"},
          {"bytes=0-", "0-99"},
          {"bytes=0-999999", "0-99"},
          {"bytes=-5", "95-99"},
          {"bytes=-100", "0-99"},
          {"bytes=-999999", "0-99"},
          {"bytes=007-0009", "7-9"},
          {"BYTES=0-0", "0-0"},
          {"Bytes= \t0-0\t ", "0-0"},
          {"bytes=,, 0-0 ,", "0-0"},
          // Numbers beyond 64 bits are the greatest.
          {"bytes=0-18446744073709551615", "0-99"},
          {"bytes=0-18446744073709551616", "0-99"},
          {"bytes=1-99999999999999999999999999999999", "1-99"},
          {"bytes=-18446744073709551616", "0-99"},
      },
      100);
}

TEST(Ranges, TellWhatCannotBeSatisfied) {
  ExpectAll(
      {
          {"bytes=100-", "416"},
          {"bytes=100-100", "416"},
          {"bytes=200-", "416"},
          {"bytes=-0", "416"},
          {"bytes=-000", "416"},
          {"bytes=200-,100-105,-0", "416"},
          {"bytes=18446744073709551615-", "416"},
          {"bytes=18446744073709551616-", "416"},
          {"bytes=99999999999999999999999-99999999999999999999999", "416"},
      },
      100);
}

TEST(Ranges, IgnoreWhatIsMalformed) {
  ExpectAll(
      {
          {"", "200"},
          {"bytes", "200"},
          {"bytes=", "200"},
          {"bytes= ", "200"},
          {"bytes=,", "200"},
          {"bytes=-", "200"},
          {"bytes=x", "200"},
          {"bytes=a-", "200"},
          {"bytes=5", "200"},
          {"bytes=5-3", "200"},
          {"bytes=200-100", "200"},
          {"bytes=99999999999999999999999-0", "200"},
          {"bytes=0-0-0", "200"},
          {"bytes=--5", "200"},
          {"bytes=+1-2", "200"},
          {"bytes=1-+2", "200"},
          {"bytes=0x0-1", "200"},
          {"bytes=0 -1", "200"},
          {"bytes=0- 1", "200"},
          {"bytes=- 1", "200"},
          {"bytes=0-1;x", "200"},
          {"bytes=0-1 2-3", "200"},
          {"bytes=0-1/100", "200"},
          {"bytes =0-1", "200"},
          {" bytes=0-1", "200"},
          {"items=0-1", "200"},
          {"byte=0-1", "200"},
          {"bytes:0-1", "200"},
          {"0-1", "200"},
          // One that is malformed spoils the set.
          {"bytes=0-1,x", "200"},
          {"bytes=0-1,5-3", "200"},
          {"bytes=x,0-1", "200"},
          {"bytes=200-,5-3", "200"},
          {"bytes=0-1,bytes=2-3", "200"},
      },
      100);
}

TEST(Ranges, ReadSeveral) {
  ExpectAll(
      {
          {"bytes=0-0,-1", "0-0,99-99"},
          {"bytes=90-94 , 10-19\t,  0-4", "90-94,10-19,0-4"},
          {"bytes=0-1,2-3,4-5", "0-1,2-3,4-5"},
          // What can't be satisfied is left out.
          {"bytes=0-4,200-", "0-4"},
          {"bytes=200-,-0,-5", "95-99"},
          {"bytes=100-,3-4,500-600,5-6", "3-4,5-6"},
          // Two may overlap.
          {"bytes=0-5,5-9", "0-5,5-9"},
          {"bytes=0-,0-", "0-99,0-99"},
          {"bytes=0-5,20-29,3-9", "0-5,20-29,3-9"},
          {"bytes=0-5,3-9,4-5", "200"},
          {"bytes=0-99,0-0,99-99", "200"},
          {"bytes=0-,0-,0-", "200"},
          {"bytes=0-5,3-9,20-29,25-30", "200"},
      },
      100);
}

TEST(Ranges, AreBoundedInNumber) {
  std::string set = "bytes=";
  std::string beyond = "bytes=";
  for (size_t i = 0; i < kMaxRanges; ++i) {
    set += (i > 0 ? "," : "") + std::to_string(2 * i) + "-" + std::to_string(2 * i);
    beyond += (i > 0 ? "," : "") + std::to_string(200 + i) + "-";
  }
  EXPECT_EQ(ParseRanges(set, 100).count, kMaxRanges);
  EXPECT_EQ(ParseRanges(set + ", ,,", 100).count, kMaxRanges);
  EXPECT_EQ(Parsed(set + ",99-99", 100), "200");
  EXPECT_EQ(Parsed(set + ",200-", 100), "200");
  EXPECT_EQ(Parsed(beyond, 100), "416");
  EXPECT_EQ(Parsed(beyond + ",0-1", 100), "200");
}

TEST(Ranges, OfNothing) {
  ExpectAll({{"bytes=0-", "416"},
             {"bytes=0-0", "416"},
             {"bytes=-0", "416"},
             {"bytes=-1", "200"},
             {"bytes=0-,-1", "200"},
             {"bytes=x", "200"}},
            0);
}

TEST(Ranges, OfTheGreatestSize) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  ExpectAll({{"bytes=0-", "0-18446744073709551614"},
             {"bytes=-1", "18446744073709551614-18446744073709551614"},
             {"bytes=18446744073709551615-", "416"}},
            kMost);
}

TEST(ContentRange, IsWritten) {
  std::string text;
  AppendContentRange({0, 5}, 10, &text);
  EXPECT_EQ(text, "bytes 0-4/10");
  AppendUnsatisfiedRange(0, &text);
  EXPECT_EQ(text, "bytes 0-4/10bytes */0");
  text.clear();
  AppendContentRange({18446744073709551613U, 1}, 18446744073709551615U, &text);
  EXPECT_EQ(text, "bytes 18446744073709551613-18446744073709551613/18446744073709551615");
}

std::string BoundaryOf(const Multipart& multipart) {
  std::string type;
  multipart.AppendType(&type);
  const std::string_view start = "multipart/byteranges; boundary=";
  EXPECT_TRUE(type.starts_with(start));
  return type.substr(start.size());
}

TEST(Multipart, FramesItsParts) {
  const Multipart multipart("text/plain", 100);
  const std::string boundary = BoundaryOf(multipart);
  const ByteRange ranges[] = {{0, 5}, {99, 1}};
  std::string body;
  multipart.AppendBefore(ranges[0], true, &body);
  body += "hello";
  multipart.AppendBefore(ranges[1], false, &body);
  body += "!";
  multipart.AppendEnd(&body);
  EXPECT_EQ(body, "--" + boundary +
                      "\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-4/100\r\n\r\nhello"
                      "\r\n--" +
                      boundary +
                      "\r\nContent-Type: text/plain\r\nContent-Range: bytes 99-99/100\r\n\r\n!"
                      "\r\n--" +
                      boundary + "--\r\n");
  EXPECT_EQ(multipart.LengthOf(ranges), body.size());
}

TEST(Multipart, KnowsItsLength) {
  const ByteRange ranges[] = {{0, 1}, {9, 1}, {9, 2}, {10, 1}, {99, 901}, {123456, 100000}};
  for (const std::string_view type : {"", "a/b"}) {
    for (const uint64_t size : {uint64_t{223456}, uint64_t{1} << 40}) {
      for (size_t count = 1; count <= std::size(ranges); ++count) {
        const Multipart multipart(type, size);
        std::string body;
        for (size_t i = 0; i < count; ++i) {
          multipart.AppendBefore(ranges[i], i == 0, &body);
          body.append(ranges[i].size, 'x');
        }
        multipart.AppendEnd(&body);
        EXPECT_EQ(multipart.LengthOf({ranges, count}), body.size());
        EXPECT_EQ(body.find("Content-Type") == std::string::npos, type.empty());
      }
    }
  }
}

// RFC 2046 5.1.1: of bytes that need no quotes, never the same.
TEST(Multipart, HasABoundaryOfItsOwn) {
  const std::string_view allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string boundary = BoundaryOf(Multipart("", 1));
    EXPECT_EQ(boundary.size(), 24U);
    EXPECT_EQ(boundary.find_first_not_of(allowed), std::string::npos);
    EXPECT_TRUE(seen.insert(boundary).second);
  }
}

}  // namespace
}  // namespace quipd::http
