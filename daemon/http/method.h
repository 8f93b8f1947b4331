// SPDX-License-Identifier: MIT
// The methods of RFC 9110 9 and RFC 5789, which quipd knows by number; any other token is kOther
// and known by its text alone. Methods are case-sensitive.
#pragma once

#include <cstdint>
#include <string_view>

namespace quipd::http {

enum class Method : uint8_t {
  kGet,
  kHead,
  kPost,
  kPut,
  kPatch,
  kDelete,
  kOptions,
  kTrace,
  kConnect,
  kOther,
};

inline constexpr int kKnownMethods = static_cast<int>(Method::kOther);

[[nodiscard]] Method MethodOf(std::string_view token);

// The token of a known method; empty for kOther.
[[nodiscard]] std::string_view NameOf(Method method);

}  // namespace quipd::http
