// SPDX-License-Identifier: MIT
// The `reflect` action: the request itself as the answer, as JSON or as text. Pure but for the
// handler itself.
#pragma once

#include <string>

#include "server/reply.h"

namespace quipd::server {

// The handler.
void Reflect(Reply reply);

// {method, target, path, params, query, headers, body, base64, client, tls}, compact. Query and
// headers are lists of [name, value] in the client's order; the body is a string where it is UTF-8,
// else base64. Bytes elsewhere that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string ReflectedJson(const Exchange& exchange);

// Request line, fields, an empty line, and the body as it is. Lines end in LF.
[[nodiscard]] std::string ReflectedText(const Exchange& exchange);

}  // namespace quipd::server
