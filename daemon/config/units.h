// SPDX-License-Identifier: MIT
// Numbers, durations and sizes as the language writes them: whole numbers, a unit without a blank,
// never a bare number where a unit is due. Pure; thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "config/problem.h"

namespace quipd::config {

// A whole number in [min, max], decimal digits alone.
[[nodiscard]] Parsed<uint64_t> ParseNumber(std::string_view text, uint64_t min, uint64_t max);

// A whole number with ms, s, m, h or d.
[[nodiscard]] Parsed<std::chrono::milliseconds> ParseDuration(std::string_view text);

// A whole number with B, kB, MB, GB, KiB, MiB or GiB, in bytes.
[[nodiscard]] Parsed<uint64_t> ParseSize(std::string_view text);

// A file mode: octal digits, up to 0777; "0o660" is as "0660".
[[nodiscard]] Parsed<uint32_t> ParseMode(std::string_view text);

// `on`, `off`, `true`, `false`.
[[nodiscard]] Parsed<bool> ParseSwitch(std::string_view text);

}  // namespace quipd::config
