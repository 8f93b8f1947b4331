// SPDX-License-Identifier: MIT
// What all workers have counted since the start, added up: a snapshot for metrics and status.
// Plain data; thread-safe as such.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace quipd::server {

// Why the parser, or a deadline, refused what a client sent.
struct FaultCount {
  std::string kind;  // a word for a label: "request_line", "host", "head_timeout"
  uint64_t count = 0;
};

struct RuleCount {
  std::string name;
  uint64_t requests = 0;
};

// Requests by the time from reading them to handing their answer over.
struct Latency {
  // Upper bounds in microseconds; the last bucket of `counts` has none.
  static constexpr std::array<uint64_t, 14> kBoundsUs = {
      5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10000, 50000, 250000, 1000000, 5000000};
  std::array<uint64_t, kBoundsUs.size() + 1> counts{};  // of each bucket alone, not cumulative
  uint64_t sum_ns = 0;
};

struct Statistics {
  std::array<uint64_t, 6> responses{};  // by class of their status: [2] is 2xx; [0], [1] are 0
  std::vector<RuleCount> rules;         // that have a `name` in the Site that serves, in its order
  std::vector<FaultCount> faults;       // every kind, those that never happened too
  Latency latency;                      // of every response but those to faults
  uint64_t received_bytes = 0;          // from clients, TLS taken off
  uint64_t sent_bytes = 0;              // to clients, likewise
  uint64_t open = 0;                    // connections now
  uint64_t accepted = 0;
  uint64_t evicted = 0;                 // idle ones closed for new ones
  uint64_t put_off_at_limit = 0;        // accepts delayed: limits.connections
  uint64_t put_off_without_memory = 0;  // accepts delayed: no descriptor or memory left
  uint64_t handshakes_failed = 0;       // of TLS, or not done in time
  uint64_t proxy_headers_failed = 0;    // connections closed: no PROXY header, or a malformed one
  uint64_t relayed = 0;                 // requests that evhttp answered
  uint64_t access_entries_dropped = 0;  // lines of the access log that found no room
};

}  // namespace quipd::server
