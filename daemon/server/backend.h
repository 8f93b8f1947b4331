// SPDX-License-Identifier: MIT
// The worker's evhttp: a server on an abstract AF_UNIX socket that answers this process alone, and
// hands each request to the handler of its exchange's rule. A connection of another process or user
// is cut when it is accepted; a request without the id of an exchange under way is 403.
//
// One thread: the worker's. Destroyed before its event_base and after the connections to it.
// The process must ignore SIGPIPE: libevent writes with writev().
#pragma once

#include <cstdint>
#include <memory>

#include "base/diagnostic.h"
#include "base/file_descriptor.h"
#include "server/exchanges.h"
#include "server/relay.h"

struct event_base;

namespace quipd::server {

// A new action that evhttp answers is a file with its handler (reply.h) and a case in
// BuiltInHandler (relay.h), which stands in backend.cc.
class Backend {
 public:
  // `exchanges` outlives the Backend.
  [[nodiscard]] static Result<std::unique_ptr<Backend>> Create(event_base* base,
                                                               const Exchanges* exchanges,
                                                               HandlerOf handler_of,
                                                               uint64_t body_limit);
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  // A connection to it, non-blocking; none where the system refuses.
  [[nodiscard]] FileDescriptor Connect() const;

  // Makes room for a request of that size. True where a limit rose: connections from before keep
  // the old one. Limits never fall, so that what was admitted before a reload still goes through.
  [[nodiscard]] bool MakeRoom(uint64_t head_bytes, uint64_t body_bytes);

 private:
  struct Impl;
  explicit Backend(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace quipd::server
