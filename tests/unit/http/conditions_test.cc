// SPDX-License-Identifier: MIT
#include "http/conditions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "unit/http/parsed_head.h"

namespace quipd::http {
namespace {

constexpr int64_t kModified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr int64_t kNow = 1700000000;

constexpr std::string_view kOlder = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr std::string_view kSame = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view kNewer = "Sun, 06 Nov 1994 08:49:38 GMT";

struct Case {
  std::string fields;
  Condition expected;
};

Condition Ask(std::string_view fields, const Validators& validators,
              std::string_view method = "GET") {
  const ParsedHead head(fields, method);
  return Evaluate(*head, validators, kNow);
}

template <size_t N>
void ExpectAll(const Case (&cases)[N], const Validators& validators,
               std::string_view method = "GET") {
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(method) + " " + c.fields);
    EXPECT_EQ(Ask(c.fields, validators, method), c.expected);
  }
}

constexpr Validators kStrong{.etag = "\"x,y\"", .last_modified = kModified};
constexpr Validators kWeak{.etag = "W/\"x,y\"", .last_modified = kModified};
constexpr Validators kNothing{};

TEST(Conditions, NoneHold) {
  ExpectAll({{"", Condition::kHolds},
             {"If-Range: \"a\"", Condition::kHolds},
             {"Range: bytes=0-", Condition::kHolds}},
            kStrong);
}

// RFC 9110 13.1.2: weak comparison, lists, "*".
TEST(Conditions, IfNoneMatchComparesWeakly) {
  const Case cases[] = {
      {"If-None-Match: \"x,y\"", Condition::kNotModified},
      {"If-None-Match: W/\"x,y\"", Condition::kNotModified},
      {"if-none-MATCH:W/\"x,y\"", Condition::kNotModified},
      {"If-None-Match: *", Condition::kNotModified},
      {"If-None-Match:  , * ,", Condition::kNotModified},
      {"If-None-Match: \"a\", \"x,y\"", Condition::kNotModified},
      {"If-None-Match: \"x,y\" \t,\t \"a\"", Condition::kNotModified},
      {"If-None-Match: ,, W/\"a\",,W/\"x,y\",", Condition::kNotModified},
      {"If-None-Match: \"a\"\r\nX: y\r\nIf-None-Match: \"x,y\"", Condition::kNotModified},
      {"If-None-Match: \"a\"\r\nIf-None-Match:\r\nIf-None-Match: \"x,y\"", Condition::kNotModified},
      {"If-None-Match: \"x\", \"y\"", Condition::kHolds},
      {"If-None-Match: \"a\"", Condition::kHolds},
      {"If-None-Match: \"X,y\"", Condition::kHolds},
      {"If-None-Match: \"\"", Condition::kHolds},
      {"If-None-Match:", Condition::kHolds},
      {"If-None-Match: ,", Condition::kHolds},
  };
  ExpectAll(cases, kStrong);
  ExpectAll(cases, kStrong, "HEAD");
  ExpectAll(cases, kWeak);
}

TEST(Conditions, MalformedListsMatchNothing) {
  const std::string lists[] = {
      "x,y",
      "\"x,y",
      "x,y\"",
      "'x,y'",
      "W\"x,y\"",
      "w/\"x,y\"",
      "W/ \"x,y\"",
      "\"x,y\" \"a\"",
      "\"x,y\"a",
      "\"x,y\", a",
      "\"x,y\", *",
      "*, \"x,y\"",
      "*, *",
      "**",
      "* a",
      "\"x,y\"\"a\"",
      "\"x,y\"; a",
      "\"a b\", \"x,y\"",
      "\"x,y\", \"",
      "W/",
      "\"x,y\"\r\n{}: a",
      "\"x,y\"\r\n{}: *",
      "*\r\n{}: *",
  };
  for (std::string list : lists) {
    for (const std::string name : {"If-None-Match", "If-Match"}) {
      std::string text = list;
      if (const size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, name);
      SCOPED_TRACE(name + ": " + text);
      EXPECT_EQ(Ask(name + ": " + text, kStrong),
                name == "If-Match" ? Condition::kFailed : Condition::kHolds);
    }
  }
}

