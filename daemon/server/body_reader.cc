// SPDX-License-Identifier: MIT
#include "server/body_reader.h"

#include <algorithm>

namespace quipd::server {

BodyReader::State BodyReader::Read(std::string_view input, std::string* content, size_t* taken) {
  if (too_large_) {
    *taken = 0;
    return State::kTooLarge;
  }
  const State state =
      chunked_ ? ReadChunked(input, content, taken) : ReadSized(input, content, taken);
  received_ += *taken;
  return state;
}

BodyReader::State BodyReader::ReadSized(std::string_view input, std::string* content,
                                        size_t* taken) {
  *taken = static_cast<size_t>(std::min<uint64_t>(left_, input.size()));
  left_ -= *taken;
  if (content != nullptr) content->append(input.substr(0, *taken));
  return left_ == 0 ? State::kDone : State::kMore;
}

BodyReader::State BodyReader::ReadChunked(std::string_view input, std::string* content,
                                          size_t* taken) {
  using Decoder = http::ChunkedDecoder;
  *taken = 0;
  while (*taken < input.size()) {
    const Decoder::Step step = decoder_.Decode(input.substr(*taken));
    *taken += step.consumed;
    if (content != nullptr) content->append(step.data);
    if (step.state == Decoder::State::kDone) return State::kDone;
    if (step.state == Decoder::State::kInvalid) return State::kInvalid;
    if (step.state == Decoder::State::kTooLarge) return State::kTooLarge;
  }
  return State::kMore;
}

}  // namespace quipd::server
