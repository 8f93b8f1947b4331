// SPDX-License-Identifier: MIT
#include "app/watchdog.h"

#include <spdlog/spdlog.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/notify.h"

namespace quipd::app {

Watchdog::Watchdog(event_base* base, std::function<bool()> is_alive)
    : is_alive_(std::move(is_alive)) {
  uint64_t interval_us = 0;
  if (sd_watchdog_enabled(0, &interval_us) <= 0) return;
  const auto quarter = std::chrono::milliseconds(interval_us / 4000);
  const timeval period = server::ToTimeval(std::max(quarter, std::chrono::milliseconds(1)));
  timer_.reset(event_new(base, -1, EV_PERSIST, OnTime, this));
  event_add(timer_.get(), &period);
  NotifyAlive();
}

void Watchdog::OnTime(evutil_socket_t, short, void* self) { static_cast<Watchdog*>(self)->Feed(); }

void Watchdog::Feed() {
  const bool alive = is_alive_();
  if (alive) NotifyAlive();
  if (alive == std::exchange(was_alive_, alive)) return;
  if (alive) {
    spdlog::warn("the worker turns again; the watchdog is fed");
  } else {
    spdlog::error("a worker's loop doesn't turn; the watchdog is fed no more");
  }
}

}  // namespace quipd::app
