// SPDX-License-Identifier: MIT
#include "http/media_type.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.h"
#include "http/request_head.h"

namespace quipd::http {
namespace {

struct Known {
  std::string_view extension;
  std::string_view type;
};

// What the system's table lacks, or what it says of files of that name that are rare on the web.
constexpr auto kCorrections = std::to_array<Known>({
    {"3gp", "video/3gpp"},
    {"avif", "image/avif"},
    {"br", "application/x-brotli"},
    {"bz2", "application/x-bzip2"},
    {"cjs", "text/javascript; charset=utf-8"},
    {"conf", "text/plain; charset=utf-8"},
    {"der", "application/x-x509-ca-cert"},
    {"geojson", "application/geo+json"},
    {"ico", "image/vnd.microsoft.icon"},
    {"js", "text/javascript; charset=utf-8"},
    {"jsonl", "application/x-ndjson"},
    {"jsonld", "application/ld+json"},
    {"jxl", "image/jxl"},
    {"log", "text/plain; charset=utf-8"},
    {"m4s", "video/iso.segment"},
    {"m4v", "video/mp4"},
    {"map", "application/json"},
    {"mid", "audio/midi"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mkv", "video/matroska"},
    {"ndjson", "application/x-ndjson"},
    {"opus", "audio/ogg"},
    {"rpm", "application/x-rpm"},
    {"rss", "application/rss+xml"},
    {"sh", "application/x-sh"},
    {"tgz", "application/gzip"},
    {"toml", "application/toml"},
    {"ts", "video/mp2t"},  // a segment of a stream, not a translation
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"weba", "audio/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
});

constexpr auto kSystem = std::to_array<Known>({
#include "http/media_types.inc"
});

consteval size_t LongestOf(std::span<const Known> table) {
  size_t longest = 0;
  for (const Known& known : table) longest = std::max(longest, known.extension.size());
  return longest;
}

constexpr size_t kLongestExtension = std::max(LongestOf(kCorrections), LongestOf(kSystem));
static_assert(std::ranges::is_sorted(kCorrections, {}, &Known::extension));
static_assert(std::ranges::is_sorted(kSystem, {}, &Known::extension));

constexpr std::string_view kUnknownType = "application/octet-stream";

// The bytes behind the last dot of the last segment; a leading dot hides a file and begins none.
std::string_view ExtensionOf(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot + 1);
}

const Known* Find(std::span<const Known> table, std::string_view extension) {
  const auto found = std::ranges::lower_bound(table, extension, {}, &Known::extension);
  return found != table.end() && found->extension == extension ? &*found : nullptr;
}

// Beyond text, JSON and XML: what is text all the same, or is stored without being compressed.
constexpr std::array<std::string_view, 18> kCompressible = {
    "application/javascript",
    "application/json",
    "application/x-javascript",
    "application/ecmascript",
    "application/postscript",
    "application/rtf",
    "application/toml",
    "application/vnd.ms-fontobject",
    "application/wasm",
    "application/x-ndjson",
    "application/x-sh",
    "application/xml",
    "application/xml-dtd",
    "application/yaml",
    "font/otf",
    "font/ttf",
    "image/bmp",
    "image/vnd.microsoft.icon",
};

}  // namespace

std::string_view MediaTypeOf(std::string_view path) {
  const std::string_view extension = ExtensionOf(path);
  if (extension.empty() || extension.size() > kLongestExtension) {
    return kUnknownType;
  }
  std::array<char, kLongestExtension> lower;
  std::ranges::transform(extension, lower.begin(), [](char byte) { return Lower(byte); });
  const std::string_view key(lower.data(), extension.size());
  const Known* found = Find(kCorrections, key);
  found = found != nullptr ? found : Find(kSystem, key);
  return found != nullptr ? found->type : kUnknownType;
}

bool IsCompressible(std::string_view media_type) {
  const std::string_view type = Trimmed(media_type.substr(0, media_type.find(';')));
  const auto ends_with = [type](std::string_view end) {
    return type.size() > end.size() && EqualsIgnoreCase(type.substr(type.size() - end.size()), end);
  };
  if (EqualsIgnoreCase(type.substr(0, 5), "text/") || ends_with("+json") || ends_with("+xml")) {
    return true;
  }
  return std::ranges::any_of(
      kCompressible, [type](std::string_view known) { return EqualsIgnoreCase(type, known); });
}

}  // namespace quipd::http
