// SPDX-License-Identifier: MIT
// Accept-Encoding: weights are what a slow reading says, whatever the order of the members and
// however they are split over fields; the choice among every set of codings is the best of it.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/check.h"
#include "http/content_coding.h"

namespace quipd::http {
namespace {

// Every qvalue that there is (RFC 9110 12.4.2).
std::map<std::string, int> AllWeights() {
  std::map<std::string, int> all = {{"0", 0},      {"0.", 0},      {"1", 1000},    {"1.", 1000},
                                    {"1.0", 1000}, {"1.00", 1000}, {"1.000", 1000}};
  for (int weight = 0; weight < 1000; ++weight) {
    std::string digits = std::to_string(1000 + weight).substr(1);
    all["0." + digits] = weight;
    if (weight % 10 == 0) all["0." + digits.substr(0, 2)] = weight;
    if (weight % 100 == 0) all["0." + digits.substr(0, 1)] = weight;
  }
  return all;
}

std::vector<std::string> MembersOf(std::string_view value) {
  std::vector<std::string> members(1);
  for (const char byte : value) {
    if (byte == ',') {
      members.emplace_back();
    } else {
      members.back().push_back(byte);
    }
  }
  return members;
}

// The highest weight of each coding that well-formed members name, by its name in lower case.
std::map<std::string, int> NamedBy(const std::vector<std::string>& members) {
  static const std::map<std::string, int> kWeights = AllWeights();
  std::map<std::string, int> named;
  for (const std::string& member : members) {
    const size_t semicolon = std::min(member.find(';'), member.size());
    std::string name = Lower(Trimmed(std::string_view(member).substr(0, semicolon)));
    if (!IsToken(name)) continue;
    int weight = 1000;
    if (semicolon < member.size()) {
      const std::string parameter(Trimmed(std::string_view(member).substr(semicolon + 1)));
      if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
      const auto found = kWeights.find(parameter.substr(2));
      if (found == kWeights.end()) continue;
      weight = found->second;
    }
    if (name == "x-gzip") name = "gzip";
    const auto [place, fresh] = named.emplace(name, weight);
    place->second = std::max(place->second, weight);
  }
  return named;
}

std::optional<int> Find(const std::map<std::string, int>& named, const std::string& name) {
  const auto found = named.find(name);
  return found != named.end() ? std::optional(found->second) : std::nullopt;
}

void CheckWeights(const std::map<std::string, int>& named, const CodingWeights& weights) {
  const auto any = Find(named, "*");
  Check(weights.gzip == Find(named, "gzip").value_or(any.value_or(0)));
  Check(weights.brotli == Find(named, "br").value_or(any.value_or(0)));
  const auto identity = Find(named, "identity");
  if (identity || any) {
    Check(weights.identity == identity.value_or(any.value_or(0)));
  } else {
    Check(weights.identity > 0);  // nothing refuses it
  }
}

void CheckChoices(const std::map<std::string, int>& named, const CodingWeights& weights) {
  const bool unnamed = !Find(named, "identity") && !Find(named, "*");
  for (unsigned set = 0; set < 8; ++set) {
    struct Candidate {
      Coding coding;
      int weight;
    };
    std::vector<Candidate> best_first;
    if ((set & BitOf(Coding::kBrotli)) != 0) {
      best_first.push_back({Coding::kBrotli, weights.brotli});
    }
    if ((set & BitOf(Coding::kGzip)) != 0) best_first.push_back({Coding::kGzip, weights.gzip});
    best_first.push_back({Coding::kIdentity, unnamed ? 1 : weights.identity});
    std::erase_if(best_first, [](const Candidate& candidate) { return candidate.weight == 0; });
    std::ranges::stable_sort(best_first, std::greater<>(), &Candidate::weight);
    const auto chosen = Choose(weights, static_cast<uint8_t>(set));
    Check(chosen.has_value() == !best_first.empty());
    Check(!chosen || *chosen == best_first.front().coding);
  }
}

bool Same(const CodingWeights& a, const CodingWeights& b) {
  return a.identity == b.identity && a.gzip == b.gzip && a.brotli == b.brotli;
}

void CheckValue(const std::string& value) {
  const std::string name = "Accept-Encoding:";
  const CodingWeights weights = WeightsOf(name + value + "\r\n");
  const std::vector<std::string> members = MembersOf(value);
  const auto named = NamedBy(members);
  CheckWeights(named, weights);
  CheckChoices(named, weights);
  std::string reversed = name;
  std::string split;
  for (const std::string& member : members) {
    reversed.insert(name.size(), " " + member + "\t,");
    split.append("X: gzip\r\naccept-encoding: ").append(member).append("\r\n");
  }
  Check(Same(WeightsOf(reversed + "\r\n"), weights));
  Check(Same(WeightsOf(split), weights));
}

}  // namespace
}  // namespace quipd::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  if (quipd::http::IsFieldValue(text)) {
    quipd::http::CheckValue(text);
  }
  return 0;
}
