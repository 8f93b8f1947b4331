// SPDX-License-Identifier: MIT
// For the commands that look at a configuration without serving it. Main thread only: writes to
// stderr.
#pragma once

#include <memory>

#include "cli/commands.h"
#include "site/site.h"

namespace quipd::cli {

// The compiled Site; all diagnostics are on stderr. Null where one of them is an error.
[[nodiscard]] std::shared_ptr<const site::Site> LoadOrComplain(const Source& source);

}  // namespace quipd::cli
