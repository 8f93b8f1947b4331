// SPDX-License-Identifier: MIT
// What may stand in a configuration file at all, before anything is read into it: UTF-8 without
// control characters but tab and line ends. Pure.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "config/source.h"

namespace quipd::config {

// The first byte that has no place in a configuration file, named; none where all are well.
[[nodiscard]] std::optional<Diagnostic> FindBadByte(const Source& source);

}  // namespace quipd::config
