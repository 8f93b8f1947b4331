// SPDX-License-Identifier: MIT
#include "site/variants.h"

#include <brotli/encode.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>

#include "base/utf8.h"

namespace quipd::site {
namespace {

constexpr size_t kCodedBest = 64 * 1024;  // bytes; above, brotli's best takes too long
constexpr int kQualityAbove = 5;

}  // namespace

CodedBodies::Key CodedBodies::KeyOf(std::string_view body) {
  const XXH128_hash_t hash = XXH3_128bits(body.data(), body.size());
  return {hash.low64, hash.high64, body.size()};
}

const CodedBody* CodedBodies::Find(std::string_view body) const {
  if (bodies_.empty()) return nullptr;
  const auto found = bodies_.find(KeyOf(body));
  return found == bodies_.end() ? nullptr : &found->second;
}

void CodedBodies::Add(std::string_view body, const CodedBody& coded) {
  bodies_.insert_or_assign(KeyOf(body), coded);
}

std::string Gzipped(std::string_view body) {
  constexpr int kGzip = 16;  // added to the window's bits: a gzip frame
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, MAX_MEM_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return {};
  }
  std::string out(body.size(), '\0');  // what doesn't fit isn't smaller
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));  // NOLINT: only read
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(whole && stream.total_out < body.size() ? stream.total_out : 0);
  deflateEnd(&stream);
  out.shrink_to_fit();
  return out;
}

std::string BrotliCoded(std::string_view body) {
  const int quality = body.size() <= kCodedBest ? BROTLI_MAX_QUALITY : kQualityAbove;
  size_t size = std::max<size_t>(BrotliEncoderMaxCompressedSize(body.size()), 1);
  std::string out(size, '\0');
  const bool whole = BrotliEncoderCompress(
      quality, BROTLI_DEFAULT_WINDOW, IsUtf8(body) ? BROTLI_MODE_TEXT : BROTLI_MODE_GENERIC,
      body.size(), reinterpret_cast<const uint8_t*>(body.data()), &size,
      reinterpret_cast<uint8_t*>(out.data()));
  out.resize(whole == BROTLI_TRUE && size < body.size() ? size : 0);
  out.shrink_to_fit();
  return out;
}

}  // namespace quipd::site
