// SPDX-License-Identifier: MIT
#include "http/content_coding.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "http/scan.h"

namespace quipd::http {
namespace {

constexpr uint16_t kWhole = 1000;
// Below any weight that can be named with three digits but equal to the least of them, which wins
// as its coding comes first.
constexpr uint16_t kUnnamedIdentity = 1;

// Reads the members of one field's value in one pass.
class MemberReader {
 public:
  explicit MemberReader(std::string_view value) : p_(value.data()), end_(p_ + value.size()) {}

  // The next member that is well-formed (codings [ OWS ";" OWS "q=" qvalue ]); false after the
  // last.
  bool Next(std::string_view* coding, uint16_t* weight) {
    while (p_ != end_) {
      const bool well_formed = Member(coding, weight);
      const bool at_end = p_ == end_ || *p_ == ',';
      while (p_ != end_ && *p_ != ',') ++p_;
      p_ += p_ != end_ ? 1 : 0;
      if (well_formed && at_end) return true;
    }
    return false;
  }

 private:
  void SkipBlanks() {
    while (p_ != end_ && IsBlank(*p_)) ++p_;
  }

  bool Member(std::string_view* coding, uint16_t* weight) {
    SkipBlanks();
    const char* const begin = p_;
    while (p_ != end_ && scan::Is(*p_, scan::kToken)) ++p_;
    *coding = {begin, static_cast<size_t>(p_ - begin)};
    *weight = kWhole;
    SkipBlanks();
    if (p_ != end_ && *p_ == ';' && !Weight(weight)) return false;
    return !coding->empty();
  }

  // From the ';' on.
  bool Weight(uint16_t* weight) {
    ++p_;
    SkipBlanks();
    if (end_ - p_ < 2 || Lower(*p_) != 'q' || p_[1] != '=') return false;
    const char* const begin = p_ + 2;
    for (p_ = begin; p_ != end_ && *p_ != ',' && !IsBlank(*p_);) ++p_;
    const auto value = ParseWeight({begin, static_cast<size_t>(p_ - begin)});
    if (!value) return false;
    *weight = *value;
    SkipBlanks();
    return true;
  }

  const char* p_;
  const char* const end_;
};

// What the members say, none of what no member names. Of several members for one coding the
// highest weight counts.
class Named {
 public:
  void Add(std::string_view coding, uint16_t weight) {
    any_member_ = true;
    const size_t place = PlaceOf(coding);
    weights_[place] = std::max(weights_[place], static_cast<int>(weight));
  }

  [[nodiscard]] CodingWeights Conclude() const {
    CodingWeights weights;
    if (!any_member_) return weights;
    weights.identity = Weight(kIdentity, kUnnamedIdentity);
    weights.gzip = Weight(kGzip, 0);
    weights.brotli = Weight(kBrotli, 0);
    return weights;
  }

 private:
  enum Place : uint8_t { kGzip, kBrotli, kIdentity, kAny, kOther, kPlaces };

  static Place PlaceOf(std::string_view coding) {
    switch (coding.size()) {
      case 1:
        return coding == "*" ? kAny : kOther;
      case 2:
        return EqualsIgnoreCase(coding, "br") ? kBrotli : kOther;
      case 4:
        return EqualsIgnoreCase(coding, "gzip") ? kGzip : kOther;
      case 6:
        return EqualsIgnoreCase(coding, "x-gzip") ? kGzip : kOther;
      case 8:
        return EqualsIgnoreCase(coding, "identity") ? kIdentity : kOther;
      default:
        return kOther;
    }
  }

  [[nodiscard]] uint16_t Weight(Place place, int unnamed) const {
    const int any = weights_[kAny] >= 0 ? weights_[kAny] : unnamed;
    return static_cast<uint16_t>(weights_[place] >= 0 ? weights_[place] : any);
  }

  std::array<int, kPlaces> weights_ = {-1, -1, -1, -1, -1};
  bool any_member_ = false;
};

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
    if (EqualsIgnoreCase(field.name, "accept-encoding")) {
      MemberReader members(field.value);
      uint16_t weight = 0;
      for (std::string_view coding; members.Next(&coding, &weight);) named.Add(coding, weight);
    }
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
