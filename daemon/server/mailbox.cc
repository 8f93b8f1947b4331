// SPDX-License-Identifier: MIT
#include "server/mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "base/check.h"

namespace quipd::server {

Mailbox::Mailbox(event_base* base) : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_) return;
  event_.reset(event_new(base, wake_.get(), EV_READ | EV_PERSIST, OnWake, this));
  Check(event_ != nullptr && event_add(event_.get(), nullptr) == 0);
}

void Mailbox::Post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  const uint64_t one = 1;
  // A full counter (EAGAIN) wakes the loop as well.
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
}

void Mailbox::OnWake(evutil_socket_t fd, short, void* pointer) {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = read(fd, &count, sizeof count);
  static_cast<Mailbox*>(pointer)->RunTasks();
}

void Mailbox::RunTasks() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (const auto& task : tasks) task();
}

}  // namespace quipd::server
