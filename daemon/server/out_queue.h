// SPDX-License-Identifier: MIT
// What a socket has refused, in order, until it takes it. Made when the first byte waits and
// dropped when the last has gone, so that an idle connection has none. Small parts are copied,
// large ones kept alive by what owns them. One thread; dies before its event_base.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "server/event_handles.h"

namespace quipd::server {

class OutQueue {
 public:
  // `writable` is called with `owner` while the queue holds bytes and the socket would take some.
  OutQueue(event_base* base, int fd, event_callback_fn writable, void* owner);

  [[nodiscard]] size_t size() const { return evbuffer_get_length(buffer_.get()); }

  void Add(std::string_view bytes);
  // Without a copy: `owner` lives until the bytes are gone.
  void AddOwned(std::string_view bytes, std::shared_ptr<const void> owner);

  // Writes what the socket takes. The number of bytes, 0 where it takes none, -1 where the
  // connection is broken (errno).
  [[nodiscard]] int Write();

 private:
  Event writable_;
  Buffer buffer_;
  int fd_;
};

}  // namespace quipd::server
