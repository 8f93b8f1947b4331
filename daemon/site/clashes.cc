// SPDX-License-Identifier: MIT
#include "site/clashes.h"

#include <algorithm>
#include <string>

namespace quipd::site {

void AddClashes(const config::Config& config, std::span<const Clash> clashes,
                Diagnostics* diagnostics) {
  uint32_t reported = UINT32_MAX;
  for (const Clash& clash : clashes) {
    if (clash.second == reported) continue;  // on another of its hosts
    reported = clash.second;
    const config::Rule& first = config.rules[clash.first];
    const config::Rule& second = config.rules[clash.second];
    const bool below = second.answer.action == config::Action::kDir;
    diagnostics->push_back(config.Error(
        second.place,
        "two rules answer " + clash.method + ' ' + second.path.written +
            (below ? " and all below it" : "") + ": the other is at " + config.Where(first.place),
        "leave one of them out, or tell them apart by method, path, host or listener"));
  }
}

void AddNeverAnswers(const config::Config& config, const config::Rule& rule,
                     const config::Rule& before, Diagnostics* diagnostics) {
  diagnostics->push_back(
      config.Warning(rule.place, "this rule can never answer: " + config.Where(before.place) +
                                     " goes before it wherever it matches"));
}

}  // namespace quipd::site
