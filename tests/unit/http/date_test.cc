// SPDX-License-Identifier: MIT
#include "http/date.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace quipd::http
