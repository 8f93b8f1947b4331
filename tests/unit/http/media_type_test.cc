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

}  // namespace
}  // namespace quipd::http
