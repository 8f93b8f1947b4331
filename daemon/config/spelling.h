// SPDX-License-Identifier: MIT
// "Did you mean": the known word that is nearest to a misspelt one. Pure; thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace quipd::config {

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `word`,
// whatever the case; empty where none is near enough to be meant.
[[nodiscard]] std::string_view Nearest(std::string_view word,
                                       std::span<const std::string_view> candidates);

// `did you mean "cache"?`, or empty.
[[nodiscard]] std::string DidYouMean(std::string_view word,
                                     std::span<const std::string_view> candidates);

// "a, b and c", for messages.
[[nodiscard]] std::string Listing(std::span<const std::string_view> words);

// The text in double quotes, cut where it is long; controls are left to the printing.
[[nodiscard]] std::string Quoted(std::string_view text);

}  // namespace quipd::config
