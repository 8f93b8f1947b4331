// SPDX-License-Identifier: MIT
// Ownership of C handles: a unique_ptr whose deleter is a function known at compile time, so that
// a handle is one pointer wide. Not thread-safe, like what it owns.
#pragma once

#include <memory>

namespace quipd {

template <auto Free>
struct FreeWith {
  template <typename T>
  void operator()(T* handle) const noexcept {
    Free(handle);
  }
};

template <typename T, auto Free>
using Handle = std::unique_ptr<T, FreeWith<Free>>;

}  // namespace quipd
