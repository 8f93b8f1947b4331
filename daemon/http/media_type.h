// SPDX-License-Identifier: MIT
// Media types by file extension. Thread-safe.
#pragma once

#include <string_view>

namespace quipd::http {

// The type for the last extension of `path`, whatever its case; text/* comes with ";
// charset=utf-8", the unknown is application/octet-stream.
[[nodiscard]] std::string_view MediaTypeOf(std::string_view path);

// Whether bodies of that type are worth a content coding: text, JSON, XML, JavaScript, SVG and the
// like; parameters don't count.
[[nodiscard]] bool IsCompressible(std::string_view media_type);

}  // namespace quipd::http
