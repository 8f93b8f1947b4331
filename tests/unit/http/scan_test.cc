// SPDX-License-Identifier: MIT
#include "http/scan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace quipd::http::scan {
namespace {

TEST(Classes, HoldWhatTheGrammarSays) {
  const std::string token = "!#$%&'*+-.^_`|~0123456789";
  for (int byte = 0; byte < 256; ++byte) {
    SCOPED_TRACE(byte);
    const char c = static_cast<char>(byte);
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool digit = byte >= '0' && byte <= '9';
    const bool hex = digit || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
    EXPECT_EQ(Is(c, kToken), letter || (byte != 0 && token.find(c) != std::string::npos));
    EXPECT_EQ(Is(c, kValue), byte == 9 || (byte >= 0x20 && byte != 0x7f));
    EXPECT_EQ(Is(c, kTarget), byte > 0x20 && byte < 0x7f && c != '#' && c != '%');
    EXPECT_EQ(Is(c, kDigit), digit);
    EXPECT_EQ(Is(c, kHex), hex);
    EXPECT_EQ(Is(c, kPlainHost), letter || digit || c == '-' || c == '.');
  }
}

#if defined(__SSE2__)

// Every byte at every place of runs of every length, so that the blocks, the tail and the border
// between them meet each byte.
TEST(Scanners, OfSse2AndTablesAgree) {
  for (const char filler : {'a', '/', '5', '\t'}) {
    for (size_t length = 0; length <= 35; ++length) {
      // 16 readable bytes in front, none behind.
      const auto heap = std::make_unique<char[]>(16 + length);
      std::memset(heap.get(), '/', 16);
      char* const begin = heap.get() + 16;
      const char* const end = begin + length;
      std::memset(begin, filler, length);
      for (size_t place = 0; place < length; ++place) {
        for (int byte = 0; byte < 256; ++byte) {
          begin[place] = static_cast<char>(byte);
          bool dotted_sse2 = false;
          bool dotted_tables = false;
          ASSERT_EQ(Sse2::NameEnd(begin, end), Tables::NameEnd(begin, end)) << byte;
          ASSERT_EQ(Sse2::ControlIn(begin, end), Tables::ControlIn(begin, end)) << byte;
          ASSERT_EQ(Sse2::PlainHostEnd(begin, end), Tables::PlainHostEnd(begin, end)) << byte;
          ASSERT_EQ(Sse2::QueryEnd(begin, end), Tables::QueryEnd(begin, end)) << byte;
          ASSERT_EQ(Sse2::PathEnd(begin, end, &dotted_sse2),
                    Tables::PathEnd(begin, end, &dotted_tables))
              << byte;
          ASSERT_EQ(dotted_sse2, dotted_tables) << byte << " at " << place << " of " << length;
        }
        begin[place] = filler;
      }
    }
  }
}

// "//" and "/." at every place, across the borders of blocks as well.
TEST(Scanners, SeeDotsAndSlashesEverywhere) {
  for (size_t length = 2; length <= 50; ++length) {
    const auto heap = std::make_unique<char[]>(16 + length);
    std::memset(heap.get(), '/', 16);
    char* const begin = heap.get() + 16;
    for (size_t place = 0; place + 1 < length; ++place) {
      for (const char second : {'/', '.', 'b'}) {
        std::memset(begin, 'a', length);
        begin[place] = '/';
        begin[place + 1] = second;
        bool dotted = false;
        EXPECT_EQ(Sse2::PathEnd(begin, begin + length, &dotted), begin + length);
        EXPECT_EQ(dotted, second != 'b') << place << " of " << length;
      }
    }
  }
}

// A ';' at every place within and around values of every length.
TEST(Scanners, SeeSemicolonsWithinAlone) {
  for (const size_t behind : std::initializer_list<size_t>{0, 1, 16, 31, 32, 40}) {
    for (size_t length = 0; length <= 70; ++length) {
      const size_t size = 16 + length + behind;
      const auto heap = std::make_unique<char[]>(size);
      std::memset(heap.get(), 'a', size);
      const char* const begin = heap.get() + 16;
      const char* const end = begin + length;
      const char* const input_end = heap.get() + size;
      for (size_t place = 0; place < size; ++place) {
        heap[place] = ';';
        const bool within = place >= 16 && place < 16 + length;
        ASSERT_EQ(Tables::HasSemicolon(begin, end, input_end), within);
        ASSERT_EQ(Sse2::HasSemicolon(begin, end, input_end), within) << place << " of " << length;
#if defined(QUIPD_SCAN_AVX2)
        if (HasAvx2()) {
          ASSERT_EQ(Avx2::HasSemicolon(begin, end, input_end), within) << place << " of " << length;
        }
#endif
        heap[place] = 'a';
      }
    }
  }
}

#if defined(QUIPD_SCAN_AVX2)

bool operator==(const Line& a, const Line& b) {
  return a.name_end == b.name_end && a.value_end == b.value_end;
}

// Lines of all lengths around the blocks, with every byte at every place.
TEST(Scanners, OfAvx2AndTablesReadTheSameLines) {
  if (!HasAvx2()) return;  // nothing on this machine uses it
  for (const size_t colon : std::initializer_list<size_t>{0, 1, 14, 30, 31, 32, 33, 63}) {
    for (size_t length = colon; length <= 70; ++length) {
      const auto heap = std::make_unique<char[]>(16 + length);
      std::memset(heap.get(), '/', 16);
      char* const begin = heap.get() + 16;
      const char* const end = begin + length;
      std::memset(begin, 'a', length);
      if (colon < length) begin[colon] = ':';
      for (size_t place = 0; place < length; ++place) {
        const char kept = begin[place];
        for (int byte = 0; byte < 256; ++byte) {
          begin[place] = static_cast<char>(byte);
          ASSERT_TRUE(Avx2::ReadLine(begin, end) == Tables::ReadLine(begin, end))
              << byte << " at " << place << " of " << length;
        }
        begin[place] = kept;
      }
    }
  }
}

#endif

#endif

}  // namespace
}  // namespace quipd::http::scan
