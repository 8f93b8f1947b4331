// SPDX-License-Identifier: MIT
// What a pure parser of config/ finds wrong with a piece of text, before it is known where the text
// stands: the caller adds the place. Plain data; thread-safe as such.
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace quipd::config {

struct Problem {
  std::string message;
  std::string hint;
  size_t offset = 0;  // bytes into the text that was parsed
};

template <typename T>
using Parsed = tl::expected<T, Problem>;

[[nodiscard]] inline tl::unexpected<Problem> Wrong(std::string message, std::string hint = {},
                                                   size_t offset = 0) {
  return tl::unexpected(Problem{std::move(message), std::move(hint), offset});
}

}  // namespace quipd::config