// RFC 9110 13.1.1: strong comparison.
TEST(Conditions, IfMatchComparesStrongly) {
  const Case cases[] = {
      {"If-Match: \"x,y\"", Condition::kHolds},
      {"If-Match: \"a\",\"x,y\"", Condition::kHolds},
      {"If-Match: \"a\"\r\nIf-Match: \"x,y\"", Condition::kHolds},
      {"If-Match: *", Condition::kHolds},
      {"If-Match: W/\"x,y\"", Condition::kFailed},
      {"If-Match: \"a\"", Condition::kFailed},
      {"If-Match:", Condition::kFailed},
  };
  for (const std::string_view method : {"GET", "HEAD", "PUT", "DELETE", "POST", "FROB"}) {
    ExpectAll(cases, kStrong, method);
  }
  ExpectAll({{"If-Match: \"x,y\"", Condition::kFailed},
             {"If-Match: W/\"x,y\"", Condition::kFailed},
             {"If-Match: *", Condition::kHolds}},
            kWeak);
}

TEST(Conditions, OtherMethodsFailWhereReadersFindNothingNew) {
  for (const std::string_view method : {"PUT", "POST", "PATCH", "DELETE", "FROB"}) {
    ExpectAll({{"If-None-Match: *", Condition::kFailed},
               {"If-None-Match: W/\"x,y\"", Condition::kFailed},
               {"If-None-Match: \"a\"", Condition::kHolds},
               {"If-Modified-Since: " + std::string(kNewer), Condition::kHolds},
               {"If-Unmodified-Since: " + std::string(kOlder), Condition::kFailed}},
              kStrong, method);
  }
  // RFC 9110 13.2.1: what neither selects nor changes a representation has no condition.
  for (const std::string_view method : {"OPTIONS", "TRACE"}) {
    ExpectAll({{"If-None-Match: *", Condition::kHolds}, {"If-Match: \"a\"", Condition::kHolds}},
              kStrong, method);
  }
}

// RFC 9110 13.1.3 and 13.1.4.
TEST(Conditions, GoByDates) {
  const std::string since = "If-Modified-Since: ";
  const std::string unmodified = "If-Unmodified-Since: ";
  const std::string older(kOlder);
  const std::string same(kSame);
  const std::string newer(kNewer);
  const Case cases[] = {
      {since + older, Condition::kHolds},
      {since + same, Condition::kNotModified},
      {since + newer, Condition::kNotModified},
      {since + "Sunday, 06-Nov-94 08:49:37 GMT", Condition::kNotModified},
      {since + "Sun Nov  6 08:49:37 1994", Condition::kNotModified},
      {since + "Fri, 31 Dec 9999 23:59:59 GMT", Condition::kNotModified},
      {since, Condition::kHolds},
      {since + "784111777", Condition::kHolds},
      {since + "Sun, 06 Nov 1994 08:49:37 UTC", Condition::kHolds},
      {since + same + ", " + same, Condition::kHolds},
      {since + same + "\r\n" + since + same, Condition::kHolds},
      {unmodified + older, Condition::kFailed},
      {unmodified + same, Condition::kHolds},
      {unmodified + newer, Condition::kHolds},
      {unmodified + "x", Condition::kHolds},
      {unmodified + older + "\r\n" + unmodified + older, Condition::kHolds},
  };
  ExpectAll(cases, kStrong);
  ExpectAll(cases, kStrong, "HEAD");
  ExpectAll({{since + newer, Condition::kHolds}, {unmodified + older, Condition::kHolds}},
            kNothing);
}

