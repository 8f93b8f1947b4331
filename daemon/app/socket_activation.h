// SPDX-License-Identifier: MIT
// The sockets that the service manager passes to this process (sd_listen_fds(3)). Called once,
// before anything else opens a descriptor.
#pragma once

#include "server/passed_sockets.h"

namespace quipd::app {

// Takes them, and clears the variables that speak of them. They are looked at by who uses them.
[[nodiscard]] server::PassedSockets TakePassedSockets();

}  // namespace quipd::app
