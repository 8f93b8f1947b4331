// SPDX-License-Identifier: MIT
#include "server/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

namespace quipd::server {

Peer::Peer(const sockaddr* address) : family_(address->sa_family) {
  if (family_ == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    std::memcpy(bytes_.data(), &in.sin_addr, sizeof in.sin_addr);
  } else if (family_ == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, address, sizeof in);
    if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
      family_ = AF_INET;
      std::memcpy(bytes_.data(), &in.sin6_addr.s6_addr[12], 4);
    } else {
      std::memcpy(bytes_.data(), &in.sin6_addr, sizeof in.sin6_addr);
    }
  }
}

std::string Peer::Text() const {
  char text[INET6_ADDRSTRLEN];
  if (family_ != AF_INET && family_ != AF_INET6) return "unix";
  return inet_ntop(family_, bytes_.data(), text, sizeof text) != nullptr ? text : "";
}

}  // namespace quipd::server
