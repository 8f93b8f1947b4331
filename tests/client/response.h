// SPDX-License-Identifier: MIT
// A response as a strict client reads it (RFC 9112 4 to 7): written for the tests, sharing nothing
// with the daemon's own parsers, so that a misunderstanding can't hide on both sides. Pure.
//
// Refused are: another version than HTTP/1.1, bare CR or LF, a field without ": " before its value,
// two Content-Length, a length beside chunked, framing fields on 1xx and 204, a final response
// without exactly one well-formed Date; and what a status or a field asks for and lacks: Allow on
// 405, Location on redirects, one Content-Range on 206 unless it is multipart, as long as the body,
// none elsewhere but on 416; ETag and Last-Modified that are none; Content-Encoding without Vary.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quipd::test {

struct ResponseField {
  std::string name;
  std::string value;
};

struct Response {
  int status = 0;  // 0: none could be read, see fault
  std::string reason;
  std::vector<ResponseField> fields;
  std::string body;          // de-chunked
  std::string raw;           // all its bytes
  bool chunked = false;      // came in chunks
  bool until_close = false;  // its length was the end of the connection
  std::string fault;         // why it is not a response, or none came; empty: it is well-formed

  // The first field of that name, whatever its case.
  [[nodiscard]] std::optional<std::string> Find(std::string_view name) const;
  // The same, "" where there is none.
  [[nodiscard]] std::string Value(std::string_view name) const;
  [[nodiscard]] size_t Count(std::string_view name) const;
  // raw, with the value of Date blanked: what must be equal for equal requests.
  [[nodiscard]] std::string WithoutDate() const;
};

enum class ParseState { kMore, kDone, kBroken };

struct ParsedResponse {
  ParseState state = ParseState::kMore;
  size_t length = 0;  // bytes of the input that belong to it, on kDone
  Response response;  // whole on kDone; its fault is set on kBroken
};

// Reads the response at the beginning of `bytes`. `to_head`: it answers a HEAD, so no body follows.
// `at_end`: no more bytes will come.
[[nodiscard]] ParsedResponse ParseResponse(std::string_view bytes, bool to_head, bool at_end);

[[nodiscard]] bool EqualNames(std::string_view a, std::string_view b);

}  // namespace quipd::test
