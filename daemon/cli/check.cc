// SPDX-License-Identifier: MIT
#include <cstdio>

#include "cli/commands.h"
#include "cli/load_or_complain.h"

namespace quipd::cli {

int Check(const Source& source) {
  const std::shared_ptr<const site::Site> site = LoadOrComplain(source, Certificates::kChecked);
  if (site == nullptr) return 1;
  const config::Config& config = site->config();
  std::printf("%s: ok, %zu route%s, profile %s\n", source.name.c_str(), config.rules.size(),
              config.rules.size() == 1 ? "" : "s", config.profile.c_str());
  return 0;
}

}  // namespace quipd::cli
