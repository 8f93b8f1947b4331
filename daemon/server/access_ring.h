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

  AccessRing();
  ~AccessRing();
  AccessRing(const AccessRing&) = delete;
  AccessRing& operator=(const AccessRing&) = delete;

  // --- The worker ---

  // Copies the entry; what finds no room is counted as dropped.
  void Add(const AccessEntry& entry);
  [[nodiscard]] bool has_unpublished() const {
    return end_ != published_.load(std::memory_order_relaxed);
  }
  // Shows the reader all that was added; `now_ns` ends the latency of entries that have none yet.
  void Publish(uint64_t now_ns);

  // --- The reader ---

  // The oldest entry that was published; false where there is none.
  [[nodiscard]] bool Pop(AccessEntry* entry);
  [[nodiscard]] bool empty() const;

  // Any thread.
  [[nodiscard]] uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::unique_ptr<char[]> bytes_;
  uint64_t end_ = 0;  // behind what was added; the worker's
  alignas(64) std::atomic<uint64_t> published_{0};
  std::atomic<uint64_t> dropped_{0};
  alignas(64) std::atomic<uint64_t> taken_{0};  // behind what was popped
};

// The rings of all workers, and the bell that wakes their one reader.
class AccessRings {
 public:
  explicit AccessRings(size_t workers);

  [[nodiscard]] AccessRing& of(size_t worker) { return *rings_[worker]; }
  [[nodiscard]] size_t size() const { return rings_.size(); }

  // A worker has published. Cheap while the reader is awake.
  void Ring();

  // The reader: sleeps until something was published, Wake was called, or the time is over.
  void Wait(int timeout_ms);
  // Any thread: ends a Wait, this one or the next.
  void Wake();

 private:
  std::vector<std::unique_ptr<AccessRing>> rings_;
  FileDescriptor bell_;  // eventfd
  std::atomic<bool> asleep_{false};
};

}  // namespace quipd::server
