// SPDX-License-Identifier: MIT
#include "client/content_coding.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <zlib.h>

#include <array>

#include "base/handle.h"

namespace quipd::test {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, in gzip's wrapping

using BrotliDecoder = Handle<BrotliDecoderState, BrotliDecoderDestroyInstance>;

// zlib and brotli read bytes of this type.
const uint8_t* Bytes(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

std::optional<std::string> DecodeGzip(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
    return std::nullopt;
  }
  stream.next_in = const_cast<Bytef*>(Bytes(bytes));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 65536> part{};
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::string> DecodeBrotli(std::string_view bytes) {
  const BrotliDecoder decoder(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
  const uint8_t* in = Bytes(bytes);
  size_t in_left = bytes.size();
  std::string text;
  std::array<uint8_t, 65536> part{};
  BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
  while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
    uint8_t* out = part.data();
    size_t out_left = part.size();
    result = BrotliDecoderDecompressStream(decoder.get(), &in_left, &in, &out_left, &out, nullptr);
    text.append(reinterpret_cast<const char*>(part.data()), part.size() - out_left);
  }
  const bool whole = result == BROTLI_DECODER_RESULT_SUCCESS && in_left == 0;
  return whole ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

std::string EncodeGzip(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY);
  std::string coded(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = const_cast<Bytef*>(Bytes(bytes));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(coded.data());
  stream.avail_out = static_cast<uInt>(coded.size());
  deflate(&stream, Z_FINISH);
  coded.resize(stream.total_out);
  deflateEnd(&stream);
  return coded;
}

std::string EncodeBrotli(std::string_view bytes) {
  size_t size = BrotliEncoderMaxCompressedSize(bytes.size());
  std::string coded(size, '\0');
  constexpr int kQuality = 5;
  BrotliEncoderCompress(kQuality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, bytes.size(),
                        Bytes(bytes), &size, reinterpret_cast<uint8_t*>(coded.data()));
  coded.resize(size);
  return coded;
}

std::optional<std::string> Decode(std::string_view coding, std::string_view bytes) {
  if (coding == "gzip") {
    return DecodeGzip(bytes);
  }
  if (coding == "br") {
    return DecodeBrotli(bytes);
  }
  return std::nullopt;
}

}  // namespace quipd::test
