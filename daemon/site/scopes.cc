// SPDX-License-Identifier: MIT
#include "site/scopes.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "base/ascii.h"
#include "http/request_head.h"

namespace quipd::site {
namespace {

using config::Segment;

const config::Options kNoOptions;

const config::Options& OptionsOf(const config::Scope& scope) {
  return scope.options == nullptr ? kNoOptions : *scope.options;
}

// The fields of that name are the same in both.
bool SameFields(const config::Options& a, const config::Options& b, std::string_view name) {
  const auto fields_of = [name](const config::Options& options) {
    std::vector<const config::Header*> fields;
    for (const config::Header& header : options.headers) {
      if (http::EqualsIgnoreCase(header.name, name)) fields.push_back(&header);
    }
    return fields;
  };
  return std::ranges::equal(fields_of(a), fields_of(b),
                            [](const config::Header* left, const config::Header* right) {
                              return left->value == right->value && left->pieces == right->pieces;
                            });
}

bool HoldsName(const std::vector<config::Header>& headers, std::string_view name) {
  return std::ranges::any_of(headers, [name](const config::Header& header) {
    return http::EqualsIgnoreCase(header.name, name);
  });
}

// A name of the parent's that the scope leaves out.
bool LeavesOut(const config::Options& options, const config::Options& parent) {
  return std::ranges::any_of(parent.headers, [&options](const config::Header& header) {
    return !HoldsName(options.headers, header.name);
  });
}

std::string PrefixKey(HostId host, std::string_view prefix) {
  std::string key(reinterpret_cast<const char*>(&host), sizeof host);
  return key.append(prefix);
}

bool MatchesSegment(const Segment& segment, std::string_view text) {
  switch (segment.kind) {
    case Segment::Kind::kLiteral:
      return text == segment.before;
    case Segment::Kind::kMixed:
      return text.size() > segment.before.size() + segment.after.size() &&
             text.starts_with(segment.before) && text.ends_with(segment.after);
    case Segment::Kind::kParam:
      return !text.empty();
    case Segment::Kind::kRest:
      return true;
  }
  return false;
}

// Walks the segments of a path, of those without parameters too.
class Segments {
 public:
  explicit Segments(const config::Path& path) : path_(path), rest_(path.canonical) {}

  // The next one's kind and texts; false behind the last.
  bool Next(Segment::Kind* kind, std::string_view* before, std::string_view* after) {
    if (path_.segments.empty()) {
      if (rest_.empty()) return false;
      rest_.remove_prefix(1);
      *kind = Segment::Kind::kLiteral;
      *before = rest_.substr(0, rest_.find('/'));
      rest_.remove_prefix(before->size());
      return true;
    }
    if (next_ == path_.segments.size()) return false;
    const Segment& segment = path_.segments[next_++];
    *kind = segment.kind;
    *before = segment.before;
    *after = segment.after;
    return true;
  }

