// SPDX-License-Identifier: MIT
#include "client/multipart.h"

#include <gtest/gtest.h>

namespace quipd::test {
namespace {

constexpr const char* kType = "multipart/byteranges; boundary=b";

TEST(Multipart, ReadsParts) {
  const Multipart read = ParseMultipart(kType,
                                        "--b\r\nContent-Type: text/plain\r\n"
                                        "Content-Range: bytes 0-1/9\r\n\r\nab\r\n"
                                        "--b\r\nContent-Range: bytes 8-8/9\r\n\r\ni\r\n--b--\r\n");
  EXPECT_EQ(read.fault, "");
  EXPECT_EQ(read.boundary, "b");
  ASSERT_EQ(read.parts.size(), 2u);
  EXPECT_EQ(read.parts[0].body, "ab");
  EXPECT_EQ(read.parts[0].Value("content-type"), "text/plain");
  EXPECT_EQ(read.parts[1].Value("Content-Range"), "bytes 8-8/9");
}

TEST(Multipart, RefusesWhatIsNotStrict) {
  const struct {
    const char* type;
    const char* body;
  } rows[] = {
      {"text/plain", "--b--"},
      {"multipart/byteranges", "--b--"},
      {kType, "preamble\r\n--b--"},
      {kType, "--c\r\nContent-Range: bytes 0-0/9\r\n\r\na\r\n--c--"},
      {kType, "--b\r\nContent-Range: bytes 0-1/9\r\n\r\na\r\n--b--"},
      {kType, "--b\r\nContent-Range: bytes 0-0/9\r\n\r\nab\r\n--b--"},
      {kType, "--b\r\nContent-Range: bytes 1-0/9\r\n\r\na\r\n--b--"},
      {kType, "--b\r\nContent-Range: bytes 0-0/9\n\r\na\r\n--b--"},
      {kType, "--b\r\nX: y\r\n\r\na\r\n--b--"},
      {kType, "--b\r\nContent-Range: bytes 0-0/9\r\n\r\na\r\n--b"},
      {kType, "--b\r\nContent-Range: bytes 0-0/9\r\n\r\na\r\n--b--\r\nepilogue"},
  };
  for (const auto& row : rows) {
    EXPECT_NE(ParseMultipart(row.type, row.body).fault, "") << row.type << " " << row.body;
  }
}

}  // namespace
}  // namespace quipd::test
