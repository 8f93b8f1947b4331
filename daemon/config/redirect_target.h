// SPDX-License-Identifier: MIT
// The target of a redirect: `/path` or `scheme://host/path`, with placeholders anywhere but in the
// host, where only `{{host}}` may stand (else a request could choose where it leads). Pure;
// thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/problem.h"

namespace quipd::config {

struct Target {
  std::string text;  // as written, but non-ASCII percent-encoded
  Template pieces;   // empty where there is no placeholder
};

[[nodiscard]] Parsed<Target> ParseTarget(std::string_view text,
                                         std::span<const std::string_view> parameters);

}  // namespace quipd::config
