// SPDX-License-Identifier: MIT
#include "site/response_store.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "http/date.h"
#include "http/request_head.h"

namespace quipd::site {

Response ResponseStore::RenderHere(const CompiledTemplate& composed, const Traits& traits) {
  static const auto kNoDate = http::FormatDate(0);
  const http::RequestHead head;
  Request request;
  request.head = &head;
  bytes_.clear();
  size_t head_size = 0;
  const size_t date =
      composed.Render(request, {}, {kNoDate.data(), kNoDate.size()}, false, &bytes_, &head_size);
  Response response;
  response.body_size = static_cast<uint32_t>(bytes_.size() - head_size);
  response.head_size = static_cast<uint32_t>(head_size);
  response.date_offset = static_cast<uint32_t>(date + kDateName);
  response.status = composed.status();
  response.selectors = traits.selectors;
  response.coding = traits.coding;
  response.variants = traits.variants;
  return response;
}

uint32_t* ResponseStore::SlotOf(uint64_t hash, uint8_t selectors) {
  if (stored_.size() * 2 >= slots_.size()) Grow();
  for (size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    uint32_t& slot = slots_[at];
    if (slot == 0) return &slot;
    const Stored& stored = stored_[slot - 1];
    if (stored.hash == hash && stored.response.selectors == selectors &&
        std::string_view(stored.response.bytes,
                         stored.response.head_size + stored.response.body_size) == bytes_) {
      return &slot;
    }
  }
}

void ResponseStore::Grow() {
  slots_.assign(std::max<size_t>(64, slots_.size() * 4), 0);
  for (uint32_t i = 0; i < stored_.size(); ++i) {
    size_t at = stored_[i].hash & (slots_.size() - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = i + 1;
  }
}

Response ResponseStore::KeepHere(Response rendered, uint32_t* slot, uint64_t hash, char* place) {
  std::memcpy(place, bytes_.data(), bytes_.size());
  rendered.bytes = place;
  stored_.push_back({rendered, hash});
  *slot = static_cast<uint32_t>(stored_.size());
  return rendered;
}

const CompiledTemplate* ResponseStore::Keep(CompiledTemplate composed) {
  return &templates_.emplace_back(std::move(composed));
}

Response ResponseStore::Store(const CompiledTemplate& composed, const Traits& traits) {
  const Response rendered = RenderHere(composed, traits);
  const uint64_t hash = HashOf(bytes_, 0);
  uint32_t* slot = SlotOf(hash, traits.selectors);
  if (*slot != 0) return stored_[*slot - 1].response;
  return KeepHere(rendered, slot, hash, arena_.Allocate(bytes_.size(), 1));
}

Leaf* ResponseStore::LeafAt(char* place, std::string_view path) {
  Leaf* leaf = new (place) Leaf;
  if (!path.empty()) std::memcpy(place + sizeof(Leaf), path.data(), path.size());
  leaf->path = place + sizeof(Leaf);
  leaf->path_size = static_cast<uint32_t>(path.size());
  return leaf;
}

Leaf* ResponseStore::NewLeaf(std::string_view path) {
  return LeafAt(arena_.Allocate(sizeof(Leaf) + path.size(), alignof(Leaf)), path);
}

Response ResponseStore::StoreWithLeaf(const CompiledTemplate& composed, const Traits& traits,
                                      std::string_view path, Leaf** leaf) {
  const Response rendered = RenderHere(composed, traits);
  const uint64_t hash = HashOf(bytes_, 0);
  uint32_t* slot = SlotOf(hash, traits.selectors);
  if (*slot != 0) {
    *leaf = NewLeaf(path);
    return stored_[*slot - 1].response;
  }
  char* place = arena_.Allocate(sizeof(Leaf) + path.size() + bytes_.size(), alignof(Leaf));
  *leaf = LeafAt(place, path);
  return KeepHere(rendered, slot, hash, place + sizeof(Leaf) + path.size());
}

}  // namespace quipd::site
