// SPDX-License-Identifier: MIT
// The way to evhttp: what needs more than finished bytes. Each worker has an evhttp on its own
// event_base, reached over an abstract AF_UNIX socket that answers this process alone. Hides the
// pool of connections to it, the ids by which the handler finds an exchange, and how a response
// comes back.
//
// One thread: the worker's. A Relay is destroyed before its event_base, and never from within one
// of its events. Events come from the loop, never from within Start, Pause or Cancel, all of which
// may be called from within an event; after Cancel, and after on_end, none come. The process
// ignores SIGPIPE.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "http/request_head.h"
#include "site/site.h"

struct event_base;

namespace quipd::server {

// A request that evhttp answers: read whole, checked by the Gate, its body de-chunked.
struct Exchange {
  std::shared_ptr<const site::Site> site;  // whose rules it began under
  uint32_t rule = site::kNoRule;
  std::string head_bytes;  // owns what head points into
  http::RequestHead head;
  std::vector<std::string> params;  // values by their number in the rule's path, as text
  std::string body;
  std::string client;  // address without port
  bool secure = false;
};

// The head of a response from evhttp, framing and hop-by-hop fields taken out.
struct RelayedHead {
  uint16_t status = 0;
  std::string fields;           // each with its CRLF; no Date, Connection, Content-Length
  bool has_length = false;      // else the length is unknown: chunked to 1.1, close to 1.0
  uint64_t content_length = 0;  // as a GET would have it, also in an answer to HEAD
  bool no_content = false;      // no body follows: HEAD, 204, 304
};

struct ExchangeEvents {
  void* owner = nullptr;
  void (*on_head)(void* owner, RelayedHead&& head) = nullptr;
  void (*on_body)(void* owner, std::string_view part) = nullptr;  // after on_head, any number
  // The end; ok is false where the response broke off, with or without a head before it.
  void (*on_end)(void* owner, bool ok) = nullptr;
};

class Reply;
using Handler = void (*)(Reply reply);
// The handler of an action; null where evhttp doesn't answer it.
using HandlerOf = Handler (*)(config::Action action);
[[nodiscard]] Handler BuiltInHandler(config::Action action);

struct RelaySettings {
  std::chrono::milliseconds tick{1000};  // the grain of the two that follow
  uint32_t deadline_ticks = 60;          // of an exchange; those in which it was paused don't count
  uint32_t idle_ticks = 30;              // of a pooled connection
  size_t max_idle = 8;                   // pooled connections
  HandlerOf handler_of = BuiltInHandler;
};

class Relay {
 public:
  // `max_active` bounds the exchanges at one time, `body_limit` one body.
  [[nodiscard]] static Result<std::unique_ptr<Relay>> Create(event_base* base, size_t max_active,
                                                             uint64_t body_limit,
                                                             const RelaySettings& settings = {});
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Takes the exchange on; 0 where max_active are under way (the caller answers 503), else its id.
  [[nodiscard]] uint64_t Start(std::unique_ptr<Exchange> exchange, const ExchangeEvents& events);

  // Back-pressure: no on_body while paused.
  void Pause(uint64_t id, bool paused);

  // The client is gone: ends the exchange without further events.
  void Cancel(uint64_t id);

  [[nodiscard]] size_t active() const;
  // Of a new Site: bodies above it are never handed over, but for those admitted before.
  void set_body_limit(uint64_t bytes);

 private:
  struct Impl;
  explicit Relay(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace quipd::server
