// SPDX-License-Identifier: MIT
// Listening sockets that the service manager has passed (sd_listen_fds(3)), under the names of
// their socket units. They are kept open for as long as the process lives, so that a reload may let
// go of a name and take it up again; closing them shuts nothing down, as the service manager holds
// them too. The supervisor's thread alone.
#pragma once

#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace quipd::server {

struct PassedSocket {
  std::string name;  // FileDescriptorName=
  FileDescriptor socket;
};

// What became of LISTEN_FDS: the sockets, or why there are none, for whom `listen` names one.
struct PassedSockets {
  std::vector<PassedSocket> sockets;
  std::string fault;  // such as "LISTEN_PID is 12, this process is 34"; empty: none
};

// Why quipd can't take connections there: "it is a datagram socket"; empty where it can.
[[nodiscard]] std::string WhyNotServed(int socket);

// "web, admin", each once.
[[nodiscard]] std::string NamesOf(const PassedSockets& passed);

}  // namespace quipd::server
