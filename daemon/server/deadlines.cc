// SPDX-License-Identifier: MIT
#include "server/deadlines.h"

#include <algorithm>

namespace quipd::server {

void Deadline::Unlink() {
  if (next_ == nullptr) return;
  next_->previous_ = previous_;
  previous_->next_ = next_;
  next_ = previous_ = nullptr;
  filed_ms_ = kNoDeadline;
}

DeadlineWheel::DeadlineWheel(int64_t now_ms, int64_t slot_ms)
    : slot_ms_(slot_ms), swept_ms_(now_ms) {
  for (Deadline& slot : slots_) slot.next_ = slot.previous_ = &slot;
}

DeadlineWheel::~DeadlineWheel() {
  for (Deadline& slot : slots_) {
    while (slot.next_ != &slot) slot.next_->Unlink();
    slot.next_ = slot.previous_ = nullptr;
  }
}

void DeadlineWheel::Link(Deadline* slot, Deadline* deadline) {
  deadline->previous_ = slot->previous_;
  deadline->next_ = slot;
  slot->previous_->next_ = deadline;
  slot->previous_ = deadline;
}

void DeadlineWheel::File(Deadline* deadline) {
  deadline->Unlink();
  if (deadline->due_ms_ == kNoDeadline) return;
  const int64_t wait = std::max<int64_t>(deadline->due_ms_ - swept_ms_, 0);
  const int64_t steps = std::clamp<int64_t>((wait + slot_ms_ - 1) / slot_ms_, 1, kSlots - 1);
  deadline->filed_ms_ = swept_ms_ + steps * slot_ms_;
  Link(&slots_[(cursor_ + static_cast<size_t>(steps)) % kSlots], deadline);
}

void DeadlineWheel::Sweep(int64_t now_ms, void (*expired)(void*, Deadline*), void* owner) {
  // After a long pause every slot is swept once; more rounds would find nothing new.
  const int64_t behind = (now_ms - swept_ms_) / slot_ms_;
  const int64_t rounds = std::min<int64_t>(behind, kSlots);
  swept_ms_ += (behind - rounds) * slot_ms_;
  for (int64_t i = 0; i < rounds; ++i) {
    cursor_ = (cursor_ + 1) % kSlots;
    swept_ms_ += slot_ms_;
    SweepSlot(&slots_[cursor_], now_ms, expired, owner);
  }
}

void DeadlineWheel::SweepSlot(Deadline* slot, int64_t now_ms, void (*expired)(void*, Deadline*),
                              void* owner) {
  // Taken out as a whole first: what is re-filed, or set by a callback, never comes up twice here.
  Deadline taken;
  taken.next_ = taken.previous_ = &taken;
  if (slot->next_ != slot) {
    taken.next_ = slot->next_;
    taken.previous_ = slot->previous_;
    taken.next_->previous_ = taken.previous_->next_ = &taken;
    slot->next_ = slot->previous_ = slot;
  }
  while (taken.next_ != &taken) {
    Deadline* deadline = taken.next_;
    deadline->Unlink();
    if (deadline->due_ms_ <= now_ms) {
      deadline->due_ms_ = kNoDeadline;
      expired(owner, deadline);
    } else {
      File(deadline);
    }
  }
  taken.next_ = taken.previous_ = nullptr;
}

void DeadlineWheel::set_slot_ms(int64_t slot_ms) {
  if (slot_ms == slot_ms_) return;
  Deadline all;
  all.next_ = all.previous_ = &all;
  for (Deadline& slot : slots_) {
    while (slot.next_ != &slot) {
      Deadline* deadline = slot.next_;
      deadline->Unlink();
      Link(&all, deadline);
    }
  }
  slot_ms_ = slot_ms;
  while (all.next_ != &all) File(all.next_);
  all.next_ = all.previous_ = nullptr;
}

}  // namespace quipd::server
