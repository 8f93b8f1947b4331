// SPDX-License-Identifier: MIT
#include "server/out_queue.h"

#include <utility>

#include "base/check.h"
#include "server/transport.h"

namespace quipd::server {

OutQueue::OutQueue(event_base* base, Transport* transport, event_callback_fn writable, void* owner)
    : transport_(transport),
      writable_(event_new(base, transport->fd(), EV_WRITE | EV_PERSIST, writable, owner)),
      buffer_(evbuffer_new()) {
  Check(writable_ != nullptr && buffer_ != nullptr);
  event_add(writable_.get(), nullptr);
}

void OutQueue::Add(std::string_view bytes) {
  Check(file_ == nullptr);
  Check(evbuffer_add(buffer_.get(), bytes.data(), bytes.size()) == 0);
}

void OutQueue::AddOwned(std::string_view bytes, std::shared_ptr<const void> owner) {
  Check(file_ == nullptr);
  if (bytes.empty()) return;
  auto held = std::make_unique<std::shared_ptr<const void>>(std::move(owner));
  const auto release = [](const void*, size_t, void* pointer) {
    delete static_cast<std::shared_ptr<const void>*>(pointer);
  };
  Check(evbuffer_add_reference(buffer_.get(), bytes.data(), bytes.size(), release, held.get()) ==
        0);
  static_cast<void>(held.release());
}

void OutQueue::AddFile(FileBody file) {
  Check(file_ == nullptr);
  file_ = std::make_unique<FileBody>(std::move(file));
}

int64_t OutQueue::WriteBytes() {
  if (size() == 0) return 0;
  const ssize_t written = transport_->Write(buffer_.get());
  if (written >= 0) return written;
  return IsBlocked(errno) ? 0 : -1;
}

int64_t OutQueue::Write() {
  const int64_t written = WriteBytes();
  if (written < 0 || size() > 0 || file_ == nullptr) return written;
  uint64_t sent = 0;
  switch (file_->Send(transport_, &sent)) {
    case FileBody::State::kFailed:
      return -1;
    case FileBody::State::kDone:
      file_.reset();
      break;
    case FileBody::State::kBlocked:
    case FileBody::State::kYielded:
      break;
  }
  return written + static_cast<int64_t>(sent);
}

}  // namespace quipd::server
