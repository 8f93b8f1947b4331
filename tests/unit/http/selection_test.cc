// SPDX-License-Identifier: MIT
#include "http/selection.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/http/parsed_head.h"

namespace quipd::http {
namespace {

constexpr Validators kValidators{.etag = "\"x\"", .last_modified = 784111777};
constexpr int64_t kNow = 1700000000;

TEST(Selection, GoesThroughTheSteps) {
  const struct {
    const char* method;
    const char* fields;
    int status;
  } cases[] = {
      {"GET", "", 200},
      {"GET", "Range: bytes=0-4", 206},
      {"GET", "Range: bytes=0-4,5-6", 206},
      {"GET", "Range: bytes=10-", 416},
      {"GET", "Range: bytes=4-0", 200},
      {"GET", "Range: lines=0-4", 200},
      {"GET", "Range: bytes=0-4\r\nRange: bytes=0-4", 200},
      {"HEAD", "Range: bytes=0-4", 200},
      {"HEAD", "Range: bytes=10-", 200},
      {"POST", "Range: bytes=0-4", 200},
      {"GET", "If-None-Match: \"x\"", 304},
      {"HEAD", "If-None-Match: \"x\"", 304},
      {"POST", "If-None-Match: \"x\"", 412},
      {"GET", "If-Match: \"y\"", 412},
      // The conditions come first; a range that can't be satisfied changes nothing of them.
      {"GET", "Range: bytes=0-4\r\nIf-None-Match: \"x\"", 304},
      {"GET", "Range: bytes=10-\r\nIf-None-Match: \"x\"", 304},
      {"GET", "Range: bytes=10-\r\nIf-Match: \"y\"", 412},
      {"GET", "Range: bytes=0-4\r\nIf-Match: \"x\"", 206},
      {"GET", "Range: bytes=0-4\r\nIf-None-Match: \"y\"", 206},
      // RFC 9110 13.1.5.
      {"GET", "Range: bytes=0-4\r\nIf-Range: \"x\"", 206},
      {"GET", "Range: bytes=0-4\r\nIf-Range: \"y\"", 200},
      {"GET", "Range: bytes=0-4\r\nIf-Range: W/\"x\"", 200},
      {"GET", "Range: bytes=0-4\r\nIf-Range: Sun, 06 Nov 1994 08:49:37 GMT", 206},
      {"GET", "Range: bytes=0-4\r\nIf-Range: Sun, 06 Nov 1994 08:49:38 GMT", 200},
      {"GET", "Range: bytes=10-\r\nIf-Range: \"y\"", 200},
      {"GET", "Range: bytes=10-\r\nIf-Range: \"x\"", 416},
      {"GET", "If-Range: \"y\"", 200},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.method) + " " + c.fields);
    const ParsedHead head(c.fields, c.method);
    const Selection selection = Select(*head, kValidators, 10, kNow);
    EXPECT_EQ(selection.status, c.status);
    EXPECT_EQ(selection.ranges.kind == Ranges::Kind::kSome, c.status == 206);
  }
}

TEST(Selection, BringsTheRanges) {
  const ParsedHead head("Range: bytes=2-4, -1, 100-");
  const Selection selection = Select(*head, kValidators, 10, kNow);
  ASSERT_EQ(selection.ranges.count, 2);
  EXPECT_EQ(selection.ranges.ranges[0].first, 2U);
  EXPECT_EQ(selection.ranges.ranges[0].size, 3U);
  EXPECT_EQ(selection.ranges.ranges[1].first, 9U);
  EXPECT_EQ(selection.ranges.ranges[1].size, 1U);
}

}  // namespace
}  // namespace quipd::http
