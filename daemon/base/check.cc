// SPDX-License-Identifier: MIT
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace quipd {

void CheckFailed(const char* file, int line) {
  std::fprintf(stderr, "quipd: bug: a check failed at %s:%d\n", file, line);
  std::abort();
}

}  // namespace quipd
