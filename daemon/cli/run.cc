// SPDX-License-Identifier: MIT
#include "app/supervisor.h"
#include "cli/commands.h"

namespace quipd::cli {

int Run(const Source& source) { return app::Run({source.load, source.name}); }

}  // namespace quipd::cli