 private:
  const config::Path& path_;
  std::string_view rest_;
  size_t next_ = 0;
};

template <typename T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

}  // namespace

bool LiesUnder(std::string_view path, const config::Path& prefix) {
  if (prefix.written.empty()) return true;
  if (prefix.segments.empty()) {
    return path.starts_with(prefix.canonical) &&
           path.substr(prefix.canonical.size()).starts_with('/');
  }
  for (const Segment& segment : prefix.segments) {
    if (!path.starts_with('/')) return false;
    path.remove_prefix(1);
    const size_t slash = std::min(path.find('/'), path.size());
    if (!MatchesSegment(segment, path.substr(0, slash))) return false;
    path.remove_prefix(slash);
  }
  return path.starts_with('/');
}

int ComparePaths(const config::Path& a, const config::Path& b) {
  Segments left(a);
  Segments right(b);
  for (;;) {
    Segment::Kind kinds[2] = {};
    std::string_view before[2];
    std::string_view after[2];
    const bool more_left = left.Next(&kinds[0], &before[0], &after[0]);
    const bool more_right = right.Next(&kinds[1], &before[1], &after[1]);
    if (!more_left || !more_right) return Order(more_right, more_left);  // the longer first
    if (kinds[0] != kinds[1]) return Order(kinds[0], kinds[1]);
    if (kinds[0] != Segment::Kind::kMixed) continue;
    const int text = Order(before[1].size() + after[1].size(), before[0].size() + after[0].size());
    if (text != 0) return text;
    const int front = Order(before[1].size(), before[0].size());
    if (front != 0) return front;
  }
}

Scopes::Scopes(const config::Config& config, const Hosts& hosts)
    : config_(config), hosts_(hosts), by_host_(hosts.count()) {
  for (ScopeId scope = 0; scope < config.scopes.size(); ++scope) {
    depth_.push_back(scope == 0 ? 0 : depth_[config.scopes[scope].parent] + 1);
    has_word_.push_back(HasWord(scope));
    if (!has_word_.back()) continue;
    for (const HostId host : hosts.InSet(config.scopes[scope].host_set)) AddPlace(scope, host);
  }
}

void Scopes::AddPlace(ScopeId scope, HostId host) {
  const config::Scope& here = config_.scopes[scope];
  const config::Path& prefix = here.prefix;
  if (!prefix.written.empty()) prefixed_[{host, here.listener}].push_back(scope);
  if (prefix.written.empty() || !prefix.segments.empty()) {
    by_host_[host].push_back(scope);
    return;
  }
  by_prefix_[PrefixKey(host, prefix.canonical)].push_back(scope);
  longest_prefix_ = std::max(longest_prefix_, prefix.canonical.size());
}

bool Scopes::HasWord(ScopeId scope) const {
  const config::Scope& here = config_.scopes[scope];
  if (scope == 0 || !here.errors.empty()) return true;
  const config::Options& options = OptionsOf(here);
  const config::Options& parent = OptionsOf(config_.scopes[here.parent]);
  if (&options == &parent) return false;
  return !OwnHeaders(options, parent).empty() || LeavesOut(options, parent);
}

ScopeId Scopes::Speaking(ScopeId scope) const {
  while (!has_word_[scope]) scope = config_.scopes[scope].parent;
  return scope;
}

std::vector<const config::Header*> Scopes::OwnHeaders(const config::Options& options,
                                                      const config::Options& parent) {
  std::vector<const config::Header*> own;
  for (const config::Header& header : options.headers) {
    if (!SameFields(options, parent, header.name)) own.push_back(&header);
  }
  return own;
}

bool Scopes::IsAround(ScopeId outer, ScopeId inner) const {
  while (depth_[inner] > depth_[outer]) inner = config_.scopes[inner].parent;
  return inner == outer;
}

// How far back in the list of patterns the scope's best one stands.
size_t Scopes::HostRank(ScopeId scope, const Entrance& entrance) const {
  size_t rank = entrance.hosts.size();
  for (const HostId host : hosts_.InSet(config_.scopes[scope].host_set)) {
    const auto at = std::ranges::find(entrance.hosts, host) - entrance.hosts.begin();
    rank = std::min(rank, static_cast<size_t>(at));
  }
  return rank;
}

// Looks up what stands before each '/' of the path, as far as there are prefixes.
void Scopes::AddByPrefix(HostId host, std::string_view path, std::vector<ScopeId>* found) const {
  for (size_t slash = path.find('/', 1); slash <= longest_prefix_;
       slash = path.find('/', slash + 1)) {
    const auto at = by_prefix_.find(PrefixKey(host, path.substr(0, slash)));
    if (at != by_prefix_.end()) found->insert(found->end(), at->second.begin(), at->second.end());
  }
}

int Scopes::CompareRank(ScopeId a, ScopeId b, const Entrance& entrance) const {
  const config::Scope& left = config_.scopes[a];
  const config::Scope& right = config_.scopes[b];
  if (left.override_on != right.override_on) return left.override_on ? -1 : 1;
  if ((left.listener >= 0) != (right.listener >= 0)) return left.listener >= 0 ? -1 : 1;
  const int host = Order(HostRank(a, entrance), HostRank(b, entrance));
  return host != 0 ? host : ComparePaths(left.prefix, right.prefix);
}

// A group never ranks behind the one around it, so that rank goes first; what is equal is in the
// order of the groups' tree, from the inside out.
bool Scopes::NearerThan(ScopeId a, ScopeId b, const Entrance& entrance, ScopeId own) const {
  const int rank = CompareRank(a, b, entrance);
  if (rank != 0) return rank < 0;
  if (IsAround(a, b)) return false;
  if (IsAround(b, a)) return true;
  while (depth_[a] > depth_[b]) a = config_.scopes[a].parent;
  while (depth_[b] > depth_[a]) b = config_.scopes[b].parent;
  while (config_.scopes[a].parent != config_.scopes[b].parent) {
    a = config_.scopes[a].parent;
    b = config_.scopes[b].parent;
  }
  const int near = Order(IsAround(b, own), IsAround(a, own));
  return near != 0 ? near < 0 : a < b;
}

std::vector<ScopeId> Scopes::Around(const Entrance& entrance, std::optional<std::string_view> path,
                                    ScopeId own) const {
  std::vector<ScopeId> around;
  for (const HostId host : entrance.hosts) {
    around.insert(around.end(), by_host_[host].begin(), by_host_[host].end());
    if (path.has_value()) AddByPrefix(host, *path, &around);
  }
  std::erase_if(around, [&](ScopeId scope) {
    const config::Scope& here = config_.scopes[scope];
    if (here.listener >= 0 && here.listener != entrance.listener) return true;
    return path.has_value() ? !LiesUnder(*path, here.prefix) : !here.prefix.written.empty();
  });
  std::ranges::sort(around);
  around.erase(std::unique(around.begin(), around.end()), around.end());
  std::ranges::sort(around, [&](ScopeId a, ScopeId b) { return NearerThan(a, b, entrance, own); });
  return around;
}

std::optional<std::vector<const config::Path*>> Scopes::Prefixes(const Entrance& entrance) const {
  std::vector<const config::Path*> prefixes;
  for (const HostId host : entrance.hosts) {
    for (const int32_t listener : {-1, entrance.listener}) {
      const auto found = prefixed_.find({host, listener});
      if (found == prefixed_.end()) continue;
      for (const ScopeId scope : found->second) {
        const config::Path& prefix = config_.scopes[scope].prefix;
        if (!prefix.segments.empty()) return std::nullopt;
        prefixes.push_back(&prefix);
      }
    }
  }
  const auto key = [](const config::Path* path) {
    return std::pair(-static_cast<ptrdiff_t>(path->canonical.size()),
                     std::string_view(path->canonical));
  };
  std::ranges::sort(prefixes, {}, key);
  const auto same = [&key](const config::Path* a, const config::Path* b) {
    return key(a) == key(b);
  };
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end(), same), prefixes.end());
  prefixes.push_back(&config_.scopes[0].prefix);
  return prefixes;
}

