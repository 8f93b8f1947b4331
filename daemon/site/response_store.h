// SPDX-License-Identifier: MIT
// Keeps finished responses in an Arena, identical ones once, and templates beside it. Used while a
// Site is compiled; what it hands out lives as long as the Arena and the list of templates.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "site/arena.h"
#include "site/layout.h"
#include "site/template.h"

namespace quipd::site {

// What a response is beside its bytes.
struct Traits {
  uint8_t selectors = 0;  // as Response::selectors
  http::Coding coding = http::Coding::kIdentity;
  const Variants* variants = nullptr;  // where selectors hold kAcceptEncoding
};

class ResponseStore {
 public:
  ResponseStore(Arena* arena, std::deque<CompiledTemplate>* templates)
      : arena_(*arena), templates_(*templates) {}

  // The bytes of a response that needs nothing of a request but its query, which is left out.
  [[nodiscard]] Response Store(const CompiledTemplate& composed, const Traits& traits = {});

  // The same with a leaf of an exact path in front: leaf, path and, where they are new, the bytes.
  [[nodiscard]] Response StoreWithLeaf(const CompiledTemplate& composed, const Traits& traits,
                                       std::string_view path, Leaf** leaf);

  [[nodiscard]] const CompiledTemplate* Keep(CompiledTemplate composed);

  [[nodiscard]] Leaf* NewLeaf(std::string_view path);

 private:
  // What was rendered last, with bytes_ as its bytes.
  Response RenderHere(const CompiledTemplate& composed, const Traits& traits);
  // The slot of bytes_: that of the same bytes that heed the same, or a free one.
  uint32_t* SlotOf(uint64_t hash, uint8_t selectors);
  void Grow();
  Response KeepHere(Response rendered, uint32_t* slot, uint64_t hash, char* place);
  Leaf* LeafAt(char* place, std::string_view path);

  Arena& arena_;
  std::deque<CompiledTemplate>& templates_;
  std::string bytes_;
  struct Stored {
    Response response;
    uint64_t hash;
  };
  std::vector<Stored> stored_;
  std::vector<uint32_t> slots_;  // open addressing: a number in stored_ + 1
};

}  // namespace quipd::site
