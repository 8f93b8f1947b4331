// SPDX-License-Identifier: MIT
#include "server/passed_sockets.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace quipd::server {
namespace {

// -1 where it can't be asked; errno says why.
int OptionOf(int socket, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

}  // namespace

std::string WhyNotServed(int socket) {
  const int type = OptionOf(socket, SO_TYPE);
  if (type < 0) return errno == ENOTSOCK ? "it is no socket" : std::strerror(errno);
  if (type == SOCK_DGRAM) return "it is a datagram socket";
  if (type != SOCK_STREAM) return "it is no stream socket";
  const int family = OptionOf(socket, SO_DOMAIN);
  if (family != AF_INET && family != AF_INET6 && family != AF_UNIX) {
    return "it is of none of the families IPv4, IPv6 and unix";
  }
  if (OptionOf(socket, SO_ACCEPTCONN) != 1) return "it doesn't listen";
  return {};
}

std::string NamesOf(const PassedSockets& passed) {
  std::vector<std::string> names;
  std::string text;
  for (const PassedSocket& one : passed.sockets) {
    if (std::ranges::find(names, one.name) != names.end()) continue;
    names.push_back(one.name);
    text += (text.empty() ? "" : ", ") + one.name;
  }
  return text;
}

}  // namespace quipd::server
