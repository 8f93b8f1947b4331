// SPDX-License-Identifier: MIT
// The answer that a handler owes an exchange. Hides evhttp's request object, whose life depends on
// its connection, and what evhttp would send wrong: bodies to HEAD and beside 204, its own reasons.
//
// One thread: the worker's. Moved along by a handler that answers later; one that was dropped
// without an answer (an exception in the handler, too) answers 500. A Reply that outlives its
// Backend does nothing. The Exchange is kept alive, whether or not the client still waits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/relay.h"

struct evhttp_request;

namespace quipd::server {

class Reply {
 public:
  // `alive` is the Backend's: false once it has freed its requests. `exchange` may be null.
  Reply(evhttp_request* request, std::shared_ptr<const Exchange> exchange,
        std::shared_ptr<const bool> alive)
      : request_(request), exchange_(std::move(exchange)), alive_(std::move(alive)) {}
  Reply(Reply&& other) noexcept;
  Reply& operator=(Reply&&) = delete;
  ~Reply();

  [[nodiscard]] const Exchange& exchange() const { return *exchange_; }

  // Sends the whole answer, once: `fields` each with its CRLF, without framing. The body goes as it
  // is, or not at all where the method or the status has none.
  void Send(uint16_t status, std::string_view fields, std::string body);

  // Sends what the site answers to a fault of that status.
  void SendFault(int status);

 private:
  // The request, which is not to be touched again; null where it was answered or is gone.
  evhttp_request* Take();

  evhttp_request* request_;
  std::shared_ptr<const Exchange> exchange_;
  std::shared_ptr<const bool> alive_;
};

}  // namespace quipd::server
