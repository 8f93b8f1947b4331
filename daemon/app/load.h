// SPDX-License-Identifier: MIT
// From what the command line names to a compiled Site and the certificates of its listeners, in one
// step. Reads files and the environment, changes nothing; thread-safe. Faults come back as
// diagnostics, all of them.
#pragma once

#include <memory>

#include "base/diagnostic.h"
#include "config/loader.h"
#include "server/tls_context.h"
#include "site/site.h"

namespace quipd::app {

struct LoadedSite {
  std::shared_ptr<const site::Site> site;  // null where there is an error
  server::TlsContexts tls;                 // of the Site's listeners
  Diagnostics diagnostics;                 // errors and warnings, all of them
};

// `tickets` are kept from one load to the next, so that clients can resume their sessions. Bodies
// that `previous`, which may be null, sends too aren't coded again.
[[nodiscard]] LoadedSite LoadSite(const config::LoadRequest& request,
                                  const std::shared_ptr<server::TicketKeys>& tickets,
                                  const std::shared_ptr<const site::Site>& previous = nullptr);

}  // namespace quipd::app
