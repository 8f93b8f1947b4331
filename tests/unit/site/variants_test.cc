// SPDX-License-Identifier: MIT
// Codings made at load: which bodies have them, what they say, who gets which, and that a reload
// keeps them.
#include "site/variants.h"

#include <brotli/decode.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "unit/site/site_builder.h"

namespace quipd::site {
namespace {

std::string TextOf(size_t size) {
  std::string text;
  while (text.size() < size) text += "<p>Hello, number " + std::to_string(text.size()) + "</p>\n";
  text.resize(size);
  return text;
}

std::string NoiseOf(size_t size) {
  std::string noise;
  for (uint64_t state = 1; noise.size() < size;) {
    state = state * 6364136223846793005 + 1442695040888963407;
    noise.push_back(static_cast<char>(state >> 56));
  }
  return noise;
}

std::string Inflated(const std::string& coded, size_t size) {
  std::string out(size + 1, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string input = coded;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

std::string Unbrotlied(const std::string& coded, size_t size) {
  std::string out(size + 1, '\0');
  size_t written = out.size();
  EXPECT_EQ(BrotliDecoderDecompress(coded.size(), reinterpret_cast<const uint8_t*>(coded.data()),
                                    &written, reinterpret_cast<uint8_t*>(out.data())),
            BROTLI_DECODER_RESULT_SUCCESS);
  out.resize(written);
  return out;
}

std::string BytesOf(const Response& response) {
  return {response.bytes, response.head_size + response.body_size};
}

TEST(Variants, CodingsDecodeToTheBody) {
  for (const size_t size : {1024, 64 * 1024, 64 * 1024 + 1, 300 * 1000}) {
    SCOPED_TRACE(size);
    const std::string body = TextOf(size);
    const std::string gzip = Gzipped(body);
    EXPECT_LT(gzip.size(), size);
    EXPECT_EQ(Inflated(gzip, size), body);
    EXPECT_EQ(gzip.substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8));  // no name, no time
    const std::string brotli = BrotliCoded(body);
    EXPECT_LT(brotli.size(), size);
    EXPECT_EQ(Unbrotlied(brotli, size), body);
  }
  EXPECT_EQ(Gzipped(NoiseOf(4096)), "");
  EXPECT_EQ(BrotliCoded(NoiseOf(4096)), "");
  EXPECT_EQ(Gzipped(""), "");
  EXPECT_EQ(BrotliCoded(""), "");
}

TEST(Variants, WhichBodiesHaveThem) {
  struct Case {
    const char* key;
    std::string body;
    bool coded;
    const char* type = "";
    const char* file = "";
    bool compress = true;
  };
  const Case cases[] = {
      {"GET / echo", TextOf(1024), true},
      {"GET / echo", TextOf(1023), false},
      {"GET / html", TextOf(1024), true},
      {"GET / json", '"' + std::string(2000, 'x') + '"', true},
      {"GET / echo", NoiseOf(2048), false},
      {"GET / echo", TextOf(1024), false, "", "", false},
      {"GET / echo", TextOf(1024), false, "image/png"},
      {"GET / echo", TextOf(1024), true, "image/svg+xml"},
      {"GET / file", TextOf(1024), true, "", "a.js"},
      {"GET / file", TextOf(1024), false, "", "a.png"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.key) + ' ' + test.type + test.file);
    SiteBuilder builder;
    config::Rule& rule = builder.Add(test.key, test.body);
    rule.answer.file = test.file;
    config::Options& options = SiteBuilder::Edit(&rule.answer.options);
    if (test.type[0] != '\0') options.type = test.type;
    options.compress = test.compress;
    const auto site = builder.Build();
    const Asked asked = AskSite(*site, "GET", "/");
    EXPECT_EQ(asked.answer.response->variants != nullptr, test.coded);
    EXPECT_EQ((asked.answer.response->selectors & http::kAcceptEncoding) != 0, test.coded);
    EXPECT_EQ(FieldOf(asked.bytes, "vary"), test.coded ? "Accept-Encoding" : "(none)");
    EXPECT_EQ(FieldOf(asked.bytes, "content-encoding"), "(none)");
    EXPECT_EQ(BodyOf(asked.bytes), test.body);
  }
}

TEST(Variants, NoneOfOtherAnswers) {
  const std::string body = TextOf(4096);
  SiteBuilder builder;
  builder.Add("GET /created echo", body).answer.status = 201;
  builder.AddTemplate("GET /template echo", body + "{{method}}");
  SiteBuilder::SetHeader(&builder.Add("GET /coded echo", body).answer.options, "Content-Encoding",
                         "x");
  builder.AddError("404", "echo", body);
  const auto site = builder.Build();
  for (const char* path : {"/created", "/template", "/coded", "/unknown"}) {
    SCOPED_TRACE(path);
    const Asked asked = AskSite(*site, "GET", path);
    EXPECT_EQ(FieldOf(asked.bytes, "vary"), "(none)");
    if (asked.answer.response != nullptr) {
      EXPECT_EQ(asked.answer.response->variants, nullptr);
    }
  }
}

TEST(Variants, AreResponsesOfTheirOwn) {
  SiteBuilder builder;
  const std::string body = TextOf(3000);
  config::Rule& rule = builder.Add("GET / file", body);
  rule.answer.file = "a.css";
  rule.answer.modified = 784'111'777;
  SiteBuilder::SetHeader(&rule.answer.options, "X-A", "1");
  SiteBuilder::Edit(&rule.answer.options).cache = "max-age=60";
  const auto site = builder.Build();
  const Response& identity = *AskSite(*site, "GET", "/").answer.response;
  ASSERT_NE(identity.variants, nullptr);
  const std::pair<const Response&, std::string> codings[] = {
      {identity.variants->gzip, Gzipped(body)}, {identity.variants->brotli, BrotliCoded(body)}};
  for (const auto& [variant, coded] : codings) {
    std::string bytes = BytesOf(variant);
    bytes.replace(variant.date_offset, 29, "<date>");
    EXPECT_EQ(bytes,
              "HTTP/1.1 200 OK\r\nServer: quipd\r\nX-A: 1\r\nCache-Control: max-age=60\r\n"
              "ETag: " +
                  EtagFor(coded) +
                  "\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                  "Accept-Ranges: bytes\r\nVary: Accept-Encoding\r\n"
                  "Content-Type: text/css; charset=utf-8\r\nContent-Encoding: " +
                  (variant.coding == http::Coding::kGzip ? "gzip" : "br") + "\r\nContent-Length: " +
                  std::to_string(coded.size()) + "\r\nDate: <date>\r\n\r\n" + coded);
    EXPECT_EQ(variant.body_size, coded.size());
    EXPECT_EQ(variant.status, 200);
  }
  EXPECT_EQ(identity.coding, http::Coding::kIdentity);
  EXPECT_EQ(identity.variants->brotli.coding, http::Coding::kBrotli);
}

TEST(Variants, VaryIsJoined) {
  const std::pair<std::vector<config::Header>, const char*> cases[] = {
      {{}, "Accept-Encoding"},
      {{{"Vary", "Origin", {}}}, "Origin, Accept-Encoding"},
      {{{"vary", "Origin", {}}, {"vary", "X-A , X-B", {}}}, "Origin, X-A , X-B, Accept-Encoding"},
      {{{"Vary", "Origin,accept-encoding", {}}}, "Origin,accept-encoding"},
      {{{"Vary", "*", {}}}, "*"},
      {{{"Vary", "", {}}}, "Accept-Encoding"},
  };
  for (const auto& [headers, expected] : cases) {
    SCOPED_TRACE(expected);
    SiteBuilder builder;
    SiteBuilder::Edit(&builder.Add("GET / echo", TextOf(2000)).answer.options).headers = headers;
    SiteBuilder::Edit(&builder.Add("GET /short echo", "x").answer.options).headers = headers;
    const auto site = builder.Build();
    const Asked asked = AskSite(*site, "GET", "/");
    EXPECT_EQ(FieldOf(asked.bytes, "vary"), expected);
    const std::string gzip = BytesOf(asked.answer.response->variants->gzip);
    EXPECT_EQ(FieldOf(gzip, "vary"), expected);
    std::string rest = asked.bytes.substr(0, asked.answer.response->head_size);
    rest.erase(rest.find("Vary: "), 6);
    EXPECT_EQ(rest.find("Vary: "), std::string::npos);
    EXPECT_EQ(FieldOf(AskSite(*site, "GET", "/short").bytes, "vary"),
              headers.empty() ? "(none)" : headers[0].value);
  }
}

// One tag can't be strong for several codings (RFC 9110 8.8.1).
TEST(Variants, ATagOfHeadersIsWeakThere) {
  for (const char* tag : {"\"v1\"", "W/\"v1\""}) {
    SCOPED_TRACE(tag);
    SiteBuilder builder;
    SiteBuilder::SetHeader(&builder.Add("GET / echo", TextOf(2000)).answer.options, "etag", tag);
    const auto site = builder.Build();
    const Asked asked = AskSite(*site, "GET", "/");
    EXPECT_EQ(FieldOf(asked.bytes, "etag"), tag);
    EXPECT_EQ(FieldOf(BytesOf(asked.answer.response->variants->gzip), "etag"), "W/\"v1\"");
  }
}

TEST(Variants, EqualBytesThatHeedOtherFieldsStandApart) {
  const std::string body = TextOf(2000);
  SiteBuilder builder;
  builder.Add("GET /a echo", body);
  config::Rule& off = builder.Add("GET /b echo", body);
  SiteBuilder::SetHeader(&off.answer.options, "Vary", "Accept-Encoding");
  SiteBuilder::Edit(&off.answer.options).compress = false;
  config::Rule& on = builder.Add("GET /c echo", body);
  SiteBuilder::SetHeader(&on.answer.options, "Vary", "Accept-Encoding");
  const auto site = builder.Build();
  EXPECT_NE(AskSite(*site, "GET", "/a").answer.response->variants, nullptr);
  EXPECT_EQ(AskSite(*site, "GET", "/b").answer.response->variants, nullptr);
  EXPECT_NE(AskSite(*site, "GET", "/c").answer.response->variants, nullptr);
}

TEST(Variants, WhoGetsWhich) {
  SiteBuilder builder;
  const std::string body = TextOf(3000);
  builder.Add("GET / echo", body);
  const auto site = builder.Build();
  const Response& identity = *AskSite(*site, "GET", "/").answer.response;
  const std::string gzip = EtagFor(Gzipped(body));
  struct Case {
    std::string fields;
    const char* coding;  // "": identity; "none": 406
    int status = 200;
  };
  const Case cases[] = {
      {"", ""},
      {"Accept-Encoding: gzip, deflate, br\r\n", "br"},
      {"Accept-Encoding: gzip\r\n", "gzip"},
      {"Accept-Encoding: x-gzip\r\n", "gzip"},
      {"Accept-Encoding: br;q=0.5, gzip\r\n", "gzip"},
      {"Accept-Encoding: gzip;q=0, br;q=0\r\n", ""},
      {"Accept-Encoding: gzip;q=0.5, identity\r\n", ""},
      {"Accept-Encoding: gzip;q=0, identity;q=0\r\n", "none", 406},
      {"Accept-Encoding: deflate\r\n", ""},
      {"Accept-Encoding: *\r\n", "br"},
      {"Accept-Encoding: gzip\r\nIf-None-Match: " + gzip + "\r\n", "gzip", 304},
      {"Accept-Encoding: br\r\nIf-None-Match: " + gzip + "\r\n", "br"},
      {"If-None-Match: " + gzip + "\r\n", ""},
      {"If-None-Match: " + EtagFor(body) + "\r\n", "", 304},
      {"Accept-Encoding: gzip\r\nRange: bytes=0-9\r\nIf-Range: " + gzip + "\r\n", "gzip", 206},
      {"Accept-Encoding: gzip\r\nRange: bytes=2000-\r\n", "gzip", 416},
      {"Range: bytes=2000-\r\n", "", 206},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.fields);
    const Heard heard("GET / HTTP/1.1\r\nHost: a\r\n" + test.fields + "\r\n");
    const Selected selected = site->Select(identity, heard.head, 1'700'000'000);
    EXPECT_EQ(selected.selection.status, test.status);
    const std::string coding = selected.response == nullptr
                                   ? "none"
                                   : std::string(http::NameOf(selected.response->coding));
    EXPECT_EQ(coding, test.coding);
  }
}

TEST(Variants, AReloadKeepsThem) {
  const auto build = [](const std::shared_ptr<const Site>& previous, bool changed) {
    SiteBuilder builder;
    builder.Add("GET /same echo", TextOf(3000));
    builder.Add("GET /twice html", TextOf(3000));
    builder.Add("GET /noise echo", NoiseOf(3000));
    builder.Add("GET /other echo", changed ? TextOf(4001) : TextOf(4000));
    if (changed) SiteBuilder::SetHeader(&builder.config.rules[0].answer.options, "X-A", "1");
    return Compile(std::move(builder.config), previous);
  };
  Compiled first = build(nullptr, false);
  EXPECT_EQ(first.bodies_coded, 3u);
  EXPECT_EQ(first.codings_kept, 0u);
  const std::string gzip =
      BytesOf(AskSite(*first.site, "GET", "/same").answer.response->variants->gzip);
  const Compiled second = build(std::exchange(first.site, nullptr), true);
  EXPECT_EQ(second.bodies_coded, 1u);
  EXPECT_EQ(second.codings_kept, 2u);
  const Response& same = *AskSite(*second.site, "GET", "/same").answer.response;
  ASSERT_NE(same.variants, nullptr);
  EXPECT_EQ(BodyOf(BytesOf(same.variants->gzip)), BodyOf(gzip));
  EXPECT_EQ(FieldOf(BytesOf(same.variants->gzip), "x-a"), "1");
  EXPECT_EQ(AskSite(*second.site, "GET", "/noise").answer.response->variants, nullptr);
  EXPECT_EQ(
      Inflated(
          BodyOf(BytesOf(AskSite(*second.site, "GET", "/other").answer.response->variants->gzip)),
          4001),
      TextOf(4001));
  const Compiled third = build(second.site, true);
  EXPECT_EQ(third.bodies_coded, 0u);
  EXPECT_EQ(third.codings_kept, 3u);
}

}  // namespace
}  // namespace quipd::site
