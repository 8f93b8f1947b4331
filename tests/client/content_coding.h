// SPDX-License-Identifier: MIT
// gzip and brotli for the tests: to make siblings of files, and to read what was sent coded. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quipd::test {

[[nodiscard]] std::string EncodeGzip(std::string_view bytes);
[[nodiscard]] std::string EncodeBrotli(std::string_view bytes);

// What a body with that Content-Encoding stands for; none where it is unknown, or the body is not
// exactly one whole stream of it.
[[nodiscard]] std::optional<std::string> Decode(std::string_view coding, std::string_view bytes);

}  // namespace quipd::test
