// SPDX-License-Identifier: MIT
// A response of evhttp's as it is sent to a client. Pure.
#pragma once

#include <array>
#include <string>

#include "http/date.h"
#include "server/outbox.h"
#include "server/relay.h"

namespace quipd::server {

// Status line, fields, framing, Connection and Date, with the empty line.
[[nodiscard]] std::string HeadOf(const RelayedHead& head, bool chunked, Persistence persistence,
                                 const std::array<char, http::kDateLength>& date);

// The line before a chunk of that size, which isn't 0 (RFC 9112 7.1).
[[nodiscard]] std::string ChunkSizeLine(size_t size);

}  // namespace quipd::server
