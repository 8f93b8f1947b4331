// SPDX-License-Identifier: MIT
// Names of files, which clients choose, as they may stand in a line of the log. Pure.
#pragma once

#include <string>
#include <string_view>

namespace quipd::server {

// In quotes; controls, quotes, backslashes and what isn't UTF-8 as \xNN; cut to its first 200
// bytes.
[[nodiscard]] std::string QuotedForLog(std::string_view text);

}  // namespace quipd::server
