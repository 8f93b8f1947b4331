// SPDX-License-Identifier: MIT
// The parts of a multipart/byteranges body (RFC 9110 14.6, RFC 2046 5.1.1) as a strict client reads
// them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/response.h"

namespace quipd::test {

struct Part {
  std::vector<ResponseField> fields;
  std::string body;

  // The first field of that name, "" where there is none.
  [[nodiscard]] std::string Value(std::string_view name) const;
};

struct Multipart {
  std::vector<Part> parts;
  std::string boundary;
  std::string fault;  // empty: it is well-formed
};

// Refused are: text before the first boundary or behind the last, bare CR or LF in the lines of a
// part's head, a part whose length is not what its Content-Range says.
[[nodiscard]] Multipart ParseMultipart(std::string_view content_type, std::string_view body);

// "bytes 0-4/10": the size that it says, checked; 0 where it is malformed.
[[nodiscard]] size_t SizeOfContentRange(std::string_view value);

}  // namespace quipd::test
