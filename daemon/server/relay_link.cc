// SPDX-License-Identifier: MIT
#include "server/relay_link.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"

namespace quipd::server {
namespace {

constexpr int kReadsPerTurn = 4;  // then other connections have their turn

// What is left to send of two parts of which the first `sent` bytes are gone.
std::array<iovec, 2> PartsBehind(std::string_view first, std::string_view second, size_t sent) {
  const size_t of_first = std::min(sent, first.size());
  first.remove_prefix(of_first);
  second.remove_prefix(sent - of_first);
  // iovec has no const form; sendmsg() doesn't write.
  return {iovec{const_cast<char*>(first.data()), first.size()},
          iovec{const_cast<char*>(second.data()), second.size()}};
}

bool IsTransient(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

RelayLink::RelayLink(event_base* base, FileDescriptor socket, std::span<char> scratch,
                     const Owner& owner)
    : socket_(std::move(socket)),
      scratch_(scratch),
      owner_(owner),
      readable_(event_new(base, socket_.get(), EV_READ | EV_PERSIST, OnReadable, this)),
      writable_(event_new(base, socket_.get(), EV_WRITE, OnWritable, this)) {
  Check(readable_ != nullptr && writable_ != nullptr);
  if (socket_) event_add(readable_.get(), nullptr);
}

RelayLink::~RelayLink() { Close(); }

void RelayLink::Begin(uint64_t id, std::shared_ptr<const Exchange> exchange, std::string head,
                      const ExchangeEvents& events) {
  Check(state_ == State::kIdle);
  state_ = State::kBusy;
  ticks_ = 0;
  id_ = id;
  exchange_ = std::move(exchange);
  events_ = events;
  head_ = std::move(head);
  sent_ = 0;
  reader_ = ResponseReader(exchange_->head.method_id == http::Method::kHead);
  Flush();
}

void RelayLink::Pause(bool paused) {
  if (state_ != State::kBusy || paused_ == paused) return;
  paused_ = paused;
  if (paused) {
    event_del(readable_.get());
    return;
  }
  // Added first: an event that is active but not added would not be watched. Made active because
  // what is held, or the end behind it, may be all that comes.
  if (socket_) event_add(readable_.get(), nullptr);
  event_active(readable_.get(), EV_READ, 0);
}

void RelayLink::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  event_del(readable_.get());
  event_del(writable_.get());
  socket_.Reset();
  exchange_.reset();
  held_.clear();
}

size_t RelayLink::Unsent() const { return head_.size() + exchange_->body.size() - sent_; }

void RelayLink::Flush() {
  while (Unsent() > 0) {
    std::array<iovec, 2> parts = PartsBehind(head_, exchange_->body, sent_);
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      sent_ += static_cast<size_t>(sent);
    } else if (IsTransient(errno)) {
      event_add(writable_.get(), nullptr);
      return;
    } else if (errno != EINTR) {
      // The other end is gone. It may have answered before, and what reads finds that out.
      event_active(readable_.get(), EV_READ, 0);
      return;
    }
  }
}

void RelayLink::OnWritable(int /*fd*/, short /*what*/, void* self) noexcept {
  static_cast<RelayLink*>(self)->Flush();
}

void RelayLink::OnReadable(int /*fd*/, short /*what*/, void* self) noexcept {
  auto* const link = static_cast<RelayLink*>(self);
  try {
    link->Receive();
  } catch (...) {
    // Out of memory, here or where the events went.
    link->Fail();
  }
}

void RelayLink::Receive() {
  if (state_ == State::kBusy && !paused_) Consume(std::exchange(held_, {}));
  for (int turn = 0; turn < kReadsPerTurn; ++turn) {
    if (state_ == State::kClosed || paused_) return;
    const ssize_t received = recv(socket_.get(), scratch_.data(), scratch_.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0 && IsTransient(errno)) return;
    // The other end speaks only when asked to.
    if (received <= 0 || state_ == State::kIdle) return Fail();
    Consume({scratch_.data(), static_cast<size_t>(received)});
    if (static_cast<size_t>(received) < scratch_.size()) return;
  }
}

// `bytes` may lie in the scratch: nothing receives before all of it is read or held.
void RelayLink::Consume(std::string_view bytes) {
  while (state_ == State::kBusy) {
    if (paused_) {
      held_.assign(bytes);
      return;
    }
    const ResponseReader::Step step = reader_.Read(bytes);
    bytes.remove_prefix(step.consumed);
    switch (step.event) {
      case ResponseReader::Event::kMore:
        return;
      case ResponseReader::Event::kHead:
        events_.on_head(events_.owner, reader_.TakeHead());
        break;
      case ResponseReader::Event::kBody:
        events_.on_body(events_.owner, step.body);
        break;
      case ResponseReader::Event::kEnd:
        // Early answers and bytes behind the answer leave the stream out of step.
        if (!bytes.empty() || reader_.close() || Unsent() > 0) Close();
        return Over(true);
      case ResponseReader::Event::kFault:
        return Fail();
    }
  }
}

void RelayLink::Fail() {
  if (state_ == State::kClosed) return;
  Close();
  Over(false);
}

// Last: the owner may begin the next exchange on this link from within.
void RelayLink::Over(bool ok) {
  if (state_ == State::kBusy) state_ = State::kIdle;
  ticks_ = 0;
  paused_ = false;
  exchange_.reset();
  owner_.on_over(owner_.owner, this, std::exchange(id_, 0), ok);
}

}  // namespace quipd::server
