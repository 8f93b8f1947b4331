// SPDX-License-Identifier: MIT
// Tells the service manager's watchdog that quipd lives (sd_watchdog_enabled(3)), as long as it
// does: every quarter of the manager's interval, while `is_alive` says so. A silent watchdog has
// the process ended and started anew. Does nothing where the manager has asked for none. The base's
// thread.
#pragma once

#include <chrono>
#include <functional>

#include "server/event_handles.h"

namespace quipd::app {

class Watchdog {
 public:
  Watchdog(event_base* base, std::function<bool()> is_alive);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  static void OnTime(evutil_socket_t fd, short what, void* self);
  void Feed();

  std::function<bool()> is_alive_;
  server::Event timer_;
  bool was_alive_ = true;
};

}  // namespace quipd::app
