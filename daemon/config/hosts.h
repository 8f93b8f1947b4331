// SPDX-License-Identifier: MIT
// Hosts of rules and groups: `example.com`, `*.example.com`, `[::1]`. Pure but for the report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/problem.h"
#include "config/reader.h"

namespace quipd::config {

// The host as Config::host_sets has it: lower case, without a final dot.
[[nodiscard]] Parsed<std::string> ParseHost(std::string_view text);

// One host or a list, sorted, each once. Empty where there is a fault.
[[nodiscard]] std::vector<std::string> ReadHosts(Reader& reader, const Value& value);

}  // namespace quipd::config
