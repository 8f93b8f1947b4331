// SPDX-License-Identifier: MIT
// A client's connection: bytes in, bytes out, and how it ends. What the bytes mean is the Gate's.
// Small while idle: what is left over of a head, a body on its way, an exchange with evhttp and a
// queue of answers exist only while they are needed.
//
// One thread: its worker's. It is owned by the worker's set and destroyed by the entry points below
// alone (Open, the event callbacks, Drain), so that no other function has to fear for `this`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "server/body_reader.h"
#include "server/deadlines.h"
#include "server/event_handles.h"
#include "server/outbox.h"
#include "server/peer.h"
#include "server/relay.h"
#include "server/transport.h"
#include "site/site.h"

namespace quipd::server {

class ConnectionSet;
class Context;
class FileBody;
class Gate;
class OutQueue;
class ProxyIntake;
struct ListenerSlot;

// Parses a head once more that was accepted before, from a copy of its bytes.
[[nodiscard]] http::RequestHead ParseAgain(std::string_view head_bytes);

// A request whose body is still coming. It ends under the Site that it began with.
struct Incoming {
  Incoming(const http::RequestHead& heard, std::shared_ptr<const site::Site> under,
           const BodyReader& body_reader);

  std::string bytes;  // of the head; `head` points into it
  http::RequestHead head;
  std::shared_ptr<const site::Site> site;
  BodyReader reader;
  std::string content;  // for evhttp alone
  bool wanted = false;  // the content is kept
};

// An exchange with evhttp under way.
struct RelayedAnswer {
  uint64_t id = 0;
  bool head_only = false;
  bool http10 = false;
  bool head_sent = false;
  bool chunked = false;  // the length is unknown: chunked to HTTP/1.1
  bool paused = false;
  Persistence persistence = Persistence::kImplied;
};

class Connection : private Deadline {
 public:
  // Takes a socket on and reads what is there already.
  static void Open(Context* context, Gate* gate, ConnectionSet* set, FileDescriptor socket,
                   std::shared_ptr<const ListenerSlot> listener, const Peer& peer);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The worker drains: what is queued is read, then an idle connection ends.
  static void Drain(Connection* connection);
  // The deadline of a connection has passed.
  static void Expire(Deadline* deadline);

  // Nothing received that isn't answered, nothing to send.
  [[nodiscard]] bool IsIdle() const;
  [[nodiscard]] int64_t idle_since_ms() const { return since_ms_; }

  // --- What the Gate sees ---

  // May a further request be taken now?
  [[nodiscard]] bool TakesRequests() const {
    return phase_ == Phase::kOpen && exchange_ == nullptr && !QueueIsFull();
  }
  [[nodiscard]] uint32_t listener_number() const;
  [[nodiscard]] bool secure() const { return transport_.secure(); }
  [[nodiscard]] std::string ClientText() const { return peer_.Text(); }
  [[nodiscard]] Incoming* incoming() { return incoming_.get(); }

  void SetIncoming(std::unique_ptr<Incoming> incoming);
  [[nodiscard]] std::unique_ptr<Incoming> TakeIncoming() { return std::move(incoming_); }

  // Sends a finished response; the body is left out where head_only. `owner` is the response's
  // Site.
  void Reply(const site::Response& response, bool head_only, Persistence persistence,
             const std::shared_ptr<const site::Site>& owner);
  // Sends bytes as they are.
  void Send(std::string_view bytes);
  // The same for a part of a body of `owner`, which a large one is not copied from.
  void SendBody(std::string_view body, const std::shared_ptr<const site::Site>& owner);
  // Sends a slice of a file, or what is in `body`; no further request is taken before it has gone.
  // A file that is shorter than that ends the connection.
  void SendFile(FileDescriptor file, uint64_t offset, uint64_t size);
  void SendFile(FileBody body);
  // Hands a request to evhttp; false where too many are under way.
  [[nodiscard]] bool StartExchange(std::unique_ptr<Exchange> exchange, Persistence persistence);
  // No further request is taken. With `linger`, bytes may come that nobody reads, and the answer
  // must not be lost to a reset.
  void EndAfterReplies(bool linger);

