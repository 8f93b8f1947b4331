// SPDX-License-Identifier: MIT
#include "http/media_type.h"

#include <gtest/gtest.h>

namespace quipd::http {
namespace {

TEST(MediaType, GoesByTheLastExtension) {
  const struct {
    const char* path;
    const char* type;
  } cases[] = {
      {"robots.txt", "text/plain; charset=utf-8"},
      {"/www/Index.HTML", "text/html; charset=utf-8"},
      {"a.b/app.min.js", "text/javascript; charset=utf-8"},
      {"data.json", "application/json"},
      {"logo.svg", "image/svg+xml"},
      {"site.webmanifest", "application/manifest+json"},
      {"dump.tar.gz", "application/gzip"},
      {"font.woff2", "font/woff2"},
      {"a.3gp", "video/3gpp"},
      {"a.zst", "application/zstd"},
      // Of the system's table alone.
      {"a.pdf", "application/pdf"},
      {"a.PNG", "image/png"},
      {"a.kml", "application/vnd.google-earth.kml+xml"},
      {"a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
      {"a.ics", "text/calendar; charset=utf-8"},
      {"a.c++", "text/x-c++src; charset=utf-8"},
      {"a.mp4", "video/mp4"},
      // Where it lacks one, or means something else.
      {"a.ts", "video/mp2t"},
      {"a.mjs", "text/javascript; charset=utf-8"},
      {"a.yaml", "application/yaml"},
      {"a.log", "text/plain; charset=utf-8"},
      {"favicon.ico", "image/vnd.microsoft.icon"},
      {"a.wasm", "application/wasm"},
      {"README", "application/octet-stream"},
      {"", "application/octet-stream"},
      {"/", "application/octet-stream"},
      {"a.", "application/octet-stream"},
      {".html", "application/octet-stream"},
      {"/a.html/b", "application/octet-stream"},
      {"a.unheard-of", "application/octet-stream"},
      {"a.an-extension-longer-than-any", "application/octet-stream"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.path);
    EXPECT_EQ(MediaTypeOf(c.path), c.type);
  }
}

TEST(MediaType, KnowsWhatCompresses) {
  const struct {
    const char* type;
    bool compressible;
  } cases[] = {
      {"text/html; charset=utf-8", true},
      {"text/plain", true},
      {"TEXT/Plain", true},
      {"application/json", true},
      {"application/JSON ; charset=utf-8", true},
      {"application/problem+json", true},
      {"application/manifest+json", true},
      {"application/x-ndjson", true},
      {"application/javascript", true},
      {"application/xml", true},
      {"application/atom+xml", true},
      {"image/svg+xml", true},
      {"application/wasm", true},
      {"application/rtf", true},
      {"font/ttf", true},
      {"font/otf", true},
      {"image/vnd.microsoft.icon", true},
      {"image/png", false},
      {"image/jpeg", false},
      {"font/woff2", false},
      {"video/mp4", false},
      {"application/gzip", false},
      {"application/zip", false},
      {"application/pdf", false},
      {"application/octet-stream", false},
      {"application/jsonx", false},
      {"+json", false},
      {"text", false},
      {"", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.type);
    EXPECT_EQ(IsCompressible(c.type), c.compressible);
  }
}

}  // namespace
}  // namespace quipd::http
