// SPDX-License-Identifier: MIT
#include "site/table.h"

#include <cstring>

namespace quipd::site {

template <bool Slashless>
class Table::Walk {
 public:
  Walk(const Table& table, Scratch* scratch, LeafVisitor* visitor, const char* end)
      : table_(table), scratch_(*scratch), visitor_(*visitor), end_(end) {}

  // `at` is the '/' before the next segment, or the end of the path.
  bool From(const Node& node, const char* at) {
    if (at == end_) {
      const Leaf* leaf = Slashless ? node.rest : node.leaf;
      return leaf != nullptr && visitor_.Visit(*leaf);
    }
    const char* begin = at + 1;
    const void* slash = std::memchr(begin, '/', end_ - begin);
    const char* next = slash == nullptr ? end_ : static_cast<const char*>(slash);
    const std::string_view segment(begin, next - begin);
    return (node.literals && ByLiteral(node, segment)) ||
           (!node.shapes.empty() && ByShape(node, segment)) ||
           (node.param != nullptr && !segment.empty() && With(segment, *node.param, next)) ||
           (!Slashless && node.rest != nullptr && ByRest(node, begin));
  }

 private:
  bool ByLiteral(const Node& node, std::string_view segment) {
    const Edge* edge = table_.edges_.Find(
        EdgeHash(node, true, segment, {}, table_.seed_), [&](const Edge& candidate) {
          return candidate.from == &node && candidate.literal && candidate.before == segment;
        });
    return edge != nullptr && From(*edge->to, segment.data() + segment.size());
  }

  bool ByShape(const Node& node, std::string_view segment) {
    for (const Shape& shape : node.shapes) {
      if (segment.size() <= size_t{shape.before} + shape.after) continue;
      const std::string_view before = segment.substr(0, shape.before);
      const std::string_view after = segment.substr(segment.size() - shape.after);
      const Edge* edge = table_.edges_.Find(
          EdgeHash(node, false, before, after, table_.seed_), [&](const Edge& candidate) {
            return candidate.from == &node && !candidate.literal && candidate.before == before &&
                   candidate.after == after;
          });
      if (edge == nullptr) continue;
      const std::string_view value =
          segment.substr(shape.before, segment.size() - shape.before - shape.after);
      if (With(value, *edge->to, segment.data() + segment.size())) return true;
    }
    return false;
  }

  bool ByRest(const Node& node, const char* begin) {
    Push({begin, static_cast<size_t>(end_ - begin)});
    if (visitor_.Visit(*node.rest)) return true;
    --scratch_.param_count;
    return false;
  }

  bool With(std::string_view value, const Node& child, const char* at) {
    Push(value);
    if (From(child, at)) return true;
    --scratch_.param_count;
    return false;
  }

  void Push(std::string_view value) {
    scratch_.params[scratch_.param_count++] = {value.data(), static_cast<uint32_t>(value.size())};
  }

  const Table& table_;
  Scratch& scratch_;
  LeafVisitor& visitor_;
  const char* end_;
};

bool Table::VisitPatterns(std::string_view path, Scratch* scratch, LeafVisitor* visitor) const {
  scratch->param_count = 0;
  if (root_ == nullptr) return false;
  return Walk<false>(*this, scratch, visitor, path.data() + path.size()).From(*root_, path.data());
}

bool Table::VisitSlashless(std::string_view path, Scratch* scratch, LeafVisitor* visitor) const {
  scratch->param_count = 0;
  if (root_ == nullptr) return false;
  return Walk<true>(*this, scratch, visitor, path.data() + path.size()).From(*root_, path.data());
}

}  // namespace quipd::site
