// SPDX-License-Identifier: MIT
// Rules in the words of the file, for people. Pure.
#pragma once

#include <string>

#include "config/config.h"

namespace quipd::config {

// "GET,POST" or "ANY".
[[nodiscard]] std::string Describe(const Methods& methods);

// "GET /users/{id} json".
[[nodiscard]] std::string Describe(const Rule& rule);

}  // namespace quipd::config
