// SPDX-License-Identifier: MIT
// The one header that lets libevent in: owners of its handles, and its time. Internal to server/
// and app/; the event_base of a thread is declared before, and so dies after, what lives on it.
#pragma once

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/event_struct.h>

#include <chrono>

#include "base/handle.h"

namespace quipd::server {

using EventBase = Handle<event_base, event_base_free>;
using Event = Handle<event, event_free>;
using Buffer = Handle<evbuffer, evbuffer_free>;

[[nodiscard]] inline timeval ToTimeval(std::chrono::milliseconds time) {
  return {time.count() / 1000, time.count() % 1000 * 1000};
}

}  // namespace quipd::server
