// SPDX-License-Identifier: MIT
#include "app/version.h"

#include <cstdio>

#include "app/libraries.h"
#include "cli/commands.h"

namespace quipd::cli {

int Version() {
  std::printf("quipd %s\n", std::string(app::kVersion).c_str());
  for (const app::Library& library : app::Libraries()) {
    std::printf("  %s %s\n", library.name.c_str(), library.version.c_str());
  }
  return 0;
}

}  // namespace quipd::cli
