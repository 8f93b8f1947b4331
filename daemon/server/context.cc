// SPDX-License-Identifier: MIT
#include "server/context.h"

#include <algorithm>
#include <ctime>

namespace quipd::server {
namespace {

// Fine enough that the shortest timeout is kept to within a tenth, coarse enough to cost nothing.
int64_t SlotWidth(const config::Timeouts& timeouts) {
  const auto shortest =
      std::min({timeouts.head, timeouts.idle, timeouts.body, timeouts.write}).count();
  return std::clamp<int64_t>(shortest / 10, 5, 1000);
}

}  // namespace

int64_t MonotonicMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

Context::Context(event_base* event_base) : base(event_base), deadlines(MonotonicMs()) { Tick(); }

void Context::Adopt(std::shared_ptr<const site::Site> new_site) {
  const config::Config& config = new_site->config();
  limits = {config.limits.head, config.limits.target, config.limits.header_count};
  body_limit = config.limits.body;
  max_connections = config.limits.connections;
  timeouts = config.timeouts;
  deadlines.set_slot_ms(SlotWidth(timeouts));
  if (relay != nullptr) relay->set_body_limit(body_limit);
  site = std::move(new_site);
}

void Context::Tick() {
  now_ms = MonotonicMs();
  timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec == unix_seconds) return;
  unix_seconds = now.tv_sec;
  date = http::FormatDate(unix_seconds);
}

}  // namespace quipd::server
