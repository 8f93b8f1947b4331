// SPDX-License-Identifier: MIT
// The chunked coding: the same bytes give the same body, state and end, however they are split. The
// first byte of the input picks the limit of the body, the second where the bytes are split.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/chunked.h"

namespace quipd::http {
namespace {

struct Decoded {
  ChunkedDecoder::State state = ChunkedDecoder::State::kMore;
  size_t consumed = 0;
  std::string body;

  bool operator==(const Decoded&) const = default;
};

Decoded Decode(std::string_view input, size_t piece, uint64_t limit) {
  ChunkedDecoder decoder(limit);
  Decoded decoded;
  while (decoded.state == ChunkedDecoder::State::kMore && decoded.consumed < input.size()) {
    const std::string_view part = input.substr(decoded.consumed, piece);
    const auto heap = std::make_unique<char[]>(part.size());
    std::memcpy(heap.get(), part.data(), part.size());
    const auto step = decoder.Decode({heap.get(), part.size()});
    Check(step.consumed > 0 && step.consumed <= part.size());
    Check(step.data.empty() || (step.data.data() >= heap.get() &&
                                step.data.data() + step.data.size() <= heap.get() + part.size()));
    decoded.state = step.state;
    decoded.consumed += step.consumed;
    decoded.body += step.data;
  }
  Check(decoded.body.size() == decoder.decoded_bytes() && decoded.body.size() <= limit);
  return decoded;
}

}  // namespace
}  // namespace quipd::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) {
    return 0;
  }
  const uint64_t limit = data[0] == 0xff ? UINT64_MAX : uint64_t{data[0]} * 8;
  const size_t piece = size_t{data[1]} + 1;
  const std::string text(data + 2, data + size);
  using quipd::http::Decode;
  const auto whole = Decode(text, std::max<size_t>(text.size(), 1), limit);
  quipd::Check(Decode(text, 1, limit) == whole);
  quipd::Check(Decode(text, piece, limit) == whole);
  return 0;
}
