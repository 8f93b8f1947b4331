// SPDX-License-Identifier: MIT
#include "client/content_coding.h"

#include <gtest/gtest.h>

namespace quipd::test {
namespace {

TEST(ContentCoding, ReadsWhatItHasWritten) {
  const std::string text(200'000, 'a');
  EXPECT_EQ(Decode("gzip", EncodeGzip(text)), text);
  EXPECT_EQ(Decode("br", EncodeBrotli(text)), text);
  EXPECT_EQ(Decode("gzip", EncodeGzip("")), "");
}

TEST(ContentCoding, TakesOneWholeStreamOnly) {
  const std::string gzip = EncodeGzip("some text");
  const std::string brotli = EncodeBrotli("some text");
  EXPECT_EQ(Decode("gzip", gzip.substr(0, gzip.size() - 1)), std::nullopt);
  EXPECT_EQ(Decode("gzip", gzip + "x"), std::nullopt);
  EXPECT_EQ(Decode("br", brotli.substr(0, brotli.size() - 1)), std::nullopt);
  EXPECT_EQ(Decode("br", brotli + "x"), std::nullopt);
  EXPECT_EQ(Decode("br", gzip), std::nullopt);
  EXPECT_EQ(Decode("deflate", gzip), std::nullopt);
}

}  // namespace
}  // namespace quipd::test
