// SPDX-License-Identifier: MIT
#include "client/response.h"

#include <gtest/gtest.h>

namespace quipd::test {
namespace {

constexpr const char* kDate = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

std::string Head(const std::string& status_line, const std::string& fields) {
  return status_line + "\r\n" + kDate + fields + "\r\n";
}

TEST(ResponseParser, ReadsAllFramings) {
  const struct {
    const char* name;
    std::string bytes;
    bool to_head;
    bool at_end;
    std::string body;
  } rows[] = {
      {"length", Head("HTTP/1.1 200 OK", "Content-Length: 2\r\n") + "ab", false, false, "ab"},
      {"chunked",
       Head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked\r\n") + "2\r\nab\r\n0\r\n\r\n", false,
       false, "ab"},
      {"close", Head("HTTP/1.1 200 OK", "") + "ab", false, true, "ab"},
      {"head", Head("HTTP/1.1 200 OK", "Content-Length: 2\r\n"), true, false, ""},
      {"204", Head("HTTP/1.1 204 No Content", ""), false, false, ""},
      {"100", "HTTP/1.1 100 Continue\r\n\r\n", false, false, ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    for (size_t cut = 0; cut < row.bytes.size(); ++cut) {
      if (!row.at_end) {
        EXPECT_EQ(ParseResponse(row.bytes.substr(0, cut), row.to_head, false).state,
                  ParseState::kMore);
      }
    }
    const ParsedResponse parsed = ParseResponse(row.bytes, row.to_head, row.at_end);
    EXPECT_EQ(parsed.state, ParseState::kDone) << parsed.response.fault;
    EXPECT_EQ(parsed.length, row.bytes.size());
    EXPECT_EQ(parsed.response.body, row.body);
  }
}

TEST(ResponseParser, RefusesWhatIsNotStrict) {
  const struct {
    const char* name;
    std::string bytes;
  } rows[] = {
      {"version", Head("HTTP/1.0 200 OK", "Content-Length: 0\r\n")},
      {"no blank behind the status", Head("HTTP/1.1 200", "Content-Length: 0\r\n")},
      {"status of four digits", Head("HTTP/1.1 2000 OK", "Content-Length: 0\r\n")},
      {"no Date", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
      {"two Dates", Head("HTTP/1.1 200 OK", std::string(kDate) + "Content-Length: 0\r\n")},
      {"two lengths", Head("HTTP/1.1 200 OK", "Content-Length: 0\r\nContent-Length: 0\r\n")},
      {"length and chunked",
       Head("HTTP/1.1 200 OK", "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n")},
      {"length on 204", Head("HTTP/1.1 204 No Content", "Content-Length: 0\r\n")},
      {"length on 100", "HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n"},
      {"signed length", Head("HTTP/1.1 200 OK", "Content-Length: +0\r\n")},
      {"blank before the colon", Head("HTTP/1.1 200 OK", "Content-Length : 0\r\n")},
      {"bare LF", Head("HTTP/1.1 200 OK", "X: a\nContent-Length: 0\r\n")},
      {"no CRLF behind a chunk",
       Head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked\r\n") + "1\r\nab\r\n0\r\n\r\n"},
      {"chunk extension",
       Head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked\r\n") + "1;x\r\na\r\n0\r\n\r\n"},
      {"stray bytes", "xHTTP/1.1 200 OK\r\n"},
      {"405 without Allow", Head("HTTP/1.1 405 x", "Content-Length: 0\r\n")},
      {"redirect to nowhere", Head("HTTP/1.1 302 x", "Content-Length: 0\r\n")},
      {"ETag without quotes", Head("HTTP/1.1 200 OK", "ETag: a\r\nContent-Length: 0\r\n")},
      {"two ETags", Head("HTTP/1.1 200 OK", "ETag: \"a\"\r\nETag: \"a\"\r\nContent-Length: 0\r\n")},
      {"Last-Modified of another form",
       Head("HTTP/1.1 200 OK", "Last-Modified: Sun Nov  6 08:49:37 1994\r\nContent-Length: 0\r\n")},
      {"a coding without Vary",
       Head("HTTP/1.1 200 OK", "Content-Encoding: gzip\r\nContent-Length: 0\r\n")},
      {"a coding, Vary of another field",
       Head("HTTP/1.1 200 OK", "Content-Encoding: gzip\r\nVary: Accept\r\nContent-Length: 0\r\n")},
      {"206 without a range", Head("HTTP/1.1 206 x", "Content-Length: 1\r\n") + "a"},
      {"206 of another length",
       Head("HTTP/1.1 206 x", "Content-Range: bytes 0-1/9\r\nContent-Length: 1\r\n") + "a"},
      {"206 beyond the end",
       Head("HTTP/1.1 206 x", "Content-Range: bytes 9-9/9\r\nContent-Length: 1\r\n") + "a"},
      {"206 multipart with a range",
       Head("HTTP/1.1 206 x",
            "Content-Type: multipart/byteranges; boundary=b\r\nContent-Range: bytes 0-0/9\r\n"
            "Content-Length: 1\r\n") +
           "a"},
      {"200 with a range",
       Head("HTTP/1.1 200 OK", "Content-Range: bytes 0-0/1\r\nContent-Length: 1\r\n") + "a"},
      {"416 with a satisfied range",
       Head("HTTP/1.1 416 x", "Content-Range: bytes 0-0/1\r\nContent-Length: 1\r\n") + "a"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ParsedResponse parsed = ParseResponse(row.bytes, false, false);
    EXPECT_EQ(parsed.state, ParseState::kBroken);
    EXPECT_EQ(parsed.response.status, 0);
    EXPECT_NE(parsed.response.fault, "");
  }
}

TEST(ResponseParser, EndMidwayIsAFault) {
  const std::string bytes = Head("HTTP/1.1 200 OK", "Content-Length: 2\r\n") + "a";
  EXPECT_EQ(ParseResponse(bytes, false, true).response.fault, "the response breaks off");
  EXPECT_EQ(ParseResponse("", false, true).response.fault, "closed without a response");
}

TEST(ResponseParser, DateIsBlankedForComparison) {
  const ParsedResponse parsed =
      ParseResponse(Head("HTTP/1.1 200 OK", "Content-Length: 0\r\n"), false, false);
  EXPECT_EQ(parsed.response.WithoutDate(),
            "HTTP/1.1 200 OK\r\nDate: *\r\nContent-Length: 0\r\n\r\n");
}

}  // namespace
}  // namespace quipd::test
