// SPDX-License-Identifier: MIT
#include "server/proxy_intake.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"
#include "server/transport.h"

namespace quipd::server {

ProxyIntake::State ProxyIntake::Read(int socket) {
  State state = State::kDone;
  while (state == State::kDone && !known_) state = ReadStart(socket);
  return state == State::kDone ? SkipRest(socket) : state;
}

// Looks at what has come, and takes it where it all belongs to the header.
ProxyIntake::State ProxyIntake::ReadStart(int socket) {
  char* const end = start_.data() + taken_;
  const ssize_t seen = recv(socket, end, start_.size() - taken_, MSG_PEEK | MSG_DONTWAIT);
  if (seen < 0 && IsBlocked(errno)) return State::kWaiting;
  if (seen <= 0) return taken_ == 0 ? State::kEnded : State::kFailed;
  const ProxyHeader header = ParseProxyHeader({start_.data(), taken_ + static_cast<size_t>(seen)});
  switch (header.state) {
    case ProxyHeader::State::kMore: {
      const ssize_t got = recv(socket, end, static_cast<size_t>(seen), MSG_DONTWAIT);
      if (got <= 0) return State::kFailed;
      taken_ += static_cast<size_t>(got);
      Check(taken_ < start_.size());
      return State::kDone;
    }
    case ProxyHeader::State::kKnown:
      known_ = true;
      rest_ = header.length - taken_;
      client_ = header.client;
      return State::kDone;
    case ProxyHeader::State::kMalformed:
      break;
  }
  return State::kFailed;
}

ProxyIntake::State ProxyIntake::SkipRest(int socket) {
  std::array<char, 4096> skipped;
  while (rest_ > 0) {
    const ssize_t got = recv(socket, skipped.data(), std::min(rest_, skipped.size()), MSG_DONTWAIT);
    if (got < 0 && IsBlocked(errno)) return State::kWaiting;
    if (got <= 0) return State::kFailed;
    rest_ -= static_cast<size_t>(got);
  }
  return State::kDone;
}

}  // namespace quipd::server
