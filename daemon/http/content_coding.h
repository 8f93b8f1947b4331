// SPDX-License-Identifier: MIT
// Content codings and their negotiation (RFC 9110 8.4, 12.5.3). Pure; no allocation; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/request_head.h"

namespace quipd::http {

enum class Coding : uint8_t { kIdentity, kGzip, kBrotli };

// Bits of a set of codings.
[[nodiscard]] constexpr uint8_t BitOf(Coding coding) {
  return static_cast<uint8_t>(1u << static_cast<unsigned>(coding));
}

// "gzip", "br"; "" for identity.
[[nodiscard]] std::string_view NameOf(Coding coding);

// qvalue (RFC 9110 12.4.2), in thousandths; none where it is malformed.
[[nodiscard]] std::optional<uint16_t> ParseWeight(std::string_view text);

// What Accept-Encoding gives each coding, in thousandths; 0: not acceptable.
struct CodingWeights {
  uint16_t identity = 1000;
  uint16_t gzip = 0;
  uint16_t brotli = 0;
};

// Of all Accept-Encoding fields of these lines together (RequestHead::selecting holds them all);
// absent or empty: identity alone. x-gzip is gzip. A malformed member is passed over.
[[nodiscard]] CodingWeights WeightsOf(std::string_view fields);

// The best coding of `available` (a set; identity is always in it): the highest weight; of equal
// ones brotli, then gzip, then identity, where identity's weight, if nothing names it, is below any
// that is named. None where not even identity is acceptable: 406.
[[nodiscard]] std::optional<Coding> Choose(const CodingWeights& weights, uint8_t available);

}  // namespace quipd::http
