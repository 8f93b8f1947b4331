// SPDX-License-Identifier: MIT
// The one model of a path that rules, requests and files share. A path is split at '/', each
// segment is percent-decoded once, then empty and dot segments are resolved (RFC 3986 5.2.4); the
// result is the canonical path: '/' separates segments, and kDataSlash stands for a '/' that was
// sent as %2F and so is data. A decoded NUL is refused, which is why kDataSlash can't be ambiguous.
//
//   /a//b/../c -> /a/c      /a/. -> /a/      /.. -> /      /a%2Fb -> /a<kDataSlash>b
//
// Pure functions over bytes; thread-safe; no exceptions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quipd::http {

inline constexpr char kDataSlash = '\0';

enum class PathFault { kNone, kPercent, kNul };  // a '%' without two hex digits; %00

// Writes the canonical form of `raw` ("/...", without query) to `out`, which has room for
// raw.size() bytes; `length` is what was written. `raw` and `out` may not overlap.
[[nodiscard]] PathFault CanonicalPath(std::string_view raw, char* out, size_t* length);

// A canonical segment as text: kDataSlash becomes '/'.
[[nodiscard]] std::string DecodedText(std::string_view canonical);

// Appends `text` to `out`, percent-encoded but for unreserved characters (RFC 3986 2.3) and, with
// `keep_slash`, '/'. kDataSlash becomes %2F either way.
void AppendPercentEncoded(std::string_view text, bool keep_slash, std::string* out);

// Appends the percent-decoded `text` to `out`; with `plus_is_blank`, '+' becomes ' '. A '%' without
// two hex digits stays as it is. False where a NUL was decoded.
bool AppendPercentDecoded(std::string_view text, bool plus_is_blank, std::string* out);

// The host of an authority as rules compare it: lower case, without port and final dot, brackets of
// an IPv6 address kept. Writes at most authority.size() bytes to `out` and returns their number.
size_t CanonicalHost(std::string_view authority, char* out);

}  // namespace quipd::http
