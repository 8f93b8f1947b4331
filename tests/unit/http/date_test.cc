// SPDX-License-Identifier: MIT
#include "http/date.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace quipd::http {
namespace {

std::string Text(int64_t unix_seconds) {
  const auto date = FormatDate(unix_seconds);
  return {date.data(), date.size()};
}

TEST(Date, WritesImfFixdate) {
  const struct {
    int64_t seconds;
    const char* text;
  } cases[] = {
      {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"},  // the example of RFC 9110 5.6.7
      {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
      {-1, "Wed, 31 Dec 1969 23:59:59 GMT"},
      {951782399, "Mon, 28 Feb 2000 23:59:59 GMT"},
      {951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
      {1709164800, "Thu, 29 Feb 2024 00:00:00 GMT"},
      {2147483648, "Tue, 19 Jan 2038 03:14:08 GMT"},
      {4107542400, "Mon, 01 Mar 2100 00:00:00 GMT"},
      {253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"},
      {253402300800, "Fri, 31 Dec 9999 23:59:59 GMT"},  // held at what four digits can say
      {-62167219201, "Sat, 01 Jan 0000 00:00:00 GMT"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.seconds);
    EXPECT_EQ(Text(c.seconds), c.text);
  }
}

TEST(Date, NamesEveryMonthAndDay) {
  const std::string months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  for (int month = 0; month < 12; ++month) {
    const std::string date = Text(1735689600 + int64_t{month} * 2629800 + 86400);  // around the 2nd
    EXPECT_EQ(date.substr(8, 3), months.substr(size_t{3} * static_cast<size_t>(month), 3));
  }
}

constexpr int64_t kNow = 1700000000;  // Tue, 14 Nov 2023 22:13:20 GMT

TEST(Date, ReadsTheThreeForms) {
  const struct {
    std::string_view text;
    int64_t seconds;
  } cases[] = {
      // The examples of RFC 9110 5.6.7.
      {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
      {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
      {"Sun Nov  6 08:49:37 1994", 784111777},
      {"Sun Nov 06 08:49:37 1994", 784111777},
      {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
      {"Wed, 31 Dec 1969 23:59:59 GMT", -1},
      {"Thu, 29 Feb 2024 00:00:00 GMT", 1709164800},
      {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300799},
      {"Sat, 01 Jan 0000 00:00:00 GMT", -62167219200},
      {"Mon Dec 31 23:59:59 2001", 1009843199},
      // A leap second, and a day of the week that isn't the date's.
      {"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
      {"Mon, 06 Nov 1994 08:49:37 GMT", 784111777},
      {"Thursday, 29-Feb-24 00:00:00 GMT", 1709164800},
      {"Monday, 29-Feb-24 00:00:00 GMT", 1709164800},
      {"Tuesday, 29-Feb-24 00:00:00 GMT", 1709164800},
      {"Wednesday, 29-Feb-24 00:00:00 GMT", 1709164800},
      {"Friday, 29-Feb-24 00:00:00 GMT", 1709164800},
      {"Saturday, 29-Feb-24 00:00:00 GMT", 1709164800},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(ParseDate(c.text, kNow), c.seconds);
  }
}

TEST(Date, RefusesWhatIsNone) {
  const std::string_view texts[] = {
      "",
      "0",
      "784111777",
      "Sun",
      "Sun,",
      "Sun, ",
      "Sun, 06 Nov 1994 08:49:37",
      "Sun, 06 Nov 1994 08:49:37 ",
      "Sun, 06 Nov 1994 08:49:37 GMT ",
      " Sun, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 +0000",
      "Sun, 06 Nov 1994 08:49:37 gmt",
      "sun, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 nov 1994 08:49:37 GMT",
      "Son, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nop 1994 08:49:37 GMT",
      "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun,  6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT",
      "Sun, 06 Nov 1994 8:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT",
      "Fri, 31 Dec 9999 23:59:60 GMT",
      "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:49:61 GMT",
      "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 31 Nov 1994 08:49:37 GMT",
      "Wed, 29 Feb 2023 00:00:00 GMT",
      "Mon, 29 Feb 2100 00:00:00 GMT",
      "Sun, -6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov +994 08:49:37 GMT",
      "Sun 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-1994 08:49:37 GMT",
      "Sunday 06-Nov-94 08:49:37 GMT",
      "Sun, 06-Nov-94 08:49:37 GMT",
      "Sunsday, 06-Nov-94 08:49:37 GMT",
      "Thurday, 06-Nov-94 08:49:37 GMT",
      "Sunday, 6-Nov-94 08:49:37 GMT",
      "Sun Nov 6 08:49:37 1994",
      "Sun Nov   6 08:49:37 1994",
      "Sun Nov  6 08:49:37 94",
      "Sun Nov  6 08:49:37 1994 GMT",
      "Sun Nov  0 08:49:37 1994",
      "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
  };
  for (const std::string_view text : texts) {
    SCOPED_TRACE(text);
    EXPECT_EQ(ParseDate(text, kNow), std::nullopt);
  }
}

// RFC 9110 5.6.7: more than 50 years in the future is the most recent year in the past.
TEST(Date, CompletesTwoDigitsOfAYear) {
  const struct {
    std::string_view text;
    std::string_view now;
    std::string_view full;
  } cases[] = {
      {"Sunday, 06-Nov-94 08:49:37 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
       "Sun, 06 Nov 1994 08:49:37 GMT"},
      {"Sunday, 06-Nov-23 08:49:37 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
       "Mon, 06 Nov 2023 08:49:37 GMT"},
      {"Sunday, 06-Nov-24 08:49:37 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
       "Wed, 06 Nov 2024 08:49:37 GMT"},
      {"Sunday, 14-Nov-73 22:13:20 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
       "Tue, 14 Nov 2073 22:13:20 GMT"},
      {"Sunday, 14-Nov-73 22:13:21 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
       "Wed, 14 Nov 1973 22:13:21 GMT"},
      {"Sunday, 15-Nov-73 00:00:00 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
       "Thu, 15 Nov 1973 00:00:00 GMT"},
      {"Sunday, 01-Jan-74 00:00:00 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
       "Tue, 01 Jan 1974 00:00:00 GMT"},
      {"Sunday, 01-Jan-05 00:00:00 GMT", "Fri, 31 Dec 1999 23:59:59 GMT",
       "Sat, 01 Jan 2005 00:00:00 GMT"},
      {"Sunday, 29-Feb-00 00:00:00 GMT", "Mon, 01 Jan 2029 00:00:00 GMT",
       "Tue, 29 Feb 2000 00:00:00 GMT"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto now = ParseDate(c.now, 0);
    ASSERT_TRUE(now.has_value());
    const auto seconds = ParseDate(c.text, *now);
    ASSERT_TRUE(seconds.has_value());
    EXPECT_EQ(Text(*seconds), c.full);
  }
  // In 2065 it is 2100, which has no such day.
  EXPECT_EQ(ParseDate("Sunday, 29-Feb-00 00:00:00 GMT", 3000000000), std::nullopt);
}

TEST(Date, ReadsWhatItWrites) {
  for (int64_t seconds = -62167219200; seconds <= 253402300799; seconds += 987654321) {
    EXPECT_EQ(ParseDate(Text(seconds), kNow), seconds);
  }
}

}  // namespace
}  // namespace quipd::http
