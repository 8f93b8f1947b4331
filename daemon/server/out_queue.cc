// SPDX-License-Identifier: MIT
#include "server/out_queue.h"

#include <cerrno>

#include "base/check.h"

namespace quipd::server {

OutQueue::OutQueue(event_base* base, int fd, event_callback_fn writable, void* owner)
    : writable_(event_new(base, fd, EV_WRITE | EV_PERSIST, writable, owner)),
      buffer_(evbuffer_new()),
      fd_(fd) {
  Check(writable_ != nullptr && buffer_ != nullptr);
  event_add(writable_.get(), nullptr);
}

void OutQueue::Add(std::string_view bytes) {
  Check(evbuffer_add(buffer_.get(), bytes.data(), bytes.size()) == 0);
}

void OutQueue::AddOwned(std::string_view bytes, std::shared_ptr<const void> owner) {
  if (bytes.empty()) return;
  auto held = std::make_unique<std::shared_ptr<const void>>(std::move(owner));
  const auto release = [](const void*, size_t, void* pointer) {
    delete static_cast<std::shared_ptr<const void>*>(pointer);
  };
  Check(evbuffer_add_reference(buffer_.get(), bytes.data(), bytes.size(), release, held.get()) ==
        0);
  static_cast<void>(held.release());
}

int OutQueue::Write() {
  const int written = evbuffer_write(buffer_.get(), fd_);
  if (written >= 0) return written;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

}  // namespace quipd::server
