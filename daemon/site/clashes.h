// SPDX-License-Identifier: MIT
// What rules do to each other, in words: clashes are errors, rules that can
// never answer warnings. Pure; adds to the diagnostics it is given.
#pragma once

#include <span>

#include "base/diagnostic.h"
#include "config/config.h"
#include "site/table_builder.h"

namespace quipd::site {

// An error for each pair of rules, at the later of the two.
void AddClashes(const config::Config& config, std::span<const Clash> clashes,
                Diagnostics* diagnostics);

// A warning at a rule that others always go before.
void AddNeverAnswers(const config::Config& config, const config::Rule& rule,
                     const config::Rule& before, Diagnostics* diagnostics);

}  // namespace quipd::site
