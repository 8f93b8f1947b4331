// SPDX-License-Identifier: MIT
#include "server/acceptor.h"

#include <netinet/in.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "server/peer.h"

namespace quipd::server {
namespace {

constexpr int kAtOnce = 64;              // connections taken before others have a turn
constexpr int kMostQueued = 4096;        // that a listening socket holds for us (somaxconn)
constexpr int kFullBursts = 4;           // in a row, and more are taken at once
constexpr timeval kPause = {0, 50'000};  // after an accept that had to be put off
constexpr int64_t kWarningEveryMs = 10'000;

// One warning at a time for all workers would need a lock; one for each worker does.
void WarnOfAccept(int64_t now_ms, int error) {
  thread_local int64_t warned_ms = -kWarningEveryMs;
  if (now_ms - warned_ms < kWarningEveryMs) return;
  warned_ms = now_ms;
  spdlog::warn("accepting a connection: {}; trying again every 50 ms", std::strerror(error));
}

}  // namespace

Acceptor::Acceptor(Context* context, Gate* gate, ConnectionSet* connections, FileDescriptor socket,
                   std::shared_ptr<const ListenerSlot> slot)
    : context_(context),
      gate_(gate),
      connections_(connections),
      socket_(std::move(socket)),
      slot_(std::move(slot)),
      readable_(event_new(context->base, socket_.get(), EV_READ | EV_PERSIST, OnReadable, this)),
      resume_(evtimer_new(context->base, OnResume, this)) {
  Check(readable_ != nullptr && resume_ != nullptr);
  Check(event_add(readable_.get(), nullptr) == 0);
}

void Acceptor::OnReadable(evutil_socket_t, short, void* pointer) {
  auto* self = static_cast<Acceptor*>(pointer);
  self->context_->Tick();
  // As many as have lately come together: one too many costs a call in vain.
  for (int i = 0; i < self->burst_; ++i) {
    const Outcome outcome = self->AcceptOne();
    if (outcome == Outcome::kPutOff) self->PutOff();
    if (outcome != Outcome::kTaken) {
      self->burst_ = std::max(1, i);
      self->full_bursts_ = 0;
      return;
    }
  }
  if (++self->full_bursts_ < kFullBursts) return;
  self->burst_ = std::min(2 * self->burst_, kAtOnce);
  self->full_bursts_ = 0;
}

void Acceptor::OnResume(evutil_socket_t, short, void* pointer) {
  auto* self = static_cast<Acceptor*>(pointer);
  event_add(self->readable_.get(), nullptr);
}

void Acceptor::PutOff() {
  context_->counters.refused.Add(1);
  event_del(readable_.get());
  event_add(resume_.get(), &kPause);
}

// For a socket that listens already, listen() sets the bound alone, and nothing can fail.
void Acceptor::SetBacklog(int backlog) { listen(socket_.get(), backlog); }

void Acceptor::TakeQueued() {
  event_del(readable_.get());
  event_del(resume_.get());
  // Bounded: while clients come as fast as they are served, the queue is never seen empty.
  for (int i = 0; i < kMostQueued && AcceptOne() == Outcome::kTaken; ++i) {
  }
}

// Whether somebody waits to be accepted; asked only where taking him costs another his place.
bool Acceptor::IsAwaited() const {
  pollfd entry{socket_.get(), POLLIN, 0};
  return poll(&entry, 1, 0) > 0;
}

Acceptor::Outcome Acceptor::AcceptOne() {
  if (!connections_->TakePlace()) {
    if (!IsAwaited()) return Outcome::kNone;
    if (!connections_->MakeRoom() || !connections_->TakePlace()) return Outcome::kPutOff;
  }
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  FileDescriptor socket(accept4(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size,
                                SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) {
    Connection::Open(context_, gate_, connections_, std::move(socket), slot_,
                     Peer(reinterpret_cast<const sockaddr*>(&address)));
    return Outcome::kTaken;
  }
  const int error = errno;
  connections_->ReleasePlace();
  switch (error) {
    case EAGAIN:
      return Outcome::kNone;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      WarnOfAccept(context_->now_ms, error);
      connections_->EvictIdle();
      return Outcome::kPutOff;
    default:
      return Outcome::kTaken;  // that connection is gone already; there may be another
  }
}

}  // namespace quipd::server
