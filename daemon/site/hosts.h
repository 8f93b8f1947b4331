// SPDX-License-Identifier: MIT
// The host patterns of a configuration by number, and which of them a host falls under. 0 is "any
// host". Immutable once built, so thread-safe; looking up allocates nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/config.h"

namespace quipd::site {

using HostId = uint32_t;
inline constexpr HostId kAnyHost = 0;

class Hosts {
 public:
  explicit Hosts(const config::Config& config);

  [[nodiscard]] size_t count() const { return names_.size(); }
  [[nodiscard]] bool none() const { return names_.size() == 1; }
  [[nodiscard]] const std::string& NameOf(HostId host) const { return names_[host]; }
  [[nodiscard]] std::span<const HostId> InSet(uint32_t host_set) const { return sets_[host_set]; }

  // The best pattern for a host (http::CanonicalHost): itself, or the longest suffix.
  [[nodiscard]] HostId Find(std::string_view host) const;

  // What a host whose best pattern is `host` falls under, best first, "any" last.
  [[nodiscard]] std::vector<HostId> Under(HostId host) const;

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Names = std::unordered_map<std::string, HostId, Hash, std::equal_to<>>;

  [[nodiscard]] HostId LongestSuffix(std::string_view host) const;

  std::vector<std::string> names_;
  std::vector<std::vector<HostId>> sets_;
  Names exact_;
  Names suffixes_;  // of "*.x" the ".x"
  size_t longest_suffix_ = 0;
};

}  // namespace quipd::site
