// SPDX-License-Identifier: MIT
#include "app/load.h"

#include <iterator>
#include <utility>

namespace quipd::app {

LoadedSite LoadSite(const config::LoadRequest& request,
                    const std::shared_ptr<server::TicketKeys>& tickets,
                    const std::shared_ptr<const site::Site>& previous) {
  config::Loaded loaded = config::Load(request);
  LoadedSite result;
  result.diagnostics = std::move(loaded.diagnostics);
  if (!loaded.config) return result;
  result.tls = server::LoadTls(*loaded.config, tickets, &result.diagnostics);
  site::Compiled compiled = site::Compile(std::move(*loaded.config), previous);
  std::move(compiled.diagnostics.begin(), compiled.diagnostics.end(),
            std::back_inserter(result.diagnostics));
  if (!HasErrors(result.diagnostics)) result.site = std::move(compiled.site);
  return result;
}

}  // namespace quipd::app
