// SPDX-License-Identifier: MIT
// Collects the rules of one table and lays the table out. Finds rules that claim the same: of the
// same layer they clash, else the higher layer wins for the method and host in common. About linear
// in the number of rules. Not thread-safe; used while a Site is compiled only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/config.h"
#include "site/arena.h"
#include "site/table.h"

namespace quipd::site {

// Two rules of one rank and layer that match a same request.
struct Clash {
  uint32_t first = 0;  // the one that was there before
  uint32_t second = 0;
  std::string method;  // one that they have in common
};

// Makes the targets of rules.
class TargetSource {
 public:
  // The leaf of an exact path, with the path behind it, and the target of `rule`, whose bytes stand
  // behind the path where they are new.
  virtual Target TargetWithLeaf(uint32_t rule, std::string_view path, Leaf** leaf) = 0;
  virtual Target TargetOf(uint32_t rule) = 0;

 protected:
  ~TargetSource() = default;
};

class TableBuilder {
 public:
  TableBuilder(const config::Config& config, Arena* arena, uint64_t seed)
      : config_(config), arena_(*arena), seed_(seed) {}

  void Add(uint32_t rule, std::vector<Clash>* clashes);

  // A rule that was added and takes every request that `rule`, of another table, would take; null
  // where there is none.
  [[nodiscard]] const config::Rule* Covering(const config::Rule& rule) const;

  // Once, after all rules.
  [[nodiscard]] const Table* Build(TargetSource* targets);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The methods that a rule has at a path.
  struct Claim {
    uint32_t rule = 0;
    uint32_t next = kNone;
    uint16_t known = 0;
    bool any = false;
    std::vector<std::string_view> other;

    [[nodiscard]] bool Empty() const { return known == 0 && !any && other.empty(); }
    [[nodiscard]] std::string InCommon(const Claim& claim) const;
    void Remove(const Claim& claim);
  };
  struct LeafClaims {
    std::string_view path;  // exact
    uint64_t hash = 0;
    uint32_t first = kNone;
  };
  struct Branch {
    uint32_t leaf = kNone;
    uint32_t rest = kNone;
    uint32_t param = kNone;
    std::vector<Shape> shapes;
    bool literals = false;
  };
  struct BranchEdge {
    uint32_t from = 0;
    uint32_t to = 0;
    std::string_view before;
    std::string_view after;
    bool literal = false;
  };

  [[nodiscard]] const config::Rule* CoveringAt(uint32_t leaf, const config::Rule& rule) const;
  [[nodiscard]] const config::Rule* CoveringBelow(uint32_t branch, const config::Rule& rule,
                                                  std::span<const config::Segment> rest) const;
  [[nodiscard]] std::vector<uint32_t> CoveringChildren(uint32_t branch,
                                                       const config::Segment& segment) const;
  void AddChild(uint32_t branch, const config::Segment& segment,
                std::vector<uint32_t>* children) const;

  [[nodiscard]] uint32_t FindExact(std::string_view path, uint64_t hash, size_t* slot) const;
  uint32_t ExactLeaf(std::string_view path);
  void GrowIndex();
  uint32_t PatternLeaf(const std::vector<config::Segment>& segments);
  uint32_t Child(uint32_t branch, const config::Segment& segment);
  uint32_t NewBranch();
  uint32_t NewLeaf(std::string_view path, uint64_t hash);

  [[nodiscard]] const Claim* ClaimOf(const LeafClaims& leaf, http::Method method) const;
  [[nodiscard]] const Claim* AnyClaim(const LeafClaims& leaf) const;
  [[nodiscard]] uint16_t AllowOf(const LeafClaims& leaf) const;
  // Those of all leaves of exact paths, or of all others, each once.
  [[nodiscard]] std::span<const uint16_t> Allows(bool exact) const;
  [[nodiscard]] const Leaf* BuildLeaf(const LeafClaims& claims, TargetSource* targets);
  [[nodiscard]] const MethodTable* BuildMethods(const LeafClaims& claims, const Target* get,
                                                uint32_t get_rule, TargetSource* targets);
  void BuildExact(TargetSource* targets, Table* table);
  void BuildPatterns(TargetSource* targets, Table* table);

  const config::Config& config_;
  Arena& arena_;
  uint64_t seed_;
  std::vector<Claim> claims_;
  std::vector<LeafClaims> leaves_;
  std::vector<uint32_t> index_;  // of exact leaves: open addressing, a number of leaves_ + 1
  std::vector<Branch> branches_;
  std::vector<BranchEdge> edges_;
  std::unordered_map<std::string, uint32_t> children_;
};

}  // namespace quipd::site
