// SPDX-License-Identifier: MIT
#include "http/content_coding.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace quipd::http {
namespace {

constexpr uint16_t kWhole = 1000;
// Below any weight that can be named with three digits but equal to the least of them, which wins
// as its coding comes first.
constexpr uint16_t kUnnamedIdentity = 1;

struct Member {
  std::string_view coding;
  uint16_t weight = kWhole;
};

// codings [ OWS ";" OWS "q=" qvalue ]; none where it is malformed.
std::optional<Member> ParseMember(std::string_view text) {
  const size_t semicolon = text.find(';');
  Member member;
  member.coding = Trimmed(text.substr(0, semicolon));
  if (!IsToken(member.coding)) return std::nullopt;
  if (semicolon == std::string_view::npos) return member;
  const std::string_view parameter = Trimmed(text.substr(semicolon + 1));
  if (!EqualsIgnoreCase(parameter.substr(0, 2), "q=")) return std::nullopt;
  const auto weight = ParseWeight(parameter.substr(2));
  if (!weight) return std::nullopt;
  member.weight = *weight;
  return member;
}

// What the members say, none of what no member names. Of several members for one coding the
// highest weight counts.
class Named {
 public:
  void Add(const Member& member) {
    any_member_ = true;
    static constexpr struct {
      std::string_view name;
      size_t place;
    } kNames[] = {
        {"gzip", kGzip}, {"x-gzip", kGzip}, {"br", kBrotli}, {"identity", kIdentity}, {"*", kAny}};
    for (const auto& [name, place] : kNames) {
      if (EqualsIgnoreCase(member.coding, name)) {
        weights_[place] = std::max(weights_[place].value_or(0), member.weight);
      }
    }
  }

  [[nodiscard]] CodingWeights Conclude() const {
    CodingWeights weights;
    if (!any_member_) return weights;
    const auto any = weights_[kAny];
    weights.identity = weights_[kIdentity].value_or(any.value_or(kUnnamedIdentity));
    weights.gzip = weights_[kGzip].value_or(any.value_or(0));
    weights.brotli = weights_[kBrotli].value_or(any.value_or(0));
    return weights;
  }

 private:
  enum Place : size_t { kGzip, kBrotli, kIdentity, kAny, kPlaces };
  std::array<std::optional<uint16_t>, kPlaces> weights_;
  bool any_member_ = false;
};

void AddMembers(std::string_view value, Named* named) {
  for (;;) {
    const size_t comma = value.find(',');
    if (const auto member = ParseMember(value.substr(0, comma))) named->Add(*member);
    if (comma == std::string_view::npos) return;
    value.remove_prefix(comma + 1);
  }
}

}  // namespace

std::optional<uint16_t> ParseWeight(std::string_view text) {
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  unsigned weight = text[0] == '1' ? kWhole : 0;
  if (text.size() > 1 && (text[1] != '.' || text.size() > 5)) return std::nullopt;
  unsigned unit = 100;
  for (size_t i = 2; i < text.size(); ++i, unit /= 10) {
    if (!IsDigit(text[i])) return std::nullopt;
    weight += unit * static_cast<unsigned>(text[i] - '0');
  }
  return weight <= kWhole ? std::optional(static_cast<uint16_t>(weight)) : std::nullopt;
}

std::string_view NameOf(Coding coding) {
  switch (coding) {
    case Coding::kIdentity:
      return "";
    case Coding::kGzip:
      return "gzip";
    case Coding::kBrotli:
      return "br";
  }
  return "";
}

CodingWeights WeightsOf(std::string_view fields) {
  Named named;
  FieldReader reader(fields);
  for (Field field; reader.Next(&field);) {
    if (EqualsIgnoreCase(field.name, "accept-encoding")) AddMembers(field.value, &named);
  }
  return named.Conclude();
}

std::optional<Coding> Choose(const CodingWeights& weights, uint8_t available) {
  std::optional<Coding> best;
  uint16_t best_weight = 0;
  const auto consider = [&](Coding coding, uint16_t weight) {
    if (weight > best_weight) {
      best = coding;
      best_weight = weight;
    }
  };
  if ((available & BitOf(Coding::kBrotli)) != 0) consider(Coding::kBrotli, weights.brotli);
  if ((available & BitOf(Coding::kGzip)) != 0) consider(Coding::kGzip, weights.gzip);
  consider(Coding::kIdentity, weights.identity);
  return best;
}

}  // namespace quipd::http
