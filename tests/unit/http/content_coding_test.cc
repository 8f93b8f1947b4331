// SPDX-License-Identifier: MIT
#include "http/content_coding.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace quipd::http {
namespace {

constexpr uint8_t kNone = 0;
constexpr uint8_t kGzipOnly = BitOf(Coding::kGzip);
constexpr uint8_t kBrotliOnly = BitOf(Coding::kBrotli);
constexpr uint8_t kBoth = kGzipOnly | kBrotliOnly;

std::string Chosen(std::string_view fields, uint8_t available) {
  const auto coding = Choose(WeightsOf(fields), available);
  if (!coding) return "406";
  return coding == Coding::kIdentity ? "identity" : std::string(NameOf(*coding));
}

TEST(ContentCoding, HasNames) {
  EXPECT_EQ(NameOf(Coding::kGzip), "gzip");
  EXPECT_EQ(NameOf(Coding::kBrotli), "br");
  EXPECT_EQ(NameOf(Coding::kIdentity), "");
}

// RFC 9110 12.5.3.
TEST(ContentCoding, IsNegotiated) {
  const struct {
    std::string_view value;
    std::string_view both;    // where gzip and brotli are there
    std::string_view gzip;    // where gzip is there
    std::string_view brotli;  // where brotli is there
    std::string_view none;
  } cases[] = {
      {"", "identity", "identity", "identity", "identity"},
      {" , ,", "identity", "identity", "identity", "identity"},
      {"gzip", "gzip", "gzip", "identity", "identity"},
      {"GZip", "gzip", "gzip", "identity", "identity"},
      {"x-gzip", "gzip", "gzip", "identity", "identity"},
      {"br", "br", "identity", "br", "identity"},
      {"gzip, deflate, br", "br", "gzip", "br", "identity"},
      {"gzip,deflate,br,zstd", "br", "gzip", "br", "identity"},
      {"deflate", "identity", "identity", "identity", "identity"},
      {"*", "br", "gzip", "br", "identity"},
      {"identity", "identity", "identity", "identity", "identity"},
      {"gzip;q=1, br;q=0.5", "gzip", "gzip", "br", "identity"},
      {"gzip;q=0.5, br;q=1", "br", "gzip", "br", "identity"},
      {"gzip;q=0", "identity", "identity", "identity", "identity"},
      {"gzip;q=0.000, br", "br", "identity", "br", "identity"},
      {"gzip;q=0, *", "br", "identity", "br", "identity"},
      {"*, gzip;q=0", "br", "identity", "br", "identity"},
      {"br;q=0.001", "br", "identity", "br", "identity"},
      {"gzip;q=0.5, identity;q=1", "identity", "identity", "identity", "identity"},
      {"gzip;q=0.5, identity;q=0.5", "gzip", "gzip", "identity", "identity"},
      {"gzip;q=0.5, identity;q=0.499", "gzip", "gzip", "identity", "identity"},
      {"gzip;q=0.5, *;q=1", "br", "identity", "br", "identity"},
      {"br, *;q=0.1", "br", "gzip", "br", "identity"},
      {"identity;q=0", "406", "406", "406", "406"},
      {"*;q=0", "406", "406", "406", "406"},
      {"identity;q=0, gzip", "gzip", "gzip", "406", "406"},
      {"gzip, *;q=0", "gzip", "gzip", "406", "406"},
      {"*;q=0, identity;q=0.1", "identity", "identity", "identity", "identity"},
      {"*;q=0, identity", "identity", "identity", "identity", "identity"},
      {"identity;q=0, *;q=0.5", "br", "gzip", "br", "406"},
      {"gzip \t; \tQ=0.8 , br ;q=0.9", "br", "gzip", "br", "identity"},
      {"gzip;q=1.000", "gzip", "gzip", "identity", "identity"},
      {"gzip;q=1.", "gzip", "gzip", "identity", "identity"},
      {"gzip;q=0, x-gzip;q=0.5", "gzip", "gzip", "identity", "identity"},
      // What is malformed is passed over.
      {"gzip;q=1.001", "identity", "identity", "identity", "identity"},
      {"gzip;q=2", "identity", "identity", "identity", "identity"},
      {"gzip;q=0.0000", "identity", "identity", "identity", "identity"},
      {"gzip;q=-1", "identity", "identity", "identity", "identity"},
      {"gzip;q=", "identity", "identity", "identity", "identity"},
      {"gzip;q =1", "identity", "identity", "identity", "identity"},
      {"gzip;q= 1", "identity", "identity", "identity", "identity"},
      {"gzip;level=9", "identity", "identity", "identity", "identity"},
      {"gzip;q=1;x=y", "identity", "identity", "identity", "identity"},
      {"gzip;", "identity", "identity", "identity", "identity"},
      {"g zip", "identity", "identity", "identity", "identity"},
      {"gzip br", "identity", "identity", "identity", "identity"},
      {"\"gzip\"", "identity", "identity", "identity", "identity"},
      {"gzip;q=x, br;q=0.5", "br", "identity", "br", "identity"},
      {"identity;q=00, gzip", "gzip", "gzip", "identity", "identity"},
      {"gzipped, brr, identities;q=0", "identity", "identity", "identity", "identity"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.value);
    const std::string fields = "A: gzip\r\naccept-ENCODING: " + std::string(c.value) + "\r\n";
    EXPECT_EQ(Chosen(fields, kBoth), c.both);
    EXPECT_EQ(Chosen(fields, kGzipOnly), c.gzip);
    EXPECT_EQ(Chosen(fields, kBrotliOnly), c.brotli);
    EXPECT_EQ(Chosen(fields, kNone), c.none);
  }
}

TEST(ContentCoding, OfAllFieldsTogether) {
  const std::string_view several = "Accept-Encoding: gzip;q=0.5\r\nX: y\r\nAccept-Encoding: br\r\n";
  EXPECT_EQ(Chosen(several, kBoth), "br");
  EXPECT_EQ(Chosen(several, kGzipOnly), "gzip");
  EXPECT_EQ(Chosen("Accept-Encoding: gzip\r\nAccept-Encoding: identity;q=0\r\n", kNone), "406");
  EXPECT_EQ(Chosen("Accept-Encoding:\r\nAccept-Encoding: gzip\r\n", kBoth), "gzip");
}

TEST(ContentCoding, IsIdentityWhereNobodyAsks) {
  for (const std::string_view fields : {"", "Accept: gzip\r\n", "Accept-Encoding:\r\n"}) {
    const CodingWeights weights = WeightsOf(fields);
    EXPECT_EQ(weights.identity, 1000);
    EXPECT_EQ(weights.gzip, 0);
    EXPECT_EQ(weights.brotli, 0);
    EXPECT_EQ(Chosen(fields, kBoth), "identity");
  }
}

}  // namespace
}  // namespace quipd::http
