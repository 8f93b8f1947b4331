// SPDX-License-Identifier: MIT
#include "site/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace quipd::site {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = 2 * 1024 * 1024;
constexpr size_t kLargestBlock = 2 * kHugePage;

size_t RoundUp(size_t size, size_t to) { return (size + to - 1) / to * to; }

}  // namespace

char* Arena::Allocate(size_t size, size_t alignment) {
  const auto address = reinterpret_cast<uintptr_t>(at_);
  const size_t skipped = RoundUp(address, alignment) - address;
  if (at_ == nullptr || size + skipped > static_cast<size_t>(end_ - at_)) {
    AddBlock(size);
    return Allocate(size, alignment);
  }
  char* result = at_ + skipped;
  at_ = result + size;
  bytes_ += size + skipped;
  return result;
}

void Arena::AddBlock(size_t size) {
  const size_t wanted = std::max(size, next_block_);
  const size_t alignment = wanted >= kHugePage ? kHugePage : kPage;
  const size_t rounded = RoundUp(wanted, alignment);
  blocks_.emplace_back(static_cast<char*>(std::aligned_alloc(alignment, rounded)));
  if (blocks_.back() == nullptr) throw std::bad_alloc();
  at_ = blocks_.back().get();
  end_ = at_ + rounded;
  if (alignment == kHugePage) madvise(at_, rounded, MADV_HUGEPAGE);  // a wish: may fail
  next_block_ = std::min(next_block_ * 2, kLargestBlock);
}

}  // namespace quipd::site
