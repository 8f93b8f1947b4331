// SPDX-License-Identifier: MIT
#include "server/response_reader.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace quipd::server {
namespace {

struct Outcome {
  bool has_head = false;
  RelayedHead head;
  std::string body;
  ResponseReader::Event last = ResponseReader::Event::kMore;
  size_t consumed = 0;
  bool close = false;
};

// Feeds `bytes` in pieces of `piece`, each copied to a buffer of its exact size.
Outcome ReadIn(std::string_view bytes, size_t piece, bool to_head) {
  Outcome outcome;
  ResponseReader reader(to_head);
  for (size_t at = 0; at <= bytes.size(); at += piece) {
    const std::string_view part = bytes.substr(at, piece);
    const auto exact = std::make_unique<char[]>(part.size());
    part.copy(exact.get(), part.size());
    std::string_view rest(exact.get(), part.size());
    do {
      const ResponseReader::Step step = reader.Read(rest);
      rest.remove_prefix(step.consumed);
      outcome.consumed += step.consumed;
      outcome.last = step.event;
      if (step.event == ResponseReader::Event::kHead) {
        outcome.has_head = true;
        outcome.head = reader.TakeHead();
      }
      if (step.event == ResponseReader::Event::kBody) outcome.body += step.body;
      if (step.event == ResponseReader::Event::kFault ||
          step.event == ResponseReader::Event::kEnd) {
        outcome.close = reader.close();
        return outcome;
      }
    } while (outcome.last != ResponseReader::Event::kMore);
  }
  return outcome;
}

void ForEachSplit(std::string_view bytes, bool to_head, void (*check)(const Outcome&)) {
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, bytes.size()}) {
    SCOPED_TRACE(piece);
    check(ReadIn(bytes, piece, to_head));
  }
}

TEST(ResponseReader, TakesFramingAndConnectionFieldsOut) {
  constexpr std::string_view kBytes =
      "HTTP/1.1 201 Created\r\nX-A: 1\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
      "content-length: 5\r\nConnection: keep-alive\r\nKeep-Alive: 5\r\nX-B:\ttwo \r\nX-E:\r\n\r\n"
      "hello";
  ForEachSplit(kBytes, false, [](const Outcome& outcome) {
    EXPECT_EQ(outcome.last, ResponseReader::Event::kEnd);
    EXPECT_EQ(outcome.head.status, 201);
    EXPECT_EQ(outcome.head.fields, "X-A: 1\r\nX-B: two\r\nX-E: \r\n");
    EXPECT_TRUE(outcome.head.has_length);
    EXPECT_EQ(outcome.head.content_length, 5u);
    EXPECT_FALSE(outcome.head.no_content);
    EXPECT_EQ(outcome.body, "hello");
    EXPECT_FALSE(outcome.close);
    EXPECT_EQ(outcome.consumed, 149u);
  });
}

TEST(ResponseReader, DecodesChunks) {
  ForEachSplit(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      "3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n",
      false, [](const Outcome& outcome) {
        EXPECT_EQ(outcome.last, ResponseReader::Event::kEnd);
        EXPECT_FALSE(outcome.head.has_length);
        EXPECT_FALSE(outcome.head.no_content);
        EXPECT_EQ(outcome.head.fields, "");
        EXPECT_EQ(outcome.body, "abc0123456789abcdef");
        EXPECT_TRUE(outcome.close);
      });
}

TEST(ResponseReader, WithoutContentEndsBehindTheHead) {
  struct Case {
    std::string_view bytes;
    bool to_head;
    bool has_length;
    uint64_t length;
  };
  constexpr Case kCases[] = {
      {"HTTP/1.1 204 No Content\r\n\r\n", false, false, 0},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", false, true, 9},
      {"HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n", true, true, 70},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true, false, 0},
      {"HTTP/1.1 200 OK\r\n\r\n", true, false, 0},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.bytes);
    const Outcome outcome = ReadIn(test.bytes, test.bytes.size(), test.to_head);
    EXPECT_EQ(outcome.last, ResponseReader::Event::kEnd);
    EXPECT_TRUE(outcome.head.no_content);
    EXPECT_EQ(outcome.head.has_length, test.has_length);
    EXPECT_EQ(outcome.head.content_length, test.length);
    EXPECT_EQ(outcome.consumed, test.bytes.size());
  }
}

TEST(ResponseReader, LeavesWhatIsBehindTheEnd) {
  const Outcome outcome =
      ReadIn("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1", 1000, false);
  EXPECT_EQ(outcome.last, ResponseReader::Event::kEnd);
  EXPECT_EQ(outcome.body, "ok");
  EXPECT_EQ(outcome.consumed, 40u);
}

TEST(ResponseReader, RefusesWhatIsMalformed) {
  constexpr std::string_view kCases[] = {
      "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 99999 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n",
      "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\n",
      "HTTP/1.1 205 Reset Content\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX : 1\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\n: 1\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: 1\r\n fold\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: a\nb\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
      "chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n",
  };
  for (const std::string_view bytes : kCases) {
    SCOPED_TRACE(bytes);
    for (const size_t piece : {size_t{1}, bytes.size()}) {
      const Outcome outcome = ReadIn(bytes, piece, false);
      EXPECT_EQ(outcome.last, ResponseReader::Event::kFault);
      EXPECT_FALSE(outcome.has_head);
    }
  }
  EXPECT_EQ(
      ReadIn(std::string("HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n", 46), 46, false)
          .last,
      ResponseReader::Event::kFault);
}

TEST(ResponseReader, RefusesBrokenChunksBehindAGoodHead) {
  for (const std::string_view chunks :
       {"x\r\n", "3\r\nabcd\r\n", "0x1\r\na\r\n0\r\n\r\n", "3\nabc\r\n"}) {
    SCOPED_TRACE(chunks);
    const std::string bytes =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(chunks);
    const Outcome outcome = ReadIn(bytes, 1, false);
    EXPECT_TRUE(outcome.has_head);
    EXPECT_EQ(outcome.last, ResponseReader::Event::kFault);
  }
}

TEST(ResponseReader, BoundsAnEndlessHead) {
  ResponseReader reader(false);
  const std::string piece(64 * 1024, 'a');
  size_t fed = 0;
  while (fed < 4 * 1024 * 1024 && reader.Read(piece).event == ResponseReader::Event::kMore) {
    fed += piece.size();
  }
  EXPECT_LE(fed, 1024u * 1024);
}

}  // namespace
}  // namespace quipd::server
