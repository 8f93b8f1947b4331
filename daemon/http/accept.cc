// SPDX-License-Identifier: MIT
#include "http/accept.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/ascii.h"
#include "http/content_coding.h"
#include "http/request_head.h"

namespace quipd::http {
namespace {

// How well a member of Accept fits a type, and its weight.
struct Fit {
  int rank = 0;  // 0: not at all; 1: */*; 2: type/*; 3: named
  uint16_t weight = 0;

  void Take(int other_rank, uint16_t other_weight) {
    if (other_rank > rank) *this = {other_rank, other_weight};
  }
};

uint16_t WeightOf(std::string_view parameters) {
  while (!parameters.empty()) {
    const size_t end = std::min(parameters.find(';'), parameters.size());
    const std::string_view one = Trimmed(parameters.substr(0, end));
    if (EqualsIgnoreCase(one.substr(0, 2), "q=")) {
      return ParseWeight(one.substr(2)).value_or(0);
    }
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return 1000;
}

void TakeMember(std::string_view member, Fit* html, Fit* json) {
  const size_t end = std::min(member.find(';'), member.size());
  const std::string_view range = Trimmed(member.substr(0, end));
  const uint16_t weight = WeightOf(member.substr(std::min(end + 1, member.size())));
  if (EqualsIgnoreCase(range, "text/html")) html->Take(3, weight);
  if (EqualsIgnoreCase(range, "text/*")) html->Take(2, weight);
  if (EqualsIgnoreCase(range, "application/json")) json->Take(3, weight);
  if (EqualsIgnoreCase(range, "application/*")) json->Take(2, weight);
  if (range == "*/*") {
    html->Take(1, weight);
    json->Take(1, weight);
  }
}

}  // namespace

bool PrefersJson(std::string_view fields) {
  Fit html;
  Fit json;
  FieldReader reader(fields);
  for (Field field; reader.Next(&field);) {
    if (!EqualsIgnoreCase(field.name, "accept")) continue;
    for (std::string_view rest = field.value; !rest.empty();) {
      const size_t end = std::min(rest.find(','), rest.size());
      TakeMember(rest.substr(0, end), &html, &json);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  if (json.weight != html.weight) return json.weight > html.weight;
  return json.weight > 0 && json.rank > html.rank;
}

}  // namespace quipd::http
