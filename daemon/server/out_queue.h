// SPDX-License-Identifier: MIT
// What a socket has refused, in order, until it takes it: bytes, and a file behind them. Made when
// the first byte waits and dropped when the last has gone, so that an idle connection has none.
// Small parts are copied, large ones kept alive by what owns them. One thread; dies before its
// event_base and its transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "server/event_handles.h"
#include "server/file_body.h"

namespace quipd::server {

class Transport;

class OutQueue {
 public:
  // `writable` is called with `owner` while something waits and the socket would take some.
  OutQueue(event_base* base, Transport* transport, event_callback_fn writable, void* owner);

  // Of the bytes that wait in memory.
  [[nodiscard]] size_t size() const { return evbuffer_get_length(buffer_.get()); }
  [[nodiscard]] bool has_file() const { return file_ != nullptr; }
  [[nodiscard]] bool empty() const { return file_ == nullptr && size() == 0; }

  // Behind all that waits; not behind a file.
  void Add(std::string_view bytes);
  // Without a copy: `owner` lives until the bytes are gone.
  void AddOwned(std::string_view bytes, std::shared_ptr<const void> owner);
  void AddFile(FileBody file);

  // Writes what the socket takes. The number of bytes, 0 where it takes none, -1 where the
  // connection is broken, or the file.
  [[nodiscard]] int64_t Write();

 private:
  [[nodiscard]] int64_t WriteBytes();

  Transport* const transport_;
  Event writable_;
  Buffer buffer_;
  std::unique_ptr<FileBody> file_;
};

}  // namespace quipd::server
