// SPDX-License-Identifier: MIT
// Check() guards what only a bug can break, in every build. It is never used on input: what a file,
// a client or the system can get wrong returns a Result.
#pragma once

namespace quipd {

[[noreturn]] void CheckFailed(const char* file, int line);

// The builtins, because clang 14 doesn't know std::source_location.
inline void Check(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!holds) [[unlikely]] {
    CheckFailed(file, line);
  }
}

}  // namespace quipd
