// SPDX-License-Identifier: MIT
// Latencies in buckets of 1/64 of a power of two: within 1.6 % at any size, one increment a value,
// fixed memory. Not thread-safe.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace quipd::bench {

class LatencyHistogram {
 public:
  void Add(uint64_t nanoseconds, uint64_t times) {
    buckets_[IndexOf(nanoseconds)] += times;
    count_ += times;
    if (nanoseconds > max_) max_ = nanoseconds;
  }

  // The nanoseconds that `share` (0 to 1) of the values don't exceed.
  [[nodiscard]] uint64_t Quantile(double share) const {
    const auto wanted = static_cast<uint64_t>(share * static_cast<double>(count_));
    uint64_t seen = 0;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen > wanted) return ValueOf(i);
    }
    return max_;
  }

  [[nodiscard]] uint64_t max() const { return max_; }

 private:
  static constexpr size_t kSteps = 64;
  static constexpr unsigned kStepBits = 6;

  static size_t IndexOf(uint64_t value) {
    if (value < kSteps) return static_cast<size_t>(value);
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kStepBits - 1;
    return static_cast<size_t>(kSteps * shift + (value >> shift));
  }

  static uint64_t ValueOf(size_t index) {
    if (index < 2 * kSteps) return index;
    const size_t shift = index / kSteps - 1;
    return static_cast<uint64_t>(index - kSteps * shift) << shift;
  }

  std::array<uint64_t, kSteps * 60> buckets_{};
  uint64_t count_ = 0;
  uint64_t max_ = 0;
};

}  // namespace quipd::bench
