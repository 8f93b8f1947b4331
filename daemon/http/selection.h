// SPDX-License-Identifier: MIT
// What a request gets of a representation that is known: all, parts, nothing new, or a refusal
// (RFC 9110 13.2.2, 14.2). Pure; no allocation; thread-safe.
#pragma once

#include <cstdint>

#include "http/conditions.h"
#include "http/ranges.h"
#include "http/request_head.h"

namespace quipd::http {

struct Selection {
  uint16_t status = 200;  // 200, 206, 304, 412, 416
  Ranges ranges;          // of 206: kSome
};

// For a representation of `size` bytes whose plain answer is 200. Range counts for GET alone (HEAD
// is answered as if it were not there).
[[nodiscard]] Selection Select(const RequestHead& head, const Validators& validators, uint64_t size,
                               int64_t now);

}  // namespace quipd::http
