// SPDX-License-Identifier: MIT
// One listening socket of a worker: takes connections a bounded number at a time, puts off what the
// cap or the lack of descriptors forbids, and never spins on what it can't take. One thread.
#pragma once

#include <memory>

#include "base/file_descriptor.h"
#include "server/connection_set.h"
#include "server/context.h"
#include "server/event_handles.h"
#include "server/gate.h"

namespace quipd::server {

class Acceptor {
 public:
  Acceptor(Context* context, Gate* gate, ConnectionSet* connections, FileDescriptor socket,
           std::shared_ptr<const ListenerSlot> slot);

  void SetBacklog(int backlog);
  [[nodiscard]] const ListenerSlot& slot() const { return *slot_; }

  // Takes what is queued, without waiting for more; for the end of a listener.
  void TakeQueued();

 private:
  enum class Outcome { kTaken, kNone, kPutOff };

  static void OnReadable(evutil_socket_t fd, short what, void* self);
  static void OnResume(evutil_socket_t fd, short what, void* self);
  Outcome AcceptOne();
  [[nodiscard]] bool IsAwaited() const;
  void PutOff();

  Context* const context_;
  Gate* const gate_;
  ConnectionSet* const connections_;
  FileDescriptor socket_;
  std::shared_ptr<const ListenerSlot> slot_;
  Event readable_;
  Event resume_;
  int burst_ = 1;        // connections taken for one event
  int full_bursts_ = 0;  // in a row
};

}  // namespace quipd::server
