// SPDX-License-Identifier: MIT
#include "http/method.h"

#include <array>

namespace quipd::http {
namespace {

constexpr std::array<std::string_view, kKnownMethods> kNames = {
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"};

}  // namespace

Method MethodOf(std::string_view token) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == token) {
      return static_cast<Method>(i);
    }
  }
  return Method::kOther;
}

std::string_view NameOf(Method method) {
  const auto index = static_cast<size_t>(method);
  return index < kNames.size() ? kNames[index] : std::string_view();
}

}  // namespace quipd::http
