// SPDX-License-Identifier: MIT
// What a worker counts. Each number is written by its worker alone, with a load and a store, and
// may be read by any thread; a worker's counters share no cache line with another's.
#pragma once

#include <atomic>
#include <cstdint>

namespace quipd::server {

class Counter {
 public:
  void Add(uint64_t count) {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  void Subtract(uint64_t count) {
    value_.store(value_.load(std::memory_order_relaxed) - count, std::memory_order_relaxed);
  }
  [[nodiscard]] uint64_t Get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

struct alignas(64) Counters {
  Counter accepted;              // connections
  Counter open;                  // connections
  Counter refused;               // accepts put off: at the cap, or without a descriptor
  Counter evicted;               // idle connections closed to take new ones
  Counter requests;              // answered by a rule or by quipd itself
  Counter faults;                // refused by the parser or by a deadline
  Counter handshakes_failed;     // of TLS, or not done in time
  Counter proxy_headers_failed;  // of the PROXY protocol: missing, malformed or late
  Counter relayed;               // requests that evhttp answers
};

}  // namespace quipd::server
