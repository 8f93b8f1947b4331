// SPDX-License-Identifier: MIT
// The groups that a request falls in, whether or not a rule takes it: they decide the headers and
// the error bodies of what quipd answers itself. Reads the Config it was made of, which outlives
// it. Thread-safe once built. Its functions allocate: they serve compilation and rare answers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/config.h"
#include "site/hosts.h"

namespace quipd::site {

using ScopeId = uint32_t;

class Scopes {
 public:
  Scopes(const config::Config& config, const Hosts& hosts);

  // Where a request comes in: its listener (-1: one without rules of its own) and the host patterns
  // that it falls under, best first.
  struct Entrance {
    int32_t listener = -1;
    std::span<const HostId> hosts;
  };

  // The scopes with something to say of a request there, nearest first: by rank, as rules, groups
  // before those around them, and of equal ones side by side the one that `own` stands in.
  // Without a path, those without a prefix alone.
  [[nodiscard]] std::vector<ScopeId> Around(const Entrance& entrance,
                                            std::optional<std::string_view> path,
                                            ScopeId own = 0) const;

  // The prefixes of scopes with something to say there, each once, longest first, the top level's
  // (none) last. Nothing where one holds a parameter: then the longest doesn't tell the others.
  [[nodiscard]] std::optional<std::vector<const config::Path*>> Prefixes(
      const Entrance& entrance) const;

  // The headers of scopes as they nest, the outermost first.
  [[nodiscard]] std::vector<const config::Header*> Headers(std::span<const ScopeId> around) const;

  // What `errors` says of a status: the nearest first, in it the code before the class.
  [[nodiscard]] const config::ErrorAnswer* ErrorFor(std::span<const ScopeId> around,
                                                    int status) const;

  // The scope itself or the nearest around it that has something to say.
  [[nodiscard]] ScopeId Speaking(ScopeId scope) const;

  // The headers of `options` that are not inherited from `parent`.
  [[nodiscard]] static std::vector<const config::Header*> OwnHeaders(const config::Options& options,
                                                                     const config::Options& parent);

 private:
  [[nodiscard]] bool HasWord(ScopeId scope) const;
  [[nodiscard]] bool IsAround(ScopeId outer, ScopeId inner) const;
  [[nodiscard]] size_t HostRank(ScopeId scope, const Entrance& entrance) const;
  void AddPlace(ScopeId scope, HostId host);
  void AddByPrefix(HostId host, std::string_view path, std::vector<ScopeId>* found) const;
  // Negative: `a` before `b`.
  [[nodiscard]] int CompareRank(ScopeId a, ScopeId b, const Entrance& entrance) const;
  [[nodiscard]] bool NearerThan(ScopeId a, ScopeId b, const Entrance& entrance, ScopeId own) const;

  const config::Config& config_;
  const Hosts& hosts_;
  std::vector<uint32_t> depth_;
  // Those with a word, by host pattern: without a prefix, or with one that holds a parameter; those
  // with a literal prefix by PrefixKey; and all that have a prefix, by listener too.
  std::vector<std::vector<ScopeId>> by_host_;
  std::unordered_map<std::string, std::vector<ScopeId>> by_prefix_;
  std::map<std::pair<HostId, int32_t>, std::vector<ScopeId>> prefixed_;
  size_t longest_prefix_ = 0;
  std::vector<bool> has_word_;
};

// A request's path lies under a group's prefix: at least one segment more.
[[nodiscard]] bool LiesUnder(std::string_view path, const config::Path& prefix);

// Negative: `a` ranks before `b`, as paths that both match one request; 0: the same shape.
[[nodiscard]] int ComparePaths(const config::Path& a, const config::Path& b);

}  // namespace quipd::site
