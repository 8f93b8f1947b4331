// SPDX-License-Identifier: MIT
// Which fields a response has, and in which order: the one place that knows. A response is composed
// of what a rule or `errors` shows, of headers, and of what HTTP asks for (RFC 9110 8.6, 15). Pure
// functions over a Config; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "site/template.h"

namespace quipd::site {

struct Composition {
  uint16_t status = 200;
  std::vector<const config::Header*> headers;  // in order; replace quipd's own of that name
  std::string_view cache;                      // Cache-Control; empty: none
  const config::Representation* shown = nullptr;
  std::string_view text;  // text/plain, where nothing is shown
  std::string allow;      // empty: none
};

[[nodiscard]] CompiledTemplate Compose(const config::Config& config,
                                       const Composition& composition);

// What a rule answers, if it isn't the error of its status.
[[nodiscard]] Composition OfRule(const config::Rule& rule);

// "404 Not Found\n": what an error shows by default.
[[nodiscard]] std::string DefaultBody(int status);

// Field lines, each with its CRLF, of a rule that evhttp answers: Server and all that aren't about
// type, connection or framing.
[[nodiscard]] std::string RelayFieldsOf(const config::Config& config, const config::Rule& rule);

}  // namespace quipd::site
