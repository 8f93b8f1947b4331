// SPDX-License-Identifier: MIT
#include "server/body_reader.h"

#include <gtest/gtest.h>

namespace quipd::server {
namespace {

using State = BodyReader::State;

http::RequestHead Sized(uint64_t length) {
  http::RequestHead head;
  head.has_content_length = true;
  head.content_length = length;
  return head;
}

http::RequestHead Chunked() {
  http::RequestHead head;
  head.chunked = true;
  return head;
}

struct Case {
  const char* what;
  http::RequestHead head;
  std::string_view input;
  State state;
  std::string_view content;
  size_t taken;
};

TEST(BodyReader, FramesByLengthAndByChunks) {
  const Case cases[] = {
      {"sized, whole", Sized(3), "abcGET", State::kDone, "abc", 3},
      {"sized, a part", Sized(5), "abc", State::kMore, "abc", 3},
      {"sized, above the limit", Sized(17), "abc", State::kTooLarge, "", 0},
      {"chunked, whole", Chunked(), "3\r\nabc\r\n0\r\n\r\nGET", State::kDone, "abc", 13},
      {"chunked, a part", Chunked(), "3\r\nab", State::kMore, "ab", 5},
      {"chunked, broken", Chunked(), "3\r\nabcX", State::kInvalid, "abc", 6},
      {"chunked, above the limit", Chunked(), "11\r\n", State::kTooLarge, "", 0},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    BodyReader reader(one.head, 16);
    std::string content;
    size_t taken = 0;
    EXPECT_EQ(reader.Read(one.input, &content, &taken), one.state);
    EXPECT_EQ(content, one.content);
    if (one.state == State::kDone || one.state == State::kMore) {
      EXPECT_EQ(taken, one.taken);
      EXPECT_EQ(reader.received(), one.taken);
    }
  }
}

TEST(BodyReader, TheSameHoweverTheBytesAreSplit) {
  const std::string_view input = "4;x=y\r\nabcd\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n";
  BodyReader reader(Chunked(), 16);
  std::string content;
  for (size_t i = 0; i < input.size(); ++i) {
    size_t taken = 0;
    const State state = reader.Read(input.substr(i, 1), &content, &taken);
    ASSERT_EQ(taken, 1u) << i;
    ASSERT_EQ(state, i + 1 == input.size() ? State::kDone : State::kMore) << i;
  }
  EXPECT_EQ(content, "abcd0123456789");
}

TEST(BodyReader, DropsWhatNobodyWants) {
  BodyReader reader(Sized(3), 16);
  size_t taken = 0;
  EXPECT_EQ(reader.Read("abc", nullptr, &taken), State::kDone);
  EXPECT_EQ(taken, 3u);
}

}  // namespace
}  // namespace quipd::server
