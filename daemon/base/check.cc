// SPDX-License-Identifier: MIT
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace quipd {

void CheckFailed(const std::source_location& where) {
  std::fprintf(stderr, "quipd: bug: a check failed at %s:%u in %s\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name());
  std::abort();
}

}  // namespace quipd
