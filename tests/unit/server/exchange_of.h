// SPDX-License-Identifier: MIT
// Exchanges for tests: parsed from a head as a client sends it, under a site with one rule.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/relay.h"

namespace quipd::server {

// A site with `GET /greet/{who}/{rest...} reflect: PAYLOAD`, as far as the handler looks at it,
// with the field `X-Rule: yes`.
[[nodiscard]] std::shared_ptr<const site::Site> ReflectSite(std::string payload = "json");

// `head`: request line and fields, lines ending in LF for brevity, without the empty line.
[[nodiscard]] std::unique_ptr<Exchange> ExchangeOf(std::shared_ptr<const site::Site> site,
                                                   std::string_view head, std::string body = {});

}  // namespace quipd::server
