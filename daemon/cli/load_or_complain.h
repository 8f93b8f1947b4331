// SPDX-License-Identifier: MIT
// For the commands that look at a configuration without serving it. Main thread only: writes to
// stderr.
#pragma once

#include <cstdint>
#include <memory>

#include "cli/commands.h"
#include "site/site.h"

namespace quipd::cli {

// Whether the certificates of listeners are read too. Their keys are often root's alone, and who
// asks for rules needs none.
enum class Certificates : uint8_t { kChecked, kLeftOut };

// The compiled Site; all diagnostics are on stderr. Null where one of them is an error.
[[nodiscard]] std::shared_ptr<const site::Site> LoadOrComplain(const Source& source,
                                                               Certificates certificates);

}  // namespace quipd::cli
