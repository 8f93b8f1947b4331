// SPDX-License-Identifier: MIT
// The parts of a compiled Site that a lookup reads: leaves (all rules of one path), tables (all
// rules of one rank of override, listener and host) and the index over exact paths. Plain data in
// an Arena, immutable, so thread-safe; pointers are valid as long as the Site.
//
// A leaf of an exact path is one cache line with its path and the bytes of its response right
// behind it, where no other route shares them: fetching the leaf's neighbours warms all that is
// read next.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "http/method.h"
#include "site/arena.h"
#include "site/site.h"

namespace quipd::site {

[[nodiscard]] inline uint64_t HashOf(std::string_view text, uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

// What is done with a request that a rule takes.
struct Target {
  enum class Kind : uint8_t {
    kFixed,     // `response`
    kTemplate,  // `compiled`
    kQuery,     // `response` to a request without a query, else `compiled`
    kError,     // the error of `status` as the groups around the request define it
    kRelay,
    kFile,  // a file of `files`; `compiled` to a directory's path without its slash
  };
  Response response;
  const CompiledTemplate* compiled = nullptr;
  const FileRule* files = nullptr;
  const Response* draining = nullptr;
  uint32_t rule = kNoRule;
  uint32_t error = 0;  // kError: its number among the Site's
  uint16_t status = 0;
  Kind kind = Kind::kFixed;
};

struct OtherMethod {
  std::string_view token;
  const Target* target = nullptr;
};

// Which target a method has, HEAD through GET and ANY worked out.
struct MethodTable {
  std::array<const Target*, http::kKnownMethods + 1> of{};  // the last: any token (ANY)
  std::span<const OtherMethod> others;
};

// Bits of Answer::allow and Leaf::allow: 1 << Method, and this one for tokens of no Method.
inline constexpr uint16_t kAllowOthers = 1 << 15;

[[nodiscard]] constexpr uint16_t BitOf(http::Method method) {
  return static_cast<uint16_t>(1u << static_cast<unsigned>(method));
}

// What ANY counts as in Allow.
inline constexpr uint16_t kAnyAllows = BitOf(http::Method::kGet) | BitOf(http::Method::kHead) |
                                       BitOf(http::Method::kPost) | BitOf(http::Method::kPut) |
                                       BitOf(http::Method::kPatch) | BitOf(http::Method::kDelete);

// All rules of one path in one table.
struct alignas(64) Leaf {
  Response get;                // to GET and HEAD, where that is one fixed response; else no bytes
  const char* path = nullptr;  // of an exact path: canonical
  const MethodTable* methods = nullptr;  // null: GET and HEAD by `get` are all
  uint32_t path_size = 0;
  uint32_t rule = kNoRule;  // of `get`
  uint16_t allow = 0;
  bool directory = false;  // GET is of a `dir`

  [[nodiscard]] std::string_view path_text() const { return {path, path_size}; }
};
static_assert(sizeof(Leaf) == 64);

// An index by hash: open addressing over slots of 8 bytes, each a pointer whose upper 16 bits,
// unused in user space, hold a part of the hash.
template <typename T>
class PointerIndex {
 public:
  struct Entry {
    uint64_t hash;
    const T* item;
  };

  void Build(Arena* arena, std::span<const Entry> entries) {
    size_t size = 8;
    while (size < entries.size() + entries.size() / 2) size *= 2;
    const std::span<uint64_t> slots = arena->NewArray<uint64_t>(size);
    mask_ = size - 1;
    for (const Entry& entry : entries) {
      size_t at = entry.hash & mask_;
      while (slots[at] != 0) at = (at + 1) & mask_;
      slots[at] = (entry.hash & kTag) | reinterpret_cast<uintptr_t>(entry.item);
    }
    slots_ = slots.data();
  }

  void Prefetch(uint64_t hash) const { __builtin_prefetch(slots_ + (hash & mask_)); }

  // The first item whose part of the hash is this one's; null where there is none.
  [[nodiscard]] const T* First(uint64_t hash) const {
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const uint64_t slot = slots_[at];
      if (slot == 0) return nullptr;
      if (((slot ^ hash) & kTag) == 0) return reinterpret_cast<const T*>(slot & ~kTag);
    }
  }

  template <typename Same>
  [[nodiscard]] const T* Find(uint64_t hash, const Same& same) const {
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const uint64_t slot = slots_[at];
      if (slot == 0) return nullptr;
      if (((slot ^ hash) & kTag) != 0) continue;
      const T* item = reinterpret_cast<const T*>(slot & ~kTag);
      if (same(*item)) return item;
    }
  }

 private:
  static constexpr uint64_t kTag = 0xFFFF'0000'0000'0000;

  const uint64_t* slots_ = nullptr;
  uint64_t mask_ = 0;
};

}  // namespace quipd::site
