// SPDX-License-Identifier: MIT
// What a Site holds; filled by the Compiler, read-only afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "site/arena.h"
#include "site/hosts.h"
#include "site/own_answers.h"
#include "site/scopes.h"
#include "site/site.h"
#include "site/table.h"
#include "site/template.h"
#include "site/variants.h"

namespace quipd::site {

// What requests of one listener and host see.
struct View {
  const Table* first = nullptr;          // tables[0], or an empty one
  std::span<const Table* const> tables;  // by rank
  std::span<const OwnAnswers> own;       // longest prefix first; none: composed when sent
  std::span<const HostId> hosts;         // best first
  int32_t listener = -1;
};

inline constexpr std::array<uint16_t, 10> kFaults = {400, 408, 413, 414, 417,
                                                     431, 500, 501, 503, 505};

// The numbers of the errors of a rule that opens files.
struct FileErrors {
  uint32_t not_found = 0;
  uint32_t failed = 0;  // 500
};

struct Site::Impl {
  explicit Impl(config::Config loaded)
      : config(std::move(loaded)), hosts(config), scopes(config, hosts) {}

  config::Config config;
  Hosts hosts;
  Scopes scopes;
  Arena arena;
  uint64_t seed = 0;
  std::deque<CompiledTemplate> templates;
  std::vector<View> views;     // rows of listeners, a column for each host pattern
  std::vector<uint32_t> rows;  // by listener: where its row of views begins
  std::vector<RuleError> rule_errors;
  Tokens tokens;       // methods without a Method that rules name
  uint16_t allow = 0;  // of all rules, for "OPTIONS *"
  std::array<Response, kFaults.size()> faults{};
  std::unordered_map<uint32_t, std::string_view> relay_fields;
  std::deque<FileRule> files;
  std::unordered_map<uint32_t, FileErrors> file_errors;
  CodedBodies coded;  // in the arena

  [[nodiscard]] const View* ViewOf(const Request& request, Scratch* scratch) const;
  [[nodiscard]] Answer FindSlowly(const Request& request, const Lookup& lookup,
                                  Scratch* scratch) const;
  [[nodiscard]] Answer Own(const Request& request, const Lookup& lookup, Scratch* scratch) const;
  [[nodiscard]] CompiledTemplate ComposeOwn(const Answer& answer, const Scratch& scratch) const;
  [[nodiscard]] std::string AllowOf(const Answer& answer, const Scratch& scratch) const;
};

}  // namespace quipd::site