 private:
  enum class Phase : uint8_t {
    kOpen,       // takes requests
    kEnding,     // sends what is queued, then ends
    kLingering,  // has sent all, reads until the client has seen it
    kClosed,     // to be destroyed by the entry point that is running
  };

  Connection(Context* context, Gate* gate, ConnectionSet* set, FileDescriptor socket,
             std::shared_ptr<const ListenerSlot> listener, const Peer& peer);

  static void OnReadable(evutil_socket_t fd, short what, void* self);
  static void OnWritable(evutil_socket_t fd, short what, void* self);
  static void OnExchangeHead(void* self, RelayedHead&& head);
  static void OnExchangeBody(void* self, std::string_view part);
  static void OnExchangeEnd(void* self, bool ok);

  // Runs what an entry point does, then settles the connection: flushes, sets interest and
  // deadline, destroys it if it is closed.
  template <typename Work>
  static void Enter(Connection* self, Work work);
  void Settle();
  void SettleTls();

  void ReadOnce();
  [[nodiscard]] bool TakeProxyHeader();
  void OnReadFailed();
  void Received(size_t size);
  void OnEndOfInput();
  void Process(std::string_view input);
  void ProcessHeld();
  void Discard();
  void WriteQueued();
  void SendRelayedHead(RelayedHead&& head);
  void SendRelayedBody(std::string_view part);
  void ExchangeEnded(bool ok);
  void OnDeadline();
  [[nodiscard]] bool HasStoppedReading();
  void NoteProgress();
  void TimeOut();

  void Flush();
  OutQueue& MakeQueue();
  void SendLarge(std::string_view body, const std::shared_ptr<const site::Site>& owner);
  void SendLargeHead(const site::Response& response, Persistence persistence);
  void EnsureRoom(size_t bytes);
  void FinishEnding();
  void BreakOff();
  void SetReading(bool on);
  void SetDeadline();
  [[nodiscard]] int64_t Due() const;
  // A part of a head is here, and nothing of ours keeps the rest from being read.
  [[nodiscard]] bool IsInHead() const {
    return phase_ == Phase::kOpen && incoming_ == nullptr && exchange_ == nullptr &&
           held_ != nullptr && !QueueIsFull();
  }
  [[nodiscard]] bool WantsInput() const;
  [[nodiscard]] bool QueueIsFull() const;

  event read_event_;
  Context* const context_;
  Gate* const gate_;
  ConnectionSet* const set_;
  std::shared_ptr<const ListenerSlot> listener_;
  std::unique_ptr<OutQueue> queue_;
  std::unique_ptr<std::string> held_;  // input that was not taken yet
  std::unique_ptr<Incoming> incoming_;
  std::unique_ptr<RelayedAnswer> exchange_;
  std::unique_ptr<ProxyIntake> proxy_;  // until the header of the PROXY protocol is taken
  int64_t since_ms_;            // when this state began: idle, head begun, body begun, lingering
  int64_t write_since_ms_ = 0;  // when the queue last moved
  Transport transport_;
  Peer peer_;
  uint32_t place_ = 0;  // in the set
  uint32_t drained_bytes_ = 0;
  int untaken_ = 0;  // bytes that the system held for the client when the queue last moved
  Phase phase_ = Phase::kOpen;
  bool served_ = false;       // has answered a request
  bool in_head_ = false;      // held_ is a part of a head, since since_ms_
  bool reading_ = false;      // read_event_ is added
  bool half_closed_ = false;  // the client has sent all it will
  bool linger_ = false;
  bool may_have_more_ = false;  // the last read filled its buffer
  bool shaking_hands_ = true;   // as of the last read that found nothing
  bool fruitless_ = false;      // this read has found nothing

  friend class ConnectionSet;
};

}  // namespace quipd::server
