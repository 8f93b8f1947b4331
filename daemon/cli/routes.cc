// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/load_or_complain.h"
#include "config/describe.h"

namespace quipd::cli {
namespace {

using Row = std::array<std::string, 5>;

std::string Join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ',';
    out += word;
  }
  return out;
}

Row RowOf(const config::Config& config, const config::Rule& rule) {
  const std::vector<std::string>& hosts = config.host_sets[rule.host_set];
  std::string action(config::NameOf(rule.answer.action));
  if (rule.answer.live) action += " (live)";
  if (rule.override_on) action += " (override)";
  if (!rule.name.empty()) action += " \"" + rule.name + '"';
  return {config::Describe(rule.methods), hosts.empty() ? "*" : Join(hosts), rule.path.written,
          action, config.Where(rule.place)};
}

void PrintTable(const std::vector<Row>& rows) {
  std::array<size_t, 5> width{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(width[i] - row[i].size() + 2, ' ');
    }
    std::puts(line.c_str());
  }
}

}  // namespace

int Routes(const Source& source) {
  const std::shared_ptr<const site::Site> site = LoadOrComplain(source, Certificates::kLeftOut);
  if (site == nullptr) return 1;
  const config::Config& config = site->config();
  std::vector<Row> rows{{"METHODS", "HOST", "PATH", "ACTION", "WHERE"}};
  for (const config::Rule& rule : config.rules) rows.push_back(RowOf(config, rule));
  PrintTable(rows);
  return 0;
}

}  // namespace quipd::cli
