// SPDX-License-Identifier: MIT
// All rules of one rank of override, listener and host: exact paths by hash, paths with parameters
// in a tree of segments. Immutable, so thread-safe; nothing here allocates.
//
// The tree is walked in order of rank with backtracking. A node is reached by one way alone, so
// that a request sees each at most once: the work is bounded by the number of rules, never
// exponential in the length of the path, and for usual sites grows with that length alone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "site/layout.h"

namespace quipd::site {

struct Node;

// From a node to a child by a segment with text.
struct alignas(16) Edge {
  const Node* from = nullptr;
  const Node* to = nullptr;
  std::string_view before;
  std::string_view after;
  bool literal = false;
};

// How much text stands before and after the {name} of a mixed segment.
struct Shape {
  uint32_t before = 0;
  uint32_t after = 0;
};

struct Node {
  const Leaf* leaf = nullptr;     // rules whose path ends here
  const Leaf* rest = nullptr;     // rules whose path ends in {name...} here
  const Node* param = nullptr;    // by {name}
  std::span<const Shape> shapes;  // of the mixed children, by rank
  uint64_t salt = 0;              // tells the edges of this node from those of others
  bool literals = false;          // there are literal children
};

// The hash by which an edge is found.
[[nodiscard]] inline uint64_t EdgeHash(const Node& from, bool literal, std::string_view before,
                                       std::string_view after, uint64_t seed) {
  const uint64_t first = HashOf(before, seed ^ from.salt);
  return literal ? first : HashOf(after, first);
}

// Takes the leaves that a path matches, best first, until it returns true.
class LeafVisitor {
 public:
  virtual bool Visit(const Leaf& leaf) = 0;

 protected:
  ~LeafVisitor() = default;
};

class Table {
 public:
  void Prefetch(uint64_t hash) const { exact_.Prefetch(hash); }

  // What is probably the leaf of the path with that hash, or null where there is none.
  [[nodiscard]] const Leaf* Candidate(uint64_t hash) const { return exact_.First(hash); }

  [[nodiscard]] const Leaf* Exact(std::string_view path, uint64_t hash) const {
    return exact_.Find(hash, [path](const Leaf& leaf) { return leaf.path_text() == path; });
  }

  // What the leaves of exact paths, and of paths with parameters, allow: each once.
  [[nodiscard]] std::span<const uint16_t> exact_allows() const { return exact_allows_; }
  [[nodiscard]] std::span<const uint16_t> pattern_allows() const { return pattern_allows_; }

  // Visits what matches `path` among the paths with parameters; the parameters of the leaf visited
  // are in `scratch` then. True where the visitor stopped.
  bool VisitPatterns(std::string_view path, Scratch* scratch, LeafVisitor* visitor) const;

  // The same for the leaves of {name...} and `dir` whose path before the last slash is `path`.
  bool VisitSlashless(std::string_view path, Scratch* scratch, LeafVisitor* visitor) const;

 private:
  friend class TableBuilder;
  template <bool Slashless>
  class Walk;

  PointerIndex<Leaf> exact_;
  PointerIndex<Edge> edges_;
  const Node* root_ = nullptr;
  std::span<const uint16_t> exact_allows_;
  std::span<const uint16_t> pattern_allows_;
  uint64_t seed_ = 0;
};

}  // namespace quipd::site
