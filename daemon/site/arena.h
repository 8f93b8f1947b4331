// SPDX-License-Identifier: MIT
// Where a Site keeps what it is made of: few big blocks, freed together with the Site. Objects in
// it are never destroyed, so they own nothing. Big blocks ask for huge pages, since a site of many
// routes is read at random. Not thread-safe while it grows; read-only afterwards.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace quipd::site {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialised bytes; `alignment` is a power of two up to 4096.
  [[nodiscard]] char* Allocate(size_t size, size_t alignment);

  template <typename T, typename... Arguments>
  [[nodiscard]] T* New(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(sizeof(T), alignof(T))) T(std::forward<Arguments>(arguments)...);
  }

  // Value-initialised.
  template <typename T>
  [[nodiscard]] std::span<T> NewArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer
    char* bytes = Allocate(sizeof(T) * count, alignof(T));
    return {new (bytes) T[count](), count};
  }

  [[nodiscard]] std::string_view Copy(std::string_view text) {
    char* bytes = Allocate(text.size(), 1);
    if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
    return {bytes, text.size()};
  }

  // What was handed out, in bytes.
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(void* block) const noexcept { std::free(block); }  // NOLINT: of aligned_alloc
  };

  void AddBlock(size_t size);

  std::vector<std::unique_ptr<char, Free>> blocks_;
  char* at_ = nullptr;
  char* end_ = nullptr;
  size_t next_block_ = 16 * 1024;
  size_t bytes_ = 0;
};

}  // namespace quipd::site
