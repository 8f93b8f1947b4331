// SPDX-License-Identifier: MIT
// Deadlines for many connections at the cost of a store each: a wheel of slots that is swept by one
// timer of the worker. Moving a deadline further away writes one number; the sweep re-files what
// comes up early. A deadline fires within one slot width after it is due.
//
// One thread. A Deadline must be cancelled (or destroyed) before its wheel is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace quipd::server {

inline constexpr int64_t kNoDeadline = INT64_MAX;

// Embedded in what has a deadline.
class Deadline {
 public:
  Deadline() = default;
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { Unlink(); }

  [[nodiscard]] int64_t due_ms() const { return due_ms_; }

 private:
  friend class DeadlineWheel;
  void Unlink();

  Deadline* next_ = nullptr;
  Deadline* previous_ = nullptr;
  int64_t due_ms_ = kNoDeadline;
  int64_t filed_ms_ = kNoDeadline;  // when the sweep comes to its slot
};

class DeadlineWheel {
 public:
  explicit DeadlineWheel(int64_t now_ms, int64_t slot_ms = 1000);
  ~DeadlineWheel();
  DeadlineWheel(const DeadlineWheel&) = delete;
  DeadlineWheel& operator=(const DeadlineWheel&) = delete;

  // Sets when `deadline` is due, on the clock of Sweep; kNoDeadline for never.
  void Set(Deadline* deadline, int64_t due_ms) {
    deadline->due_ms_ = due_ms;
    if (due_ms < deadline->filed_ms_) File(deadline);
  }

  // Calls expired(owner, Deadline*) for all that are due. The callback may set, cancel or destroy
  // any deadline, its own too.
  void Sweep(int64_t now_ms, void (*expired)(void* owner, Deadline* deadline), void* owner);

  // The time between two sweeps. Takes hold as deadlines are filed anew.
  [[nodiscard]] int64_t slot_ms() const { return slot_ms_; }
  void set_slot_ms(int64_t slot_ms);

 private:
  static constexpr size_t kSlots = 256;

  void File(Deadline* deadline);
  void SweepSlot(Deadline* slot, int64_t now_ms, void (*expired)(void*, Deadline*), void* owner);
  static void Link(Deadline* slot, Deadline* deadline);

  std::array<Deadline, kSlots> slots_;  // heads of circular lists
  int64_t slot_ms_;
  int64_t swept_ms_;   // the time that cursor_ stands for
  size_t cursor_ = 0;  // the slot swept last
};

}  // namespace quipd::server
