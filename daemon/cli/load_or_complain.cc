// SPDX-License-Identifier: MIT
#include "cli/load_or_complain.h"

#include <cstdio>

#include "app/load.h"

namespace quipd::cli {

std::shared_ptr<const site::Site> LoadOrComplain(const Source& source) {
  const app::LoadedSite loaded = app::LoadSite(source.load, std::make_shared<server::TicketKeys>());
  std::fputs(ToText(loaded.diagnostics).c_str(), stderr);
  return loaded.site;
}

}  // namespace quipd::cli
