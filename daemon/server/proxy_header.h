// SPDX-License-Identifier: MIT
// The header of the PROXY protocol, versions 1 and 2, that a load balancer sends before a client's
// bytes: whose they are (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt). Pure; never
// reads beyond what it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "server/peer.h"

namespace quipd::server {

struct ProxyHeader {
  enum class State : uint8_t {
    kMore,       // all bytes belong to a header that isn't whole yet
    kKnown,      // what it says is known; it is `length` bytes long, some of which may not be here
    kMalformed,  // it is none
  };
  State state = State::kMalformed;
  size_t length = 0;
  // None where the connection is the balancer's own (LOCAL), or of an unknown kind: the socket's
  // address holds.
  std::optional<Peer> client;
};

// As many bytes are at most needed until what a header says is known.
inline constexpr size_t kProxyHeaderStart = 232;

[[nodiscard]] ProxyHeader ParseProxyHeader(std::string_view bytes);

}  // namespace quipd::server
