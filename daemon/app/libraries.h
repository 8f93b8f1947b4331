// SPDX-License-Identifier: MIT
// The versions of what quipd runs on: as loaded where the library tells, else as built against.
// Thread-safe.
#pragma once

#include <string>
#include <vector>

namespace quipd::app {

struct Library {
  std::string name;
  std::string version;
};

[[nodiscard]] std::vector<Library> Libraries();

}  // namespace quipd::app
