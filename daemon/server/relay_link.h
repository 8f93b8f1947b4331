// SPDX-License-Identifier: MIT
// One connection to the worker's evhttp: writes one request at a time and reads its response, with
// back-pressure. Which link takes which exchange, and how long links live, is the Relay's.
//
// One thread: the worker's. Events come from the loop alone. A link is never destroyed from within
// one of its own events: whoever has done with it calls Close(), and destroys it later.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "server/event_handles.h"
#include "server/relay.h"
#include "server/response_reader.h"

namespace quipd::server {

class RelayLink {
 public:
  struct Owner {
    void* owner = nullptr;
    // The exchange is over, and the link done with it: Reusable() tells whether it can take the
    // next. Or an idle link broke (`id` is 0).
    void (*on_over)(void* owner, RelayLink* link, uint64_t id, bool ok) = nullptr;
  };

  // `socket` may be none, where the system refused: the exchange that it is given then breaks off.
  // `scratch` is shared by the links of one thread.
  RelayLink(event_base* base, FileDescriptor socket, std::span<char> scratch, const Owner& owner);
  ~RelayLink();
  RelayLink(const RelayLink&) = delete;
  RelayLink& operator=(const RelayLink&) = delete;

  // Sends `head` and the body of the exchange; on_head and on_body of `events` are told of the
  // response, its end is the owner's to tell.
  void Begin(uint64_t id, std::shared_ptr<const Exchange> exchange, std::string head,
             const ExchangeEvents& events);
  void Pause(bool paused);
  void Close();

  [[nodiscard]] bool Reusable() const { return state_ == State::kIdle; }
  [[nodiscard]] const ExchangeEvents& events() const { return events_; }

  // Counts the ticks since the exchange, or the idleness, began; those while paused don't count.
  uint32_t CountTick() { return paused_ ? ticks_ : ++ticks_; }

  // The exchange breaks off: the owner is told at once.
  void Fail();

 private:
  enum class State : uint8_t { kIdle, kBusy, kClosed };

  static void OnReadable(int fd, short what, void* self) noexcept;
  static void OnWritable(int fd, short what, void* self) noexcept;
  void Receive();
  void Consume(std::string_view bytes);
  void Over(bool ok);
  void Flush();
  [[nodiscard]] size_t Unsent() const;

  FileDescriptor socket_;
  std::span<char> scratch_;  // constant after construction
  Owner owner_;              // constant after construction
  Event readable_;
  Event writable_;
  State state_ = State::kIdle;
  bool paused_ = false;
  uint32_t ticks_ = 0;

  uint64_t id_ = 0;
  std::shared_ptr<const Exchange> exchange_;
  ExchangeEvents events_;
  std::string head_;  // of the request
  size_t sent_ = 0;   // of head and body
  ResponseReader reader_{false};
  std::string held_;  // received, and not yet read because of a pause
};

}  // namespace quipd::server
