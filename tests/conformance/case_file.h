// SPDX-License-Identifier: MIT
// The data files of the conformance tests: raw requests and what must be answered. Line by line,
// blank lines and lines that begin with '#' are skipped:
//
//   = TITLE              begins a case
//   row 3, RFC 9112 3    the rows of CONFORMANCE that it proves ("row 3 4"), and where that stands;
//                        "case C50, RFC ..." for a fault that others shipped; both may be given
//   for /a /b            the case is one for each of these paths, which "$path" stands for in it
//   > TEXT               a line of the request, sent with CRLF at its end
//   >> TEXT              the same without CRLF
//   < 200                a response: its status, alternatives as "400 or 413"; "none or 400" where
//                        the answer may be missing; "200 head" where it answers a HEAD;
//                        "100 optional" for an interim one that may come or not
//     Name: value        below a response: a field that it must have, "*" for any value, "~TEXT"
//                        for one that holds TEXT
//     !Name              a field that it must not have
//     = TEXT             its whole body; several lines are joined
//     ~ TEXT, !~ TEXT    what its body holds, what it does not
//     + bytes 0-1/9 = TEXT        the next part of a multipart body
//     body of /path               its body, decoded, is all of /path
//     bytes 0-9 of /path gzip     its body, as sent, is those bytes of /path in that coding
//   open                 the connection goes on: a request behind is answered
//   close                it ends: a request behind is not answered
//   half-close           the client ends its side behind the request, without a request behind;
//                        all answers come, then the end
//
// In TEXT: \r \n \t \0 \xHH \\ \<, and <<TEXT*N>> for N times TEXT. $etag(/path), $etag(/path gzip)
// and $modified(/path) are the validators that a plain GET of the path has, asked beforehand.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace quipd::test {

// A part of a multipart body.
struct ExpectedPart {
  std::string content_range;
  std::string body;
};

// A body that is all or some of what another request gets.
struct BodyOf {
  std::string path;
  std::string coding;    // of the bytes; empty: none
  bool decoded = false;  // all of it, whatever coding it came in; else the bytes from first to last
  size_t first = 0;
  size_t last = 0;
};

struct ExpectedResponse {
  std::vector<int> statuses;  // any of them
  bool may_be_missing = false;
  bool optional_interim = false;
  bool to_head = false;
  std::vector<std::pair<std::string, std::string>> fields;  // value "*": any; "~TEXT": holds it
  std::vector<std::string> forbidden;
  std::string body;
  bool has_body = false;  // body is to be compared
  std::vector<std::string> holds;
  std::vector<std::string> lacks;
  std::vector<ExpectedPart> parts;
  std::optional<BodyOf> body_of;
};

struct Case {
  enum class End { kUnset, kOpen, kClose, kHalfClose };

  std::string title;
  std::string file;
  int line = 0;
  std::string reference;
  std::vector<int> rows;
  std::string request;
  std::vector<ExpectedResponse> responses;
  End end = End::kUnset;
};

// All cases of a file; a fault of the file fails the test and is named with its line.
[[nodiscard]] std::vector<Case> ReadCases(const std::string& path);

}  // namespace quipd::test