// RFC 9110 13.2.2.
TEST(Conditions, HaveAnOrder) {
  const std::string older(kOlder);
  const std::string newer(kNewer);
  ExpectAll(
      {
          // A tag that differs outweighs a date that doesn't, and the other way round.
          {"If-None-Match: \"a\"\r\nIf-Modified-Since: " + newer, Condition::kHolds},
          {"If-Modified-Since: " + newer + "\r\nIf-None-Match: \"a\"", Condition::kHolds},
          {"If-None-Match: \"x,y\"\r\nIf-Modified-Since: " + older, Condition::kNotModified},
          {"If-None-Match: garbage\r\nIf-Modified-Since: " + newer, Condition::kHolds},
          {"If-Match: \"x,y\"\r\nIf-Unmodified-Since: " + older, Condition::kHolds},
          {"If-Match: \"a\"\r\nIf-Unmodified-Since: " + newer, Condition::kFailed},
          {"If-None-Match: \"x,y\"\r\nIf-Match: \"a\"", Condition::kFailed},
          {"If-None-Match: \"x,y\"\r\nIf-Match: \"x,y\"", Condition::kNotModified},
          {"If-None-Match: \"a\"\r\nIf-Match: \"x,y\"", Condition::kHolds},
          {"If-Match: *\r\nIf-Modified-Since: " + newer, Condition::kNotModified},
          {"If-Unmodified-Since: " + older + "\r\nIf-None-Match: *", Condition::kFailed},
          {"If-Unmodified-Since: " + newer + "\r\nIf-None-Match: *", Condition::kNotModified},
          {"If-Unmodified-Since: " + newer + "\r\nIf-Modified-Since: " + older, Condition::kHolds},
      },
      kStrong);
}

// A representation without validators is there all the same.
TEST(Conditions, ExistenceNeedsNoValidator) {
  ExpectAll({{"If-None-Match: *", Condition::kNotModified},
             {"If-Match: *", Condition::kHolds},
             {"If-None-Match: \"\"", Condition::kHolds},
             {"If-Match: \"\"", Condition::kFailed}},
            kNothing);
}

TEST(IfRange, NeedsExactlyThisState) {
  const struct {
    std::string fields;
    bool strong;   // of kStrong
    bool weak;     // of kWeak
    bool nothing;  // of kNothing
  } cases[] = {
      {"", true, true, true},
      {"If-Match: \"a\"", true, true, true},
      {"If-Range: \"x,y\"", true, false, false},
      {"iF-rANGE:\"x,y\"", true, false, false},
      {"If-Range: W/\"x,y\"", false, false, false},
      {"If-Range: \"x\"", false, false, false},
      {"If-Range: \"\"", false, false, false},
      {"If-Range: \"x,y\", \"a\"", false, false, false},
      {"If-Range: \"x,y\"\r\nIf-Range: \"x,y\"", false, false, false},
      {"If-Range: *", false, false, false},
      {"If-Range:", false, false, false},
      {"If-Range: x", false, false, false},
      {"If-Range: " + std::string(kSame), true, true, false},
      {"If-Range: Sun Nov  6 08:49:37 1994", true, true, false},
      {"If-Range: " + std::string(kOlder), false, false, false},
      {"If-Range: " + std::string(kNewer), false, false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.fields);
    const ParsedHead head(c.fields);
    EXPECT_EQ(IfRangeHolds(*head, kStrong, kNow), c.strong);
    EXPECT_EQ(IfRangeHolds(*head, kWeak, kNow), c.weak);
    EXPECT_EQ(IfRangeHolds(*head, kNothing, kNow), c.nothing);
  }
  // Within its second a date doesn't tell two states apart.
  const ParsedHead dated("If-Range: " + std::string(kSame));
  EXPECT_TRUE(IfRangeHolds(*dated, kStrong, kModified + 1));
  EXPECT_FALSE(IfRangeHolds(*dated, kStrong, kModified));
}

}  // namespace
}  // namespace quipd::http
