// SPDX-License-Identifier: MIT
#include "http/media_type.h"

#include <algorithm>
#include <array>

namespace quipd::http {
namespace {

struct Known {
  std::string_view extension;
  std::string_view type;
};

constexpr std::array kKnown = {
    Known{"3gp", "video/3gpp"},
    Known{"7z", "application/x-7z-compressed"},
    Known{"aac", "audio/aac"},
    Known{"apk", "application/vnd.android.package-archive"},
    Known{"appcache", "text/cache-manifest; charset=utf-8"},
    Known{"atom", "application/atom+xml"},
    Known{"avi", "video/x-msvideo"},
    Known{"avif", "image/avif"},
    Known{"bmp", "image/bmp"},
    Known{"br", "application/x-brotli"},
    Known{"bz2", "application/x-bzip2"},
    Known{"cjs", "text/javascript; charset=utf-8"},
    Known{"conf", "text/plain; charset=utf-8"},
    Known{"crt", "application/x-x509-ca-cert"},
    Known{"css", "text/css; charset=utf-8"},
    Known{"csv", "text/csv; charset=utf-8"},
    Known{"deb", "application/vnd.debian.binary-package"},
    Known{"der", "application/x-x509-ca-cert"},
    Known{"doc", "application/msword"},
    Known{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    Known{"eot", "application/vnd.ms-fontobject"},
    Known{"epub", "application/epub+zip"},
    Known{"flac", "audio/flac"},
    Known{"geojson", "application/geo+json"},
    Known{"gif", "image/gif"},
    Known{"gz", "application/gzip"},
    Known{"heic", "image/heic"},
    Known{"htm", "text/html; charset=utf-8"},
    Known{"html", "text/html; charset=utf-8"},
    Known{"ico", "image/vnd.microsoft.icon"},
    Known{"ics", "text/calendar; charset=utf-8"},
    Known{"jar", "application/java-archive"},
    Known{"jpeg", "image/jpeg"},
    Known{"jpg", "image/jpeg"},
    Known{"js", "text/javascript; charset=utf-8"},
    Known{"json", "application/json"},
    Known{"jsonld", "application/ld+json"},
    Known{"jxl", "image/jxl"},
    Known{"log", "text/plain; charset=utf-8"},
    Known{"m3u8", "application/vnd.apple.mpegurl"},
    Known{"m4a", "audio/mp4"},
    Known{"m4v", "video/mp4"},
    Known{"map", "application/json"},
    Known{"md", "text/markdown; charset=utf-8"},
    Known{"mid", "audio/midi"},
    Known{"mjs", "text/javascript; charset=utf-8"},
    Known{"mkv", "video/matroska"},
    Known{"mov", "video/quicktime"},
    Known{"mp3", "audio/mpeg"},
    Known{"mp4", "video/mp4"},
    Known{"mpeg", "video/mpeg"},
    Known{"mpg", "video/mpeg"},
    Known{"odp", "application/vnd.oasis.opendocument.presentation"},
    Known{"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    Known{"odt", "application/vnd.oasis.opendocument.text"},
    Known{"oga", "audio/ogg"},
    Known{"ogg", "audio/ogg"},
    Known{"ogv", "video/ogg"},
    Known{"opus", "audio/ogg"},
    Known{"otf", "font/otf"},
    Known{"pdf", "application/pdf"},
    Known{"pem", "application/x-pem-file"},
    Known{"png", "image/png"},
    Known{"ppt", "application/vnd.ms-powerpoint"},
    Known{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    Known{"ps", "application/postscript"},
    Known{"rar", "application/vnd.rar"},
    Known{"rpm", "application/x-rpm"},
    Known{"rss", "application/rss+xml"},
    Known{"rtf", "application/rtf"},
    Known{"sh", "application/x-sh"},
    Known{"svg", "image/svg+xml"},
    Known{"tar", "application/x-tar"},
    Known{"tgz", "application/gzip"},
    Known{"tif", "image/tiff"},
    Known{"tiff", "image/tiff"},
    Known{"toml", "application/toml"},
    Known{"ts", "video/mp2t"},
    Known{"ttf", "font/ttf"},
    Known{"txt", "text/plain; charset=utf-8"},
    Known{"vcf", "text/vcard; charset=utf-8"},
    Known{"vtt", "text/vtt; charset=utf-8"},
    Known{"wasm", "application/wasm"},
    Known{"wav", "audio/wav"},
    Known{"weba", "audio/webm"},
    Known{"webm", "video/webm"},
    Known{"webmanifest", "application/manifest+json"},
    Known{"webp", "image/webp"},
    Known{"woff", "font/woff"},
    Known{"woff2", "font/woff2"},
    Known{"xhtml", "application/xhtml+xml"},
    Known{"xls", "application/vnd.ms-excel"},
    Known{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    Known{"xml", "application/xml"},
    Known{"xsl", "application/xslt+xml"},
    Known{"xz", "application/x-xz"},
    Known{"yaml", "application/yaml"},
    Known{"yml", "application/yaml"},
    Known{"zip", "application/zip"},
    Known{"zst", "application/zstd"},
};

static_assert(std::ranges::is_sorted(kKnown, {}, &Known::extension));

constexpr size_t kLongestExtension = 11;  // webmanifest
static_assert(std::ranges::all_of(kKnown, [](const Known& known) {
  return known.extension.size() <= kLongestExtension;
}));

constexpr std::string_view kUnknownType = "application/octet-stream";

// The bytes behind the last dot of the last segment; a leading dot hides a file and begins none.
std::string_view ExtensionOf(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot + 1);
}

}  // namespace

std::string_view MediaTypeOf(std::string_view path) {
  const std::string_view extension = ExtensionOf(path);
  if (extension.empty() || extension.size() > kLongestExtension) {
    return kUnknownType;
  }
  std::array<char, kLongestExtension> lower;
  std::ranges::transform(extension, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  });
  const std::string_view key(lower.data(), extension.size());
  const auto* found = std::ranges::lower_bound(kKnown, key, {}, &Known::extension);
  return found != kKnown.end() && found->extension == key ? found->type : kUnknownType;
}

}  // namespace quipd::http
