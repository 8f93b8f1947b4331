// SPDX-License-Identifier: MIT
#include "site/hosts.h"

#include <algorithm>

namespace quipd::site {

Hosts::Hosts(const config::Config& config) : names_{""} {
  for (const std::vector<std::string>& set : config.host_sets) {
    std::vector<HostId>& ids = sets_.emplace_back();
    if (set.empty()) ids.push_back(kAnyHost);
    for (const std::string& name : set) {
      const bool suffix = name.starts_with("*.");
      Names& names = suffix ? suffixes_ : exact_;
      const auto [place, added] =
          names.try_emplace(suffix ? name.substr(1) : name, static_cast<HostId>(names_.size()));
      if (added) names_.push_back(name);
      if (suffix) longest_suffix_ = std::max(longest_suffix_, name.size() - 1);
      if (std::ranges::find(ids, place->second) == ids.end()) ids.push_back(place->second);
    }
  }
}

HostId Hosts::Find(std::string_view host) const {
  if (const auto found = exact_.find(host); found != exact_.end()) return found->second;
  return LongestSuffix(host);
}

// One label or more stand before a suffix. What is longer than the longest suffix isn't looked up,
// so that a host of many dots costs no more than the configuration asks for.
HostId Hosts::LongestSuffix(std::string_view host) const {
  size_t dot = host.size() > longest_suffix_ ? host.size() - longest_suffix_ : 1;
  for (dot = host.find('.', dot); dot != std::string_view::npos; dot = host.find('.', dot + 1)) {
    const auto found = suffixes_.find(host.substr(dot));
    if (found != suffixes_.end()) return found->second;
  }
  return kAnyHost;
}

std::vector<HostId> Hosts::Under(HostId host) const {
  std::vector<HostId> under;
  std::string_view name = names_[host];
  if (name.starts_with("*.")) name.remove_prefix(1);
  while (host != kAnyHost) {
    under.push_back(host);
    host = LongestSuffix(name);
    if (host != kAnyHost) name = std::string_view(names_[host]).substr(1);
  }
  under.push_back(kAnyHost);
  return under;
}

}  // namespace quipd::site
