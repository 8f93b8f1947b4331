// SPDX-License-Identifier: MIT
// Brings tasks of other threads to the thread of an event_base. Post is thread-safe; the rest
// belongs to the thread of the base, which the Mailbox must not outlive.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "base/file_descriptor.h"
#include "server/event_handles.h"

namespace quipd::server {

class Mailbox {
 public:
  explicit Mailbox(event_base* base);

  // False where the system gave no descriptor; then nothing may be posted.
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(wake_); }

  // Runs `task` on the base's thread, soon and in order; never within this call.
  void Post(std::function<void()> task);

 private:
  static void OnWake(evutil_socket_t fd, short what, void* self);
  void RunTasks();

  FileDescriptor wake_;  // eventfd
  Event event_;
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;  // guarded by mutex_
};

}  // namespace quipd::server
