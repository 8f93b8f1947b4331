// SPDX-License-Identifier: MIT
// One case, sent one way to one endpoint, and what is wrong with what was answered. Thread-safe.
#pragma once

#include <array>
#include <string>

#include "conformance/case_file.h"
#include "conformance/endpoints.h"

namespace quipd::test {

enum class Way { kWhole, kBytewise, kByLine };
inline constexpr std::array<Way, 3> kWays{Way::kWhole, Way::kBytewise, Way::kByLine};
inline constexpr std::array<const char*, 3> kWayNames{"in one write", "byte by byte",
                                                      "split behind each CRLF"};

// A case with its validators filled in and the bodies that it speaks of.
struct ReadyCase {
  Case wanted;
  std::vector<std::string> bodies;  // of each response with body_of, else empty
};

// Asks `endpoints` for all that the case refers to.
[[nodiscard]] ReadyCase Prepare(Case wanted, Endpoints* endpoints);

// The faults, and what must be equal for all ways.
struct Result {
  std::string faults;
  std::string transcript;
};

[[nodiscard]] Result Run(const ReadyCase& ready, Way way, const Endpoint& endpoint);

}  // namespace quipd::test
