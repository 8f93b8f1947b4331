// SPDX-License-Identifier: MIT
// Check() guards what only a bug can break, in every build. It is never used on input: what a file,
// a client or the system can get wrong returns a Result.
#pragma once

#include <source_location>

namespace quipd {

[[noreturn]] void CheckFailed(const std::source_location& where);

inline void Check(bool holds, const std::source_location& where = std::source_location::current()) {
  if (!holds) [[unlikely]] {
    CheckFailed(where);
  }
}

}  // namespace quipd