std::vector<const config::Header*> Scopes::Headers(std::span<const ScopeId> around) const {
  std::vector<const config::Header*> headers;
  std::set<std::string> settled;  // names that a nearer scope has set or left out
  for (const ScopeId scope : around) {
    const config::Options& options = OptionsOf(config_.scopes[scope]);
    const config::Options& parent =
        scope == 0 ? kNoOptions : OptionsOf(config_.scopes[config_.scopes[scope].parent]);
    std::vector<const config::Header*> own = OwnHeaders(options, parent);
    std::erase_if(own, [&settled](const config::Header* header) {
      return settled.contains(Lower(header->name));
    });
    for (const config::Header* header : own) settled.insert(Lower(header->name));
    for (const config::Header& header : parent.headers) {
      if (!HoldsName(options.headers, header.name)) settled.insert(Lower(header.name));
    }
    headers.insert(headers.begin(), own.begin(), own.end());
  }
  return headers;
}

const config::ErrorAnswer* Scopes::ErrorFor(std::span<const ScopeId> around, int status) const {
  for (const ScopeId scope : around) {
    const std::vector<config::ErrorAnswer>& errors = config_.scopes[scope].errors;
    for (const config::ErrorAnswer& error : errors) {
      if (error.status == status) return &error;
    }
    for (const config::ErrorAnswer& error : errors) {
      if (error.status == 0 && error.status_class == status / 100) return &error;
    }
  }
  return nullptr;
}

}  // namespace quipd::site
