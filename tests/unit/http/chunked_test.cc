// SPDX-License-Identifier: MIT
#include "http/chunked.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace quipd::http {
namespace {

using std::string_view_literals::operator""sv;
using State = ChunkedDecoder::State;

struct Decoded {
  State state = State::kMore;
  size_t consumed = 0;
  std::string body;

  bool operator==(const Decoded&) const = default;
};

// Feeds `input` in pieces of `piece` bytes, each in memory of its own and of its exact size.
Decoded Decode(std::string_view input, size_t piece, uint64_t limit = 1000) {
  ChunkedDecoder decoder(limit);
  Decoded decoded;
  while (decoded.state == State::kMore && decoded.consumed < input.size()) {
    const std::string_view part = input.substr(decoded.consumed, piece);
    const auto heap = std::make_unique<char[]>(part.size());
    std::memcpy(heap.get(), part.data(), part.size());
    const ChunkedDecoder::Step step = decoder.Decode({heap.get(), part.size()});
    decoded.state = step.state;
    decoded.consumed += step.consumed;
    decoded.body += step.data;
    EXPECT_TRUE(step.consumed > 0 || step.state != State::kMore);
  }
  EXPECT_EQ(decoder.decoded_bytes(), decoded.body.size());
  return decoded;
}

// The same in one piece, in pieces of 1 to 7 bytes, and cut in two at every byte.
Decoded DecodeEveryWay(std::string_view input, uint64_t limit = 1000) {
  const Decoded whole = Decode(input, std::max<size_t>(input.size(), 1), limit);
  for (size_t piece = 1; piece <= std::min<size_t>(7, input.size()); ++piece) {
    EXPECT_EQ(Decode(input, piece, limit), whole) << "in pieces of " << piece;
  }
  for (size_t piece = 8; piece < std::min<size_t>(60, input.size()); ++piece) {
    EXPECT_EQ(Decode(input, piece, limit), whole) << "in pieces of " << piece;
  }
  return whole;
}

TEST(Chunked, DecodesWhole) {
  const struct {
    std::string_view input;
    std::string_view body;
    size_t behind = 0;  // bytes of the next request
  } cases[] = {
      {"0\r\n\r\n", ""},
      {"5\r\nhello\r\n0\r\n\r\n", "hello"},
      {"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"},
      {"a\r\n0123456789\r\n0\r\n\r\n", "0123456789"},
      {"A\r\n0123456789\r\n000\r\n\r\n", "0123456789"},
      {"0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"},
      {"5;a=b\r\nhello\r\n0;z\r\n\r\n", "hello"},
      {"5 ;a=b\r\nhello\r\n0\r\n\r\n", "hello"},
      {"5\t; a = \"x;\xC3\"\r\nhello\r\n0\r\n\r\n", "hello"},
      {"5\r\n\r\n\r\n0\r\n0\r\n\r\n", "\r\n\r\n0"},
      {"3\r\na\0b\r\n0\r\n\r\n"sv, "a\0b"sv},
      {"0\r\nA: b\r\n\r\n", ""},
      {"0\r\nA:\r\nB: \t x\xC3\r\n\r\n", ""},
      {"0\r\nContent-Length: 5\r\n\r\n", ""},
      {"1\r\nx\r\n0\r\n\r\nGET / HTTP/1.1\r\n", "x", 16},
      {"0\r\n\r\n\r\n", "", 2},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.input);
    const Decoded decoded = DecodeEveryWay(c.input);
    EXPECT_EQ(decoded.state, State::kDone);
    EXPECT_EQ(decoded.body, c.body);
    EXPECT_EQ(decoded.consumed, c.input.size() - c.behind);
  }
}

