// SPDX-License-Identifier: MIT
// What a worker lends to its connections: its Site, its clock, its scratches. One thread; outlives
// every connection.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "config/config.h"
#include "http/date.h"
#include "http/request_head.h"
#include "server/counters.h"
#include "server/deadlines.h"
#include "server/outbox.h"
#include "server/relay.h"
#include "site/site.h"

struct event_base;

namespace quipd::server {

class TlsContext;

// A listening socket as its connections know it: the rules of `listener:` are found by its number.
struct ListenerSlot {
  static constexpr uint32_t kGone = UINT32_MAX;  // no longer in the configuration
  uint32_t number = kGone;                       // index into Config::listeners of the Site
  std::shared_ptr<const TlsContext> tls;         // for new connections; null: plain
  bool proxy_protocol = false;                   // of new connections, each begins with its header
  bool passed = false;  // by the service manager: what a drain leaves queued its successor serves
};

// CLOCK_MONOTONIC_COARSE.
[[nodiscard]] int64_t MonotonicMs();

class Context {
 public:
  static constexpr size_t kReadBytes = 64 * 1024;  // taken from a socket at once
  static constexpr size_t kQueuedBytes =
      64 * 1024;                                   // waiting for a client; then it must read first
  static constexpr size_t kHeldBytes = 64 * 1024;  // of a client that must wait; then not read

  explicit Context(event_base* event_base);

  // Takes on a Site, its limits and timeouts.
  void Adopt(std::shared_ptr<const site::Site> new_site);

  // Reads the clocks; once a callback.
  void Tick();

  event_base* const base;
  std::shared_ptr<const site::Site> site;
  http::HeadLimits limits;
  uint64_t body_limit = 0;
  uint32_t max_connections = 0;
  config::Timeouts timeouts;
  int64_t now_ms = 0;                          // MonotonicMs
  std::array<char, http::kDateLength> date{};  // of now
  int64_t unix_seconds = -1;                   // of now
  DeadlineWheel deadlines;
  Outbox outbox;
  std::array<char, kReadBytes> input;
  std::unique_ptr<Relay> relay;
  Counters counters;
  bool not_ready = false;  // `ready` of health says so
  bool draining = false;   // connections end as soon as they are idle
};

}  // namespace quipd::server
