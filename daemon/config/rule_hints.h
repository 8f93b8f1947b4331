// SPDX-License-Identifier: MIT
// What an item of `routes` that YAML took otherwise than it was meant was probably meant to be.
// Looks at the bytes around a value, since YAML has dropped what matters here. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/problem.h"
#include "config/source.h"
#include "config/value.h"

namespace quipd::config {

// An item that is text: `- GET / echo:Hello`.
[[nodiscard]] Problem ExplainText(const Source& source, const Value& item);

// A mapping that is neither a rule nor a group; `key` is the member to point at.
[[nodiscard]] Problem ExplainMapping(const Value& item, const Member** key);

// `routes` that is no list.
[[nodiscard]] Problem ExplainRoutes(const Value& routes);

// Why a member beside a rule may not be an option, or empty.
[[nodiscard]] std::string HintForStray(const Value& item, const Member& rule, const Member& stray);

// A block (`|` or `>`) without text, which the reader of YAML has reported: what stands beside it
// is likely its text.
[[nodiscard]] bool IsEmptyBlock(const Source& source, const Value& payload);

// A rule's payload that isn't there.
[[nodiscard]] Problem ExplainMissing(const Source& source, Action action, const Value& item,
                                     const Member& rule);

// What the payload of an action is called.
[[nodiscard]] std::string_view PayloadOf(Action action);

}  // namespace quipd::config
