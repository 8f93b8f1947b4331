// SPDX-License-Identifier: MIT
// Conditional requests (RFC 9110 13). Pure functions; no allocation; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/request_head.h"

namespace quipd::http {

// What tells one state of a representation from another.
struct Validators {
  std::string_view etag;                 // as sent, with its quotes, and W/ if weak; empty: none
  std::optional<int64_t> last_modified;  // seconds since 1970
};

enum class Condition : uint8_t {
  kHolds,        // the request is answered as if it had no condition
  kNotModified,  // 304
  kFailed,       // 412
};

// Evaluates If-Match, else If-Unmodified-Since, then If-None-Match, else If-Modified-Since, in the
// order and for the methods of RFC 9110 13.2.2. To be asked only where the plain answer is 2xx
// (13.2.1). Malformed dates are ignored, malformed lists of tags match nothing. `now` is for
// ParseDate.
[[nodiscard]] Condition Evaluate(const RequestHead& head, const Validators& validators,
                                 int64_t now);

// Whether Range counts: there is no If-Range, or it names exactly this state (strong comparison;
// a date must equal a strong Last-Modified, which is one at least a second before `now`).
[[nodiscard]] bool IfRangeHolds(const RequestHead& head, const Validators& validators, int64_t now);

}  // namespace quipd::http
