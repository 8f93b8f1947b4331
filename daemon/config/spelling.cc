// SPDX-License-Identifier: MIT
#include "config/spelling.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "base/ascii.h"
#include "base/utf8.h"

namespace quipd::config {
namespace {

constexpr size_t kLongestWord = 32;
constexpr size_t kLongestQuote = 60;

// Damerau's distance, restricted to neighbours swapped once; both words are short.
size_t Distance(std::string_view a, std::string_view b) {
  std::array<std::array<size_t, kLongestWord + 1>, kLongestWord + 1> cost{};
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = Lower(a[i - 1]) == Lower(b[j - 1]) ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + replace});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
          Lower(a[i - 2]) == Lower(b[j - 1])) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view nearest;
  size_t fewest = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const size_t edits = Distance(word, candidate);
    if (edits < fewest && edits < candidate.size()) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view nearest = Nearest(word, candidates);
  if (nearest.empty()) return {};
  return "did you mean " + Quoted(nearest) + "?";
}

std::string Listing(std::span<const std::string_view> words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  if (text.size() <= kLongestQuote) {
    out += text;
  } else {
    size_t end = kLongestQuote;
    while (end > 0 && !StartsCharacter(text[end])) --end;
    out += text.substr(0, end);
    out += "...";
  }
  out += '"';
  return out;
}

}  // namespace quipd::config
