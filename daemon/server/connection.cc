// SPDX-License-Identifier: MIT
#include "server/connection.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "server/connection_set.h"
#include "server/context.h"
#include "server/file_body.h"
#include "server/gate.h"
#include "server/out_queue.h"
#include "server/proxy_intake.h"
#include "server/relayed_head.h"

namespace quipd::server {
namespace {

constexpr size_t kLargeBody = 16 * 1024;  // from here on a body is not copied to be sent
constexpr size_t kLargeHead = 64 * 1024;
constexpr size_t kCopiedFile = 32 * 1024;   // up to here a file is read rather than mapped through
constexpr int64_t kLingerMs = 2000;         // for the client to read its last answer
constexpr size_t kLingerBytes = 32u << 20;  // of input that nobody reads
constexpr int64_t kNewcomerMs = 500;        // a drain leaves a new client this long to speak
constexpr int64_t kMsPerKiB = 1000;         // that a body may take beside `timeouts.body`

}  // namespace

http::RequestHead ParseAgain(std::string_view head_bytes) {
  http::RequestHead head;
  const http::HeadLimits none{UINT32_MAX, UINT32_MAX, UINT32_MAX};
  const http::HeadResult result = http::ParseRequestHead(head_bytes, none, &head);
  Check(result.state == http::HeadState::kComplete);
  return head;
}

Incoming::Incoming(const http::RequestHead& heard, std::shared_ptr<const site::Site> under,
                   const BodyReader& body_reader)
    : bytes(heard.bytes), head(ParseAgain(bytes)), site(std::move(under)), reader(body_reader) {
  head.close = heard.close;
}

// --- Entry points ---

Connection::Connection(Context* context, Gate* gate, ConnectionSet* set, FileDescriptor socket,
                       std::shared_ptr<const ListenerSlot> listener, const Peer& peer)
    : context_(context),
      gate_(gate),
      set_(set),
      listener_(std::move(listener)),
      proxy_(listener_->proxy_protocol ? std::make_unique<ProxyIntake>() : nullptr),
      since_ms_(context->now_ms),
      transport_(std::move(socket), listener_->tls),
      peer_(peer) {
  Check(event_assign(&read_event_, context->base, transport_.fd(), EV_READ | EV_PERSIST, OnReadable,
                     this) == 0);
}

Connection::~Connection() {
  if (exchange_ != nullptr) context_->relay->Cancel(exchange_->id);
  SetReading(false);
  // With a queue the client has not had all of its answers, and must not think so.
  if (queue_ == nullptr) static_cast<void>(transport_.CloseNotify());
}

void Connection::Open(Context* context, Gate* gate, ConnectionSet* set, FileDescriptor socket,
                      std::shared_ptr<const ListenerSlot> listener, const Peer& peer) {
  std::unique_ptr<Connection> made(
      new Connection(context, gate, set, std::move(socket), std::move(listener), peer));
  Connection* self = made.get();
  set->Add(std::move(made));
  // A request that came with the connection is answered, and a short one over, before the socket is
  // ever registered.
  Enter(self, [](Connection* connection) { connection->ReadOnce(); });
}

template <typename Work>
void Connection::Enter(Connection* self, Work work) {
  work(self);
  self->Settle();
  if (self->phase_ == Phase::kClosed) self->set_->Remove(self);
}

void Connection::OnReadable(evutil_socket_t, short, void* pointer) {
  auto* self = static_cast<Connection*>(pointer);
  self->context_->Tick();
  Enter(self, [](Connection* connection) { connection->ReadOnce(); });
}

void Connection::OnWritable(evutil_socket_t, short, void* pointer) {
  auto* self = static_cast<Connection*>(pointer);
  self->context_->Tick();
  Enter(self, [](Connection* connection) { connection->WriteQueued(); });
}

void Connection::Expire(Deadline* deadline) {
  Enter(static_cast<Connection*>(deadline),
        [](Connection* connection) { connection->OnDeadline(); });
}

void Connection::Drain(Connection* self) {
  Enter(self, [](Connection* connection) {
    if (connection->IsIdle()) connection->ReadOnce();
    if (!connection->IsIdle()) return;
    const bool newcomer =
        !connection->served_ && connection->context_->now_ms - connection->since_ms_ < kNewcomerMs;
    if (!newcomer) connection->phase_ = Phase::kClosed;
  });
}

// Leaves the connection as its state wants it, after whatever has happened to it.
void Connection::Settle() {
  Flush();
  if (phase_ == Phase::kOpen && half_closed_ && exchange_ == nullptr && queue_ == nullptr) {
    phase_ = Phase::kEnding;
  }
  if (phase_ == Phase::kEnding && queue_ == nullptr) FinishEnding();
  if (phase_ == Phase::kClosed) return;
  SetReading(WantsInput());
  if (transport_.secure()) [[unlikely]] {
    SettleTls();
  }
  SetDeadline();
}

void Connection::SettleTls() {
  if (transport_.wants_write()) MakeQueue();
  // No event of the socket tells of it. An event that is not added yet must not be activated.
  if (reading_ && transport_.has_pending() && phase_ == Phase::kOpen) {
    event_active(&read_event_, EV_READ, 0);
  }
}

// --- Input ---

void Connection::ReadOnce() {
  if (phase_ == Phase::kLingering) return Discard();
  if (proxy_ != nullptr && !TakeProxyHeader()) [[unlikely]] {
    return;
  }
  const ssize_t size = transport_.Read(context_->input.data(), context_->input.size());
  if (size > 0) return Received(static_cast<size_t>(size));
  if (size == 0) return OnEndOfInput();
  if (!IsBlocked(errno)) return OnReadFailed();
  const bool shook_hands = shaking_hands_;
  shaking_hands_ = transport_.in_handshake();
  fruitless_ = shook_hands == shaking_hands_;
}

// Whose bytes follow; true where they may be read.
bool Connection::TakeProxyHeader() {
  switch (proxy_->Read(transport_.fd())) {
    case ProxyIntake::State::kWaiting:
      return false;
    case ProxyIntake::State::kDone:
      peer_ = proxy_->client().value_or(peer_);
      proxy_.reset();
      since_ms_ = context_->now_ms;
      return true;
    case ProxyIntake::State::kFailed:
      context_->counters.proxy_headers_failed.Add(1);
      [[fallthrough]];
    case ProxyIntake::State::kEnded:
      phase_ = Phase::kClosed;
  }
  return false;
}

void Connection::OnReadFailed() {
  if (!transport_.in_handshake()) {
    phase_ = Phase::kClosed;
    return;
  }
  context_->counters.handshakes_failed.Add(1);
  if (!transport_.heard_plain_http()) {
    phase_ = Phase::kClosed;
    return;
  }
  transport_.BecomePlain();
  const std::shared_ptr<const site::Site>& site = context_->site;
  Reply(site->FaultResponse(400), false, Persistence::kClose, site);
  EndAfterReplies(true);
}

void Connection::Received(size_t size) {
  may_have_more_ = size == context_->input.size() || transport_.has_pending();
  const std::string_view input(context_->input.data(), size);
  if (held_ == nullptr) return Process(input);
  held_->append(input);
  ProcessHeld();
}

void Connection::Process(std::string_view input) {
  const size_t taken = gate_->Take(this, input);
  if (taken == input.size()) return;
  if (phase_ != Phase::kOpen) {
    linger_ = true;  // what is left over is never read
    return;
  }
  held_ = std::make_unique<std::string>(input.substr(taken));
}

void Connection::ProcessHeld() {
  const size_t taken = gate_->Take(this, *held_);
  if (phase_ != Phase::kOpen) {
    linger_ = linger_ || taken < held_->size();
    held_.reset();
    return;
  }
  if (taken > 0) in_head_ = false;
  if (taken == held_->size()) {
    held_.reset();
  } else if (taken > 0) {
    held_->erase(0, taken);
  }
}

// The client has sent all that it will; it may still read.
void Connection::OnEndOfInput() {
  half_closed_ = true;
  incoming_.reset();  // a request that broke off is never answered (RFC 9112 8)
  if (exchange_ == nullptr && queue_ == nullptr) phase_ = Phase::kClosed;
}

void Connection::Discard() {
  const ssize_t size = transport_.Discard(context_->input.data(), context_->input.size());
  if (size < 0 && IsBlocked(errno)) return;
  if (size > 0) drained_bytes_ += static_cast<uint32_t>(size);
  if (size <= 0 || drained_bytes_ > kLingerBytes) phase_ = Phase::kClosed;
}

bool Connection::WantsInput() const {
  if (half_closed_) return false;
  if (phase_ == Phase::kLingering) return true;
  if (phase_ == Phase::kEnding || QueueIsFull()) return false;
  return held_ == nullptr || exchange_ == nullptr || held_->size() < Context::kHeldBytes;
}

void Connection::SetReading(bool on) {
  if (on == reading_) return;
  if (!on) {
    reading_ = false;
    event_del(&read_event_);
    return;
  }
  // The system may have no memory, or no watch, left for one more socket.
  reading_ = event_add(&read_event_, nullptr) == 0;
  if (!reading_) phase_ = Phase::kClosed;
}

// --- Deadlines ---

bool Connection::IsIdle() const {
  return phase_ == Phase::kOpen && held_ == nullptr && incoming_ == nullptr &&
         exchange_ == nullptr && queue_ == nullptr;
}

// When the state that the connection is in has lasted too long.
int64_t Connection::Due() const {
  const config::Timeouts& timeouts = context_->timeouts;
  if (transport_.in_handshake() || proxy_ != nullptr) [[unlikely]] {
    return since_ms_ + (context_->draining ? kNewcomerMs : timeouts.head.count());
  }
  int64_t due = kNoDeadline;
  if (phase_ == Phase::kLingering) {
    due = since_ms_ + kLingerMs;
  } else if (incoming_ != nullptr && !QueueIsFull()) {
    const auto received = static_cast<int64_t>(incoming_->reader.received() / 1024);
    due = since_ms_ + timeouts.body.count() + received * kMsPerKiB;
  } else if (IsInHead()) {
    due = since_ms_ + timeouts.head.count();
  } else if (IsIdle()) {
    due = since_ms_ + (context_->draining ? kNewcomerMs : timeouts.idle.count());
  }
  if (queue_ != nullptr) due = std::min(due, write_since_ms_ + timeouts.write.count());
  return due;
}

void Connection::SetDeadline() {
  const bool in_head = IsInHead();
  const bool begins_head = in_head && !in_head_;
  // What we don't read can't be late: the body's time begins anew when the queue has room again.
  const bool waits_for_us = incoming_ != nullptr && QueueIsFull();
  // A part of a record is nothing yet: it doesn't make an idle connection younger.
  const bool idle = IsIdle() && !fruitless_ && !transport_.in_handshake() && proxy_ == nullptr;
  fruitless_ = false;
  if (begins_head || waits_for_us || idle) since_ms_ = context_->now_ms;
  if (in_head || idle) in_head_ = in_head;
  context_->deadlines.Set(this, Due());
}

void Connection::OnDeadline() {
  // A reload may have moved it away.
  if (Due() > context_->now_ms) return;
  if (proxy_ != nullptr || transport_.in_handshake()) {
    Counters& counters = context_->counters;
    (proxy_ != nullptr ? counters.proxy_headers_failed : counters.handshakes_failed).Add(1);
    phase_ = Phase::kClosed;
    return;
  }
  const bool late =
      queue_ != nullptr && write_since_ms_ + context_->timeouts.write.count() <= context_->now_ms;
  const bool stuck = late && HasStoppedReading();
  if (late && !stuck) return;
  if (stuck) transport_.DropUntaken();
  const bool silent = phase_ == Phase::kLingering || IsIdle() || stuck;
  if (silent) {
    phase_ = Phase::kClosed;
  } else {
    TimeOut();
  }
}

// The system may hold megabytes for a slow client: that our queue doesn't move is no sign yet that
// he has taken nothing.
bool Connection::HasStoppedReading() {
  const int untaken = untaken_;
  NoteProgress();
  return untaken_ >= untaken;
}

void Connection::NoteProgress() {
  write_since_ms_ = context_->now_ms;
  if (ioctl(transport_.fd(), SIOCOUTQ, &untaken_) != 0) untaken_ = 0;
}

// A head or a body that took too long (RFC 9110 15.5.9).
void Connection::TimeOut() {
  context_->counters.faults.Add(1);
  incoming_.reset();
  held_.reset();
  const std::shared_ptr<const site::Site>& site = context_->site;
  Reply(site->FaultResponse(408), false, Persistence::kClose, site);
  EndAfterReplies(true);
}

// --- Output ---

bool Connection::QueueIsFull() const {
  return queue_ != nullptr && (queue_->size() >= Context::kQueuedBytes || queue_->has_file());
}

uint32_t Connection::listener_number() const { return listener_->number; }

void Connection::SetIncoming(std::unique_ptr<Incoming> incoming) {
  incoming_ = std::move(incoming);
  since_ms_ = context_->now_ms;
}

void Connection::Reply(const site::Response& response, bool head_only, Persistence persistence,
                       const std::shared_ptr<const site::Site>& owner) {
  served_ = true;
  const bool large = !head_only && response.body_size >= kLargeBody;
  const size_t size =
      response.head_size + (head_only || large ? 0 : static_cast<size_t>(response.body_size));
  if (response.head_size > kLargeHead) [[unlikely]] {
    SendLargeHead(response, persistence);
    if (size > response.head_size) {
      Send({response.bytes + response.head_size, size - response.head_size});
    }
  } else {
    EnsureRoom(size + Outbox::kLongestField);
    context_->outbox.AppendResponse(response, size, persistence, context_->date.data());
  }
  if (large) {
    SendLarge({response.bytes + response.head_size, static_cast<size_t>(response.body_size)},
              owner);
  }
}

// A head that the outbox may not hold as a whole; a configuration may write such.
void Connection::SendLargeHead(const site::Response& response, Persistence persistence) {
  const size_t splice = response.date_offset - site::kDateName;
  const size_t behind_date = response.date_offset + http::kDateLength;
  Send({response.bytes, splice});
  Send(FieldOf(persistence));
  Send({response.bytes + splice, site::kDateName});
  Send({context_->date.data(), context_->date.size()});
  Send({response.bytes + behind_date, response.head_size - behind_date});
}

void Connection::Send(std::string_view bytes) {
  served_ = true;
  for (; bytes.size() > Outbox::kCapacity; bytes.remove_prefix(Outbox::kCapacity)) {
    Flush();
    context_->outbox.Append(bytes.substr(0, Outbox::kCapacity));
  }
  EnsureRoom(bytes.size());
  context_->outbox.Append(bytes);
}

void Connection::EnsureRoom(size_t bytes) {
  if (context_->outbox.room() < bytes) Flush();
  Check(context_->outbox.room() >= bytes);
}

// Sends what this callback has brought forth so far; the rest waits in the queue.
void Connection::Flush() {
  Outbox& outbox = context_->outbox;
  if (outbox.used() == 0) return;
  std::string_view bytes = outbox.bytes();
  if (queue_ == nullptr && phase_ != Phase::kClosed) {
    const ssize_t sent = transport_.Write(bytes);
    if (sent < 0 && !IsBlocked(errno)) phase_ = Phase::kClosed;
    if (sent > 0) bytes.remove_prefix(static_cast<size_t>(sent));
  }
  if (!bytes.empty() && phase_ != Phase::kClosed) MakeQueue().Add(bytes);
  outbox.Clear();
}

// A body that would fill the outbox leaves from where it lies, behind what the outbox holds.
void Connection::SendLarge(std::string_view body, const std::shared_ptr<const site::Site>& owner) {
  Outbox& outbox = context_->outbox;
  if (queue_ == nullptr && phase_ != Phase::kClosed) {
    const std::string_view first = outbox.bytes();
    const ssize_t sent = transport_.Write(first, body);
    if (sent < 0 && !IsBlocked(errno)) phase_ = Phase::kClosed;
    const size_t taken = sent > 0 ? static_cast<size_t>(sent) : 0;
    const size_t of_first = std::min(taken, first.size());
    if (of_first < first.size() && phase_ != Phase::kClosed) {
      MakeQueue().Add(first.substr(of_first));
    }
    body.remove_prefix(taken - of_first);
    outbox.Clear();
  }
  Flush();
  if (!body.empty() && phase_ != Phase::kClosed) MakeQueue().AddOwned(body, owner);
}

void Connection::SendBody(std::string_view body, const std::shared_ptr<const site::Site>& owner) {
  if (body.size() >= kLargeBody) {
    SendLarge(body, owner);
  } else {
    Send(body);
  }
}

void Connection::SendFile(FileDescriptor file, uint64_t offset, uint64_t size) {
  if (size > kCopiedFile) return SendFile(FileBody(std::move(file), offset, size));
  EnsureRoom(size);
  if (context_->outbox.AppendFile(file.get(), offset, size)) return;
  Flush();  // what came before is whole
  BreakOff();
}

void Connection::SendFile(FileBody body) {
  if (queue_ == nullptr && phase_ != Phase::kClosed) {
    // By itself, not held back for the first bytes of the file: a client on this machine is then
    // awake when these come, which spares waking it at each piece (19 us instead of 30 for 100
    // KiB).
    Flush();
    uint64_t sent = 0;
    const bool open = queue_ == nullptr && phase_ != Phase::kClosed;
    const FileBody::State state = open ? body.Send(&transport_, &sent) : FileBody::State::kBlocked;
    if (state == FileBody::State::kDone) return;
    if (state == FileBody::State::kFailed) BreakOff();
  }
  Flush();
  if (phase_ != Phase::kClosed) MakeQueue().AddFile(std::move(body));
}

OutQueue& Connection::MakeQueue() {
  if (queue_ == nullptr) {
    queue_ = std::make_unique<OutQueue>(context_->base, &transport_, OnWritable, this);
    NoteProgress();
  }
  return *queue_;
}

void Connection::WriteQueued() {
  const int64_t written = queue_->Write();
  if (written < 0) {
    phase_ = Phase::kClosed;
    return;
  }
  if (written > 0) NoteProgress();
  if (queue_->empty()) queue_.reset();
  if (queue_ == nullptr && transport_.wants_write()) return ReadOnce();
  if (QueueIsFull()) return;
  if (exchange_ != nullptr && exchange_->paused) {
    exchange_->paused = false;
    context_->relay->Pause(exchange_->id, false);
  }
  if (phase_ == Phase::kOpen && exchange_ == nullptr && held_ != nullptr) ProcessHeld();
}

// --- The end ---

void Connection::EndAfterReplies(bool linger) {
  if (phase_ != Phase::kOpen) return;
  phase_ = Phase::kEnding;
  linger_ = linger_ || linger || may_have_more_;
}

void Connection::FinishEnding() {
  if (!transport_.CloseNotify()) {
    MakeQueue();  // with nothing in it: it waits until the socket takes some
    return;
  }
  if (!linger_ || half_closed_ || !transport_.Shutdown()) {
    phase_ = Phase::kClosed;
    return;
  }
  phase_ = Phase::kLingering;
  since_ms_ = context_->now_ms;
}

// Ends the connection in an answer; the client must see that it is not whole.
void Connection::BreakOff() {
  transport_.Abandon();
  phase_ = Phase::kClosed;
}

// --- evhttp's answers ---

bool Connection::StartExchange(std::unique_ptr<Exchange> exchange, Persistence persistence) {
  auto relayed = std::make_unique<RelayedAnswer>();
  relayed->head_only = exchange->head.method_id == http::Method::kHead;
  relayed->http10 = exchange->head.http10;
  relayed->persistence = persistence;
  relayed->id = context_->relay->Start(std::move(exchange),
                                       {this, OnExchangeHead, OnExchangeBody, OnExchangeEnd});
  if (relayed->id == 0) return false;
  exchange_ = std::move(relayed);
  return true;
}

void Connection::OnExchangeHead(void* pointer, RelayedHead&& head) {
  auto* self = static_cast<Connection*>(pointer);
  self->context_->Tick();
  Enter(self, [&head](Connection* connection) { connection->SendRelayedHead(std::move(head)); });
}

void Connection::SendRelayedHead(RelayedHead&& head) {
  RelayedAnswer& answer = *exchange_;
  answer.head_sent = true;
  answer.chunked = !head.has_length && !answer.http10 && !head.no_content;
  // A body of unknown length ends with the connection where the client can't read chunks.
  if (!head.has_length && answer.http10 && !head.no_content) {
    answer.persistence = Persistence::kClose;
  }
  if (context_->draining) answer.persistence = Persistence::kClose;
  Send(HeadOf(head, answer.chunked, answer.persistence, context_->date));
}

void Connection::OnExchangeBody(void* pointer, std::string_view part) {
  auto* self = static_cast<Connection*>(pointer);
  Enter(self, [part](Connection* connection) { connection->SendRelayedBody(part); });
}

void Connection::SendRelayedBody(std::string_view part) {
  if (exchange_->head_only || part.empty()) return;
  if (exchange_->chunked) {
    Send(ChunkSizeLine(part.size()));
    Send(part);
    Send("\r\n");
  } else {
    Send(part);
  }
  Flush();
  if (QueueIsFull() && !exchange_->paused) {
    exchange_->paused = true;
    context_->relay->Pause(exchange_->id, true);
  }
}

void Connection::OnExchangeEnd(void* pointer, bool ok) {
  auto* self = static_cast<Connection*>(pointer);
  self->context_->Tick();
  Enter(self, [ok](Connection* connection) { connection->ExchangeEnded(ok); });
}

void Connection::ExchangeEnded(bool ok) {
  const std::unique_ptr<RelayedAnswer> answer = std::move(exchange_);
  if (!ok && answer->head_sent) {
    BreakOff();
    return;
  }
  if (!ok) {
    const std::shared_ptr<const site::Site>& site = context_->site;
    Reply(site->FaultResponse(500), answer->head_only, answer->persistence, site);
  } else if (answer->chunked && !answer->head_only) {
    Send("0\r\n\r\n");
  }
  if (answer->persistence == Persistence::kClose) EndAfterReplies(held_ != nullptr);
  if (phase_ == Phase::kOpen && held_ != nullptr) ProcessHeld();
  if (phase_ != Phase::kOpen) held_.reset();
}

}  // namespace quipd::server
