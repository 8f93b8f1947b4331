// SPDX-License-Identifier: MIT
// The connections of one worker, which it owns, and the cap that all workers share. One thread, but
// for the ConnectionCap.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "server/connection.h"

namespace quipd::server {

// Counts the connections of the process. Thread-safe.
class ConnectionCap {
 public:
  // Takes a place; false where `limit`, or what the system has descriptors for, are taken.
  [[nodiscard]] bool Take(uint32_t limit) {
    if (taken_.fetch_add(1, std::memory_order_relaxed) < Lower(limit)) return true;
    Release();
    return false;
  }
  void Release() { taken_.fetch_sub(1, std::memory_order_relaxed); }

  [[nodiscard]] bool IsFull(uint32_t limit) const {
    return taken_.load(std::memory_order_relaxed) >= Lower(limit);
  }

  // How many connections the process has descriptors for.
  void set_ceiling(uint32_t ceiling) { ceiling_.store(ceiling, std::memory_order_relaxed); }

  // A worker at the cap that has no idle connection asks all to close one of theirs. How that
  // reaches them is set before the first of them runs.
  void AskForRoom() const {
    if (ask_all_) ask_all_();
  }
  void set_ask_all(std::function<void()> ask_all) { ask_all_ = std::move(ask_all); }

 private:
  [[nodiscard]] uint32_t Lower(uint32_t limit) const {
    return std::min(limit, ceiling_.load(std::memory_order_relaxed));
  }

  std::atomic<uint32_t> taken_{0};
  std::atomic<uint32_t> ceiling_{UINT32_MAX};
  std::function<void()> ask_all_;
};

class ConnectionSet {
 public:
  ConnectionSet(ConnectionCap* cap, Context* context) : cap_(cap), context_(context) {}
  ~ConnectionSet();

  [[nodiscard]] size_t size() const { return all_.size(); }
  [[nodiscard]] bool TakePlace();

  // Closes the connections that have been idle longest, one for each 256 there are; how many.
  size_t EvictIdle();
  // The same for a new connection at the cap; false where none is idle here, and then the other
  // workers are asked.
  bool MakeRoom();
  // Another worker has asked for room.
  void MakeRoomForOthers();

  // Lets every connection end (Connection::Drain).
  void DrainAll();
  void CloseAll();

  // For Connection.
  void Add(std::unique_ptr<Connection> connection);
  void Remove(Connection* connection);
  // Gives back a place whose connection was never added.
  void ReleasePlace() { cap_->Release(); }

 private:
  ConnectionCap* const cap_;
  Context* const context_;
  std::vector<std::unique_ptr<Connection>> all_;
};

}  // namespace quipd::server
