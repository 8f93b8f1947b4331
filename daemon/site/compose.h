// SPDX-License-Identifier: MIT
// Which fields a response has, and in which order: the one place that knows. A response is composed
// of what a rule or `errors` shows, of headers, and of what HTTP asks for (RFC
// 9110 8.6, 8.8, 12.5.5, 14.3, 15). Pure functions over a Config; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "http/content_coding.h"
#include "site/template.h"

namespace quipd::site {

struct Composition {
  uint16_t status = 200;
  std::vector<const config::Header*> headers;  // in order; replace quipd's own of that name
  std::string_view cache;                      // Cache-Control; empty: none
  const config::Representation* shown = nullptr;
  std::string_view text;  // text/plain, where nothing is shown
  std::string allow;      // empty: none
  bool varies = false;    // another Accept-Encoding may get another answer

  // A rule's 200 whose bytes are known at load: it has validators, and can be sent in part.
  bool known = false;
  http::Coding coding = http::Coding::kIdentity;
  std::string_view coded;  // its body in that coding, unless identity
};

[[nodiscard]] CompiledTemplate Compose(const config::Config& config,
                                       const Composition& composition);

// What a rule answers, if it isn't the error of its status.
[[nodiscard]] Composition OfRule(const config::Rule& rule);

// Of enum http::Selector: the fields of a request that the answer heeds.
[[nodiscard]] uint8_t SelectorsOf(const Composition& composition);

// The body is worth being tried in other codings.
[[nodiscard]] bool IsWorthCoding(const config::Config& config, const Composition& composition);

// The redirect from a directory's path without its final slash to that with it; the rule's headers.
[[nodiscard]] CompiledTemplate ComposeSlash(const config::Config& config, const config::Rule& rule);

// The type of a file by its name: `types` before the built-in ones.
[[nodiscard]] std::string_view TypeOf(const config::Config& config, std::string_view name);

// "404 Not Found\n": what an error shows by default.
[[nodiscard]] std::string DefaultBody(int status);

// Field lines, each with its CRLF, of a rule that evhttp answers: Server and all that aren't about
// type, connection or framing.
[[nodiscard]] std::string RelayFieldsOf(const config::Config& config, const config::Rule& rule);

// What a rule says of the files that it opens.
[[nodiscard]] FileRule FileRuleOf(const config::Config& config, uint32_t rule);

}  // namespace quipd::site