TEST(Chunked, RefusesBrokenFraming) {
  for (const std::string_view input : {"\r\n"sv,
                                       "g\r\n"sv,
                                       "0x5\r\nhello"sv,
                                       "+5\r\nhello"sv,
                                       "-0\r\n\r\n"sv,
                                       " 5\r\nhello"sv,
                                       "3_0\r\n"sv,
                                       "5 junk\r\n"sv,
                                       "5 \r\nhello"sv,
                                       "5\t\r\nhello"sv,
                                       "5,5\r\n"sv,
                                       "5.0\r\n"sv,
                                       "00000000000000005\r\nhello"sv,
                                       ";a=b\r\n"sv,
                                       "5;\r\nhello"sv,
                                       "5;=b\r\nhello"sv,
                                       "5\nhello"sv,
                                       "5\rhello"sv,
                                       "5\r\rhello"sv,
                                       "5;a\nhello"sv,
                                       "5;a\r5\r\n"sv,
                                       "5;a\0b\r\nhello"sv,
                                       "5;a\x01\r\nhello"sv,
                                       "5;a\x7f\r\nhello"sv,
                                       "5\0\r\nhello"sv,
                                       "5\r\nhelloX\r\n"sv,
                                       "5\r\nhello\n0\r\n\r\n"sv,
                                       "5\r\nhello\r0\r\n\r\n"sv,
                                       "5\r\nhello0\r\n\r\n"sv,
                                       "5\r\nhello\r\n\r\n0\r\n\r\n"sv,
                                       "0\r\n\n"sv,
                                       "0\n\r\n"sv,
                                       "0\r\n\rX"sv,
                                       "0\r\n x: y\r\n\r\n"sv,
                                       "0\r\n: y\r\n\r\n"sv,
                                       "0\r\nx y: z\r\n\r\n"sv,
                                       "0\r\nx : z\r\n\r\n"sv,
                                       "0\r\nx\r\n\r\n"sv,
                                       "0\r\nx: y\n\r\n"sv,
                                       "0\r\nx: y\rz\r\n\r\n"sv,
                                       "0\r\nx: \0\r\n\r\n"sv,
                                       "0\r\nx: y\r\n z\r\n\r\n"sv,
                                       "0\r\nx\0: y\r\n\r\n"sv}) {
    SCOPED_TRACE(input);
    EXPECT_EQ(DecodeEveryWay(input).state, State::kInvalid);
  }
}

TEST(Chunked, WaitsForTheEnd) {
  const std::string_view whole = "5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n";
  for (size_t length = 0; length < whole.size(); ++length) {
    SCOPED_TRACE(length);
    const Decoded decoded = DecodeEveryWay(whole.substr(0, length));
    EXPECT_EQ(decoded.state, State::kMore);
    EXPECT_EQ(decoded.consumed, length);
  }
}

TEST(Chunked, HoldsTheBodyUnderItsLimit) {
  EXPECT_EQ(DecodeEveryWay("5\r\nhello\r\n0\r\n\r\n", 5).state, State::kDone);
  EXPECT_EQ(DecodeEveryWay("0\r\n\r\n", 0).state, State::kDone);
  const Decoded late = DecodeEveryWay("3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", 5);
  EXPECT_EQ(late.state, State::kTooLarge);
  EXPECT_EQ(late.body, "abc");
  for (const std::string_view input :
       {"6\r\nhello!\r\n0\r\n\r\n", "ffffffffffffffff\r\n", "5\r\nhello\r\nfffffffffffffffe\r\n"}) {
    SCOPED_TRACE(input);
    EXPECT_EQ(DecodeEveryWay(input, 5).state, State::kTooLarge);
  }
  const uint64_t no_limit = UINT64_MAX;
  EXPECT_EQ(DecodeEveryWay("5\r\nhello\r\nffffffffffffffff\r\n", no_limit).state, State::kTooLarge);
  EXPECT_EQ(DecodeEveryWay("ffffffffffffffff\r\nx", no_limit).state, State::kMore);
}

TEST(Chunked, BoundsLinesAndTrailers) {
  const auto size_line = [](size_t bytes) {
    return "5;" + std::string(bytes - 4, 'x') + "\r\nhello\r\n0\r\n\r\n";
  };
  EXPECT_EQ(DecodeEveryWay(size_line(256)).state, State::kDone);
  EXPECT_EQ(DecodeEveryWay(size_line(257)).state, State::kInvalid);
  EXPECT_EQ(Decode("5;" + std::string(100'000, 'x'), 1000).consumed, 257U);

  const auto trailers = [](size_t lines) {
    std::string input = "0\r\n";
    for (size_t i = 0; i < lines; ++i) {
      input += "a:\r\n";
    }
    return input + "\r\n";
  };
  EXPECT_EQ(DecodeEveryWay(trailers(100)).state, State::kDone);
  EXPECT_EQ(DecodeEveryWay(trailers(101)).state, State::kInvalid);

  const auto trailer = [](size_t bytes) {
    return "0\r\na:" + std::string(bytes - 6, 'x') + "\r\n\r\n";
  };
  EXPECT_EQ(DecodeEveryWay(trailer(8192)).state, State::kDone);
  EXPECT_EQ(DecodeEveryWay(trailer(8193)).state, State::kInvalid);
}

TEST(Chunked, StaysAtItsEnd) {
  ChunkedDecoder done(10);
  EXPECT_EQ(done.Decode("0\r\n\r\n").state, State::kDone);
  EXPECT_EQ(done.Decode("5\r\nhello").state, State::kDone);
  EXPECT_EQ(done.Decode("5\r\nhello").consumed, 0U);
  ChunkedDecoder broken(10);
  EXPECT_EQ(broken.Decode("x").state, State::kInvalid);
  EXPECT_EQ(broken.Decode("0\r\n\r\n").state, State::kInvalid);
}

}  // namespace
}  // namespace quipd::http
