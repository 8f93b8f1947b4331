// SPDX-License-Identifier: MIT
#include "config/describe.h"

namespace quipd::config {

std::string Describe(const Methods& methods) {
  if (methods.any) return "ANY";
  std::string out;
  const auto add = [&out](std::string_view name) {
    if (!out.empty()) out += ',';
    out += name;
  };
  for (int i = 0; i < http::kKnownMethods; ++i) {
    if ((methods.known >> i & 1) != 0) add(http::NameOf(static_cast<http::Method>(i)));
  }
  for (const std::string& name : methods.other) add(name);
  return out;
}

std::string Describe(const Rule& rule) {
  return Describe(rule.methods) + ' ' + rule.path.written + ' ' +
         std::string(NameOf(rule.answer.action));
}

}  // namespace quipd::config
