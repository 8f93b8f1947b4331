// SPDX-License-Identifier: MIT
// What was served, on its way from the workers to who writes it down: a ring of bytes for each
// worker, written by its thread alone and read by one other, without a lock. A full ring costs
// entries, counted, and never time.
//
// A worker adds entries as it answers and publishes them once a callback, when what it answered has
// left: their latency is known then, and the reader is woken at most once. Memory is taken when the
// first entry is added.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "server/peer.h"

namespace quipd::server {

// One request, or what was refused as none. Texts are as the client sent them, bytes of any value;
// they are copied when the entry is added (cut at kLongestText), and stay valid until the next
// Pop where it was taken out.
struct AccessEntry {
  static constexpr size_t kLongestText = 8192;

  Peer client;            // behind trusted proxies the client's own address
  int64_t unix_ms = 0;    // when its answer began
  uint64_t begun_ns = 0;  // by Stopwatch; set by the worker
  uint64_t latency_us =
      0;  // from the read that completed its head until its answer was handed over
  uint64_t body_bytes = 0;  // of the answer, without chunk sizes
  uint16_t status = 0;
  bool secure = false;
  bool http10 = false;
  std::string_view method;  // empty: the request line was never whole
  std::string_view target;  // as sent
  std::string_view host;
  std::string_view referer;
  std::string_view user_agent;
  std::string_view rule;  // its `name`; empty: none
  std::string_view file;  // of the rule, as Config names it; empty: quipd's own answer
  uint32_t line = 0;
};

class AccessRing {
 public:
  static constexpr size_t kCapacity = 1 << 20;  // bytes

  AccessRing() = default;
  AccessRing(const AccessRing&) = delete;
  AccessRing& operator=(const AccessRing&) = delete;

  // --- The worker ---

  // Copies the entry; what finds no room is counted as dropped.
  void Add(const AccessEntry& entry);
  [[nodiscard]] bool has_unpublished() const {
    return end_ != published_.load(std::memory_order_relaxed);
  }
  // Shows the reader all that was added; `now_ns` ends the latency of entries that have a
  // `begun_ns` and no latency yet.
  void Publish(uint64_t now_ns);

  // --- The reader ---

  // The oldest entry that was published; false where there is none.
  [[nodiscard]] bool Pop(AccessEntry* entry);
  [[nodiscard]] bool empty() const { return published_.load() == read_; }

  // Any thread.
  [[nodiscard]] uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  // So much waits to be popped that the reader shouldn't sleep on.
  [[nodiscard]] bool is_filling() const {
    return published_.load() - taken_.load(std::memory_order_relaxed) >= kCapacity / 4;
  }

 private:
  [[nodiscard]] char* Reserve(size_t size);
  void Drop();

  // The worker's.
  std::unique_ptr<char[]> bytes_;  // the reader sees it behind published_
  uint64_t end_ = 0;               // behind what was added
  uint64_t free_until_ = 0;        // taken_ as last seen, and the capacity
  std::atomic<uint64_t> dropped_{0};
  alignas(64) std::atomic<uint64_t> published_{0};  // behind what the reader may see
  // The reader's.
  alignas(64) std::atomic<uint64_t> taken_{0};  // behind what the worker may overwrite
  uint64_t read_ = 0;                           // behind what was popped
};

// The rings of all workers, and the bell that wakes their one reader.
//
// Waking somebody is a system call for who wakes. So a reader that was woken waits a little more
// for others to come (kGatherMs): a busy worker wakes it some hundred times a second, not once for
// each request, and at once where a ring fills up.
class AccessRings {
 public:
  explicit AccessRings(size_t workers);

  [[nodiscard]] AccessRing& of(size_t worker) { return *rings_[worker]; }
  [[nodiscard]] size_t size() const { return rings_.size(); }

  // A worker has published in its ring. A load while the reader is awake.
  void Ring(const AccessRing& ring) {
    const State state = state_.load();
    if (state == State::kAwake) return;
    if (state == State::kAsleep || ring.is_filling()) WakeReader(state);
  }

  // The reader: sleeps until something was published, Wake was called, or the time is over.
  void Wait(int timeout_ms);
  // Any thread: ends a Wait, this one or the next.
  void Wake();

 private:
  enum class State : uint8_t { kAwake, kGathering, kAsleep };
  static constexpr int kGatherMs = 4;

  void WakeReader(State state);
  template <typename Found>
  bool SleepUnless(State state, int timeout_ms, const Found& found);
  void Sleep(int timeout_ms);

  std::vector<std::unique_ptr<AccessRing>> rings_;
  FileDescriptor bell_;  // eventfd
  std::atomic<State> state_{State::kAwake};
  std::atomic<bool> woken_{false};  // by Wake
};

}  // namespace quipd::server
