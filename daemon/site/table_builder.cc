// SPDX-License-Identifier: MIT
#include "site/table_builder.h"

#include <algorithm>
#include <set>

namespace quipd::site {
namespace {

bool AnyTakes(http::Method method) {
  return method != http::Method::kTrace && method != http::Method::kConnect;
}

bool RanksBefore(const Shape& a, const Shape& b) {
  const uint64_t text_a = uint64_t{a.before} + a.after;
  const uint64_t text_b = uint64_t{b.before} + b.after;
  return text_a != text_b ? text_a > text_b : a.before > b.before;
}

bool Same(const Shape& a, const Shape& b) { return a.before == b.before && a.after == b.after; }

std::string ChildKey(uint32_t branch, const config::Segment& segment) {
  const auto size = static_cast<uint32_t>(segment.before.size());
  std::string key(1, segment.kind == config::Segment::Kind::kLiteral ? 'L' : 'M');
  key.append(reinterpret_cast<const char*>(&branch), sizeof branch);
  key.append(reinterpret_cast<const char*>(&size), sizeof size);
  return key + segment.before + segment.after;
}

}  // namespace

std::string TableBuilder::Claim::InCommon(const Claim& claim) const {
  for (int i = 0; i < http::kKnownMethods; ++i) {
    const auto method = static_cast<http::Method>(i);
    if ((known & claim.known & BitOf(method)) != 0) return std::string(http::NameOf(method));
  }
  for (const std::string_view token : other) {
    if (std::ranges::find(claim.other, token) != claim.other.end()) return std::string(token);
  }
  return any && claim.any ? "ANY" : "";
}

void TableBuilder::Claim::Remove(const Claim& claim) {
  known = static_cast<uint16_t>(known & ~claim.known);
  any = any && !claim.any;
  std::erase_if(other, [&claim](std::string_view token) {
    return std::ranges::find(claim.other, token) != claim.other.end();
  });
}

void TableBuilder::Add(uint32_t rule, std::vector<Clash>* clashes) {
  const config::Rule& added = config_.rules[rule];
  Claim claim{rule,
              kNone,
              added.methods.known,
              added.methods.any,
              {added.methods.other.begin(), added.methods.other.end()}};
  const uint32_t leaf = added.path.segments.empty() ? ExactLeaf(added.path.canonical)
                                                    : PatternLeaf(added.path.segments);
  uint32_t* link = &leaves_[leaf].first;
  for (; *link != kNone; link = &claims_[*link].next) {
    Claim& there = claims_[*link];
    std::string method = there.InCommon(claim);
    if (method.empty()) continue;
    const uint8_t layer = config_.rules[there.rule].layer;
    if (layer == added.layer) {
      clashes->push_back({there.rule, rule, std::move(method)});
      return;
    }
    (layer < added.layer ? there : claim).Remove(layer < added.layer ? claim : there);
  }
  if (claim.Empty()) return;
  *link = static_cast<uint32_t>(claims_.size());
  claims_.push_back(std::move(claim));
}

uint32_t TableBuilder::NewLeaf(std::string_view path, uint64_t hash) {
  leaves_.push_back({path, hash, kNone});
  return static_cast<uint32_t>(leaves_.size() - 1);
}

// The leaf, or kNone and the free slot for it.
uint32_t TableBuilder::FindExact(std::string_view path, uint64_t hash, size_t* slot) const {
  size_t& at = *slot;
  at = hash & (index_.size() - 1);
  for (; index_[at] != 0; at = (at + 1) & (index_.size() - 1)) {
    const LeafClaims& leaf = leaves_[index_[at] - 1];
    if (leaf.hash == hash && leaf.path == path) return index_[at] - 1;
  }
  return kNone;
}

uint32_t TableBuilder::ExactLeaf(std::string_view path) {
  if (leaves_.size() * 2 >= index_.size()) GrowIndex();
  const uint64_t hash = HashOf(path, seed_);
  size_t slot = 0;
  uint32_t leaf = FindExact(path, hash, &slot);
  if (leaf != kNone) return leaf;
  leaf = NewLeaf(path, hash);
  index_[slot] = leaf + 1;
  return leaf;
}

void TableBuilder::GrowIndex() {
  index_.assign(std::max<size_t>(16, index_.size() * 4), 0);
  for (uint32_t i = 0; i < leaves_.size(); ++i) {
    if (leaves_[i].path.empty()) continue;
    size_t at = leaves_[i].hash & (index_.size() - 1);
    while (index_[at] != 0) at = (at + 1) & (index_.size() - 1);
    index_[at] = i + 1;
  }
}

uint32_t TableBuilder::NewBranch() {
  branches_.emplace_back();
  return static_cast<uint32_t>(branches_.size() - 1);
}

uint32_t TableBuilder::PatternLeaf(const std::vector<config::Segment>& segments) {
  if (branches_.empty()) NewBranch();
  uint32_t branch = 0;
  for (const config::Segment& segment : segments) {
    if (segment.kind == config::Segment::Kind::kRest) {
      if (branches_[branch].rest == kNone) branches_[branch].rest = NewLeaf({}, 0);
      return branches_[branch].rest;
    }
    branch = Child(branch, segment);
  }
  if (branches_[branch].leaf == kNone) branches_[branch].leaf = NewLeaf({}, 0);
  return branches_[branch].leaf;
}

uint32_t TableBuilder::Child(uint32_t branch, const config::Segment& segment) {
  if (segment.kind == config::Segment::Kind::kParam) {
    if (branches_[branch].param == kNone) {
      const uint32_t child = NewBranch();
      branches_[branch].param = child;
    }
    return branches_[branch].param;
  }
  const bool literal = segment.kind == config::Segment::Kind::kLiteral;
  const auto [place, added] = children_.try_emplace(ChildKey(branch, segment), 0);
  if (!added) return place->second;
  const uint32_t child = NewBranch();
  place->second = child;
  edges_.push_back({branch, child, segment.before, segment.after, literal});
  if (literal) {
    branches_[branch].literals = true;
    return child;
  }
  const Shape shape{static_cast<uint32_t>(segment.before.size()),
                    static_cast<uint32_t>(segment.after.size())};
  std::vector<Shape>& shapes = branches_[branch].shapes;
  const auto at = std::ranges::lower_bound(shapes, shape, RanksBefore);
  if (at == shapes.end() || !Same(*at, shape)) shapes.insert(at, shape);
  return child;
}

const config::Rule* TableBuilder::CoveringAt(uint32_t leaf, const config::Rule& rule) const {
  if (leaf == kNone) return nullptr;
  constexpr uint16_t kHead = BitOf(http::Method::kHead);
  constexpr uint16_t kGet = BitOf(http::Method::kGet);
  for (uint32_t i = leaves_[leaf].first; i != kNone; i = claims_[i].next) {
    const Claim& claim = claims_[i];
    if (claim.any) return &config_.rules[claim.rule];
    const unsigned known = claim.known | ((claim.known & kGet) != 0 ? kHead : 0u);
    const bool covers = !rule.methods.any && (rule.methods.known & ~known) == 0 &&
                        std::ranges::all_of(rule.methods.other, [&claim](const std::string& token) {
                          return std::ranges::find(claim.other, token) != claim.other.end();
                        });
    if (covers) return &config_.rules[claim.rule];
  }
  return nullptr;
}

void TableBuilder::AddChild(uint32_t branch, const config::Segment& segment,
                            std::vector<uint32_t>* children) const {
  const auto found = children_.find(ChildKey(branch, segment));
  if (found != children_.end()) children->push_back(found->second);
}

// Children whose segment matches whatever `segment` matches.
std::vector<uint32_t> TableBuilder::CoveringChildren(uint32_t branch,
                                                     const config::Segment& segment) const {
  using Kind = config::Segment::Kind;
  std::vector<uint32_t> children;
  const bool literal = segment.kind == Kind::kLiteral;
  const std::string& end = literal ? segment.before : segment.after;
  if (literal) AddChild(branch, segment, &children);
  if (literal || segment.kind == Kind::kMixed) {
    for (const Shape& shape : branches_[branch].shapes) {
      const bool fits = literal
                            ? end.size() > size_t{shape.before} + shape.after
                            : segment.before.size() >= shape.before && end.size() >= shape.after;
      if (!fits) continue;
      config::Segment wider;
      wider.kind = Kind::kMixed;
      wider.before = segment.before.substr(0, shape.before);
      wider.after = end.substr(end.size() - shape.after);
      AddChild(branch, wider, &children);
    }
  }
  const bool empty = literal && segment.before.empty();
  if (!empty && branches_[branch].param != kNone) children.push_back(branches_[branch].param);
  return children;
}

const config::Rule* TableBuilder::CoveringBelow(uint32_t branch, const config::Rule& rule,
                                                std::span<const config::Segment> rest) const {
  if (rest.empty()) return CoveringAt(branches_[branch].leaf, rule);
  if (const config::Rule* by_rest = CoveringAt(branches_[branch].rest, rule)) return by_rest;
  if (rest.front().kind == config::Segment::Kind::kRest) return nullptr;
  for (const uint32_t child : CoveringChildren(branch, rest.front())) {
    if (const config::Rule* found = CoveringBelow(child, rule, rest.subspan(1))) return found;
  }
  return nullptr;
}

const config::Rule* TableBuilder::Covering(const config::Rule& rule) const {
  std::vector<config::Segment> segments = rule.path.segments;
  if (segments.empty()) {
    size_t slot = 0;
    const uint32_t leaf =
        index_.empty() ? kNone
                       : FindExact(rule.path.canonical, HashOf(rule.path.canonical, seed_), &slot);
    if (const config::Rule* exact = CoveringAt(leaf, rule)) return exact;
    std::string_view rest = rule.path.canonical;
    while (!rest.empty()) {
      rest.remove_prefix(1);
      segments.emplace_back().before = rest.substr(0, rest.find('/'));
      rest.remove_prefix(segments.back().before.size());
    }
  }
  return branches_.empty() ? nullptr : CoveringBelow(0, rule, segments);
}

const TableBuilder::Claim* TableBuilder::ClaimOf(const LeafClaims& leaf,
                                                 http::Method method) const {
  for (uint32_t i = leaf.first; i != kNone; i = claims_[i].next) {
    if ((claims_[i].known & BitOf(method)) != 0) return &claims_[i];
  }
  return method == http::Method::kHead ? ClaimOf(leaf, http::Method::kGet) : nullptr;
}

const TableBuilder::Claim* TableBuilder::AnyClaim(const LeafClaims& leaf) const {
  for (uint32_t i = leaf.first; i != kNone; i = claims_[i].next) {
    if (claims_[i].any) return &claims_[i];
  }
  return nullptr;
}

uint16_t TableBuilder::AllowOf(const LeafClaims& leaf) const {
  unsigned allow = 0;
  for (uint32_t i = leaf.first; i != kNone; i = claims_[i].next) {
    allow |= claims_[i].known;
    if (claims_[i].any) allow |= kAnyAllows;
    if (!claims_[i].other.empty()) allow |= kAllowOthers;
  }
  if ((allow & BitOf(http::Method::kGet)) != 0) allow |= BitOf(http::Method::kHead);
  return static_cast<uint16_t>(allow);
}

std::span<const uint16_t> TableBuilder::Allows(bool exact) const {
  std::set<uint16_t> allows;
  for (const LeafClaims& leaf : leaves_) {
    if (leaf.path.empty() != exact && leaf.first != kNone) allows.insert(AllowOf(leaf));
  }
  const std::span<uint16_t> stored = arena_.NewArray<uint16_t>(allows.size());
  std::ranges::copy(allows, stored.begin());
  return stored;
}

const MethodTable* TableBuilder::BuildMethods(const LeafClaims& claims, const Target* get,
                                              uint32_t get_rule, TargetSource* targets) {
  std::unordered_map<uint32_t, const Target*> made;
  if (get != nullptr) made.emplace(get_rule, get);
  const auto target_of = [&](const Claim* claim) -> const Target* {
    if (claim == nullptr) return nullptr;
    const Target*& target = made[claim->rule];
    if (target == nullptr) target = arena_.New<Target>(targets->TargetOf(claim->rule));
    return target;
  };
  auto* table = arena_.New<MethodTable>();
  const Target* any = target_of(AnyClaim(claims));
  for (int i = 0; i < http::kKnownMethods; ++i) {
    const auto method = static_cast<http::Method>(i);
    table->of[i] = target_of(ClaimOf(claims, method));
    if (table->of[i] == nullptr && AnyTakes(method)) table->of[i] = any;
  }
  table->of[http::kKnownMethods] = any;
  std::vector<OtherMethod> others;
  for (uint32_t i = claims.first; i != kNone; i = claims_[i].next) {
    for (const std::string_view token : claims_[i].other) {
      others.push_back({arena_.Copy(token), target_of(&claims_[i])});
    }
  }
  const std::span<OtherMethod> stored = arena_.NewArray<OtherMethod>(others.size());
  std::ranges::copy(others, stored.begin());
  table->others = stored;
  return table;
}

const Leaf* TableBuilder::BuildLeaf(const LeafClaims& claims, TargetSource* targets) {
  if (claims.first == kNone) return nullptr;
  const Claim* get = ClaimOf(claims, http::Method::kGet);
  const Claim* head = ClaimOf(claims, http::Method::kHead);
  const Claim* any = AnyClaim(claims);
  if (get == nullptr) get = any;
  if (head == nullptr) head = any;
  const uint32_t rule = (get != nullptr ? get : &claims_[claims.first])->rule;
  Leaf* leaf = nullptr;
  const Target target = targets->TargetWithLeaf(rule, claims.path, &leaf);
  const bool fixed = target.kind == Target::Kind::kFixed && target.draining == nullptr;
  leaf->allow = AllowOf(claims);
  leaf->directory =
      get != nullptr && config_.rules[get->rule].answer.action == config::Action::kDir;
  if (get != nullptr && get == head && fixed) {
    leaf->get = target.response;
    leaf->rule = rule;
    constexpr uint16_t kGetAndHead = BitOf(http::Method::kGet) | BitOf(http::Method::kHead);
    if (any == nullptr && leaf->allow == kGetAndHead) return leaf;
  }
  leaf->methods = BuildMethods(claims, arena_.New<Target>(target), rule, targets);
  return leaf;
}

void TableBuilder::BuildExact(TargetSource* targets, Table* table) {
  std::vector<PointerIndex<Leaf>::Entry> entries;
  entries.reserve(leaves_.size());
  for (const LeafClaims& claims : leaves_) {
    if (claims.path.empty()) continue;
    const Leaf* leaf = BuildLeaf(claims, targets);
    if (leaf != nullptr) entries.push_back({claims.hash, leaf});
  }
  table->exact_.Build(&arena_, entries);
}

void TableBuilder::BuildPatterns(TargetSource* targets, Table* table) {
  if (branches_.empty()) return;
  const std::span<Node> nodes = arena_.NewArray<Node>(branches_.size());
  for (size_t i = 0; i < branches_.size(); ++i) {
    const Branch& branch = branches_[i];
    Node& node = nodes[i];
    if (branch.leaf != kNone) node.leaf = BuildLeaf(leaves_[branch.leaf], targets);
    if (branch.rest != kNone) node.rest = BuildLeaf(leaves_[branch.rest], targets);
    if (branch.param != kNone) node.param = &nodes[branch.param];
    const std::span<Shape> shapes = arena_.NewArray<Shape>(branch.shapes.size());
    std::ranges::copy(branch.shapes, shapes.begin());
    node.shapes = shapes;
    node.salt = (i + 1) * 0x9E37'79B9'7F4A'7C15;
    node.literals = branch.literals;
  }
  std::vector<PointerIndex<Edge>::Entry> entries;
  for (const BranchEdge& from : edges_) {
    const auto* edge =
        arena_.New<Edge>(Edge{&nodes[from.from], &nodes[from.to], arena_.Copy(from.before),
                              arena_.Copy(from.after), from.literal});
    entries.push_back(
        {EdgeHash(*edge->from, edge->literal, edge->before, edge->after, seed_), edge});
  }
  table->edges_.Build(&arena_, entries);
  table->root_ = nodes.data();
}

const Table* TableBuilder::Build(TargetSource* targets) {
  auto* table = arena_.New<Table>();
  table->seed_ = seed_;
  table->exact_allows_ = Allows(true);
  table->pattern_allows_ = Allows(false);
  BuildExact(targets, table);
  BuildPatterns(targets, table);
  return table;
}

}  // namespace quipd::site
