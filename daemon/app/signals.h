// SPDX-License-Identifier: MIT
// Signals as events of a loop. No handler runs: a signal that is taken is blocked, in the threads
// that begin later too, and read from a descriptor. The thread of the base alone; taken before any
// other thread begins.
#pragma once

#include <csignal>
#include <functional>

#include "base/file_descriptor.h"
#include "server/event_handles.h"

namespace quipd::app {

class Signals {
 public:
  // `on_signal` is called by the loop, once for each signal that came.
  Signals(event_base* base, std::function<void(int)> on_signal);

  // From now on the loop hears of it; until then it does what it did. Who started us may have it
  // ignored (nohup), and then it would not come: that ends here.
  void Take(int number);

 private:
  static void OnReadable(evutil_socket_t fd, short what, void* self);

  event_base* base_;
  std::function<void(int)> on_signal_;
  sigset_t taken_{};
  FileDescriptor fd_;
  server::Event readable_;
};

}  // namespace quipd::app
