// SPDX-License-Identifier: MIT
// The one form in which a request is relayed: origin-form target, one Host, the client's fields
// without those of its connection and its framing, the whole body with Content-Length, HTTP/1.1 and
// kept alive. Whatever the client sent, there is one way to read it. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "server/relay.h"

namespace quipd::server {

// The head through its empty line; exchange.body follows as it is. `id` is the value of the field
// by which the handler finds the exchange; a field of that name from the client is left out.
//
// The method is the exchange's where evhttp knows it and reads its body; any other goes as POST,
// and the handler takes the real one from the Exchange.
[[nodiscard]] std::string CanonicalRequestHead(const Exchange& exchange, std::string_view id);

}  // namespace quipd::server
