// SPDX-License-Identifier: MIT
// Takes the header of the PROXY protocol off a connection's socket, and not a byte behind it: those
// are TLS's or the Gate's. What has come of a header that isn't whole yet is taken, so that the
// socket is readable only when there is more. One thread; doesn't own the socket.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "server/peer.h"
#include "server/proxy_header.h"

namespace quipd::server {

class ProxyIntake {
 public:
  enum class State : uint8_t {
    kWaiting,  // for the socket
    kDone,     // the header is taken
    kEnded,    // the connection has ended before its first byte
    kFailed,   // there is no header, or a part of one
  };

  [[nodiscard]] State Read(int socket);

  // Once done: ProxyHeader::client.
  [[nodiscard]] const std::optional<Peer>& client() const { return client_; }

 private:
  [[nodiscard]] State ReadStart(int socket);
  [[nodiscard]] State SkipRest(int socket);

  std::array<char, kProxyHeaderStart> start_;  // what was taken of it while it is not known
  size_t taken_ = 0;
  bool known_ = false;
  size_t rest_ = 0;  // bytes of a known header that are still to be taken
  std::optional<Peer> client_;
};

}  // namespace quipd::server
