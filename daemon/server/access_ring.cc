// SPDX-License-Identifier: MIT
#include "server/access_ring.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "base/check.h"

namespace quipd::server {
namespace {

constexpr size_t kTexts = 7;
using Texts = std::array<std::string_view, kTexts>;

// What begins at each multiple of its size that is not inside of something: a record, or the gap
// that is left at the ring's end where a record would not be whole.
struct Mark {
  uint32_t size;
  uint32_t is_gap;
};

// An entry as it lies in the ring, its texts behind it.
struct Record {
  Mark mark;
  int64_t unix_ms;
  uint64_t begun_ns;
  uint64_t latency_us;
  uint64_t body_bytes;
  uint32_t line;
  uint16_t status;
  std::array<uint16_t, kTexts> lengths;
  Peer client;
  bool secure;
  bool http10;
};
static_assert(std::is_trivially_copyable_v<Record>);
static_assert(AccessEntry::kLongestText <= UINT16_MAX);

constexpr size_t kUnit = sizeof(Mark);

Texts TextsOf(const AccessEntry& entry) {
  Texts texts = {entry.method,     entry.target, entry.host, entry.referer,
                 entry.user_agent, entry.rule,   entry.file};
  for (std::string_view& text : texts) text = text.substr(0, AccessEntry::kLongestText);
  return texts;
}

Record RecordOf(const AccessEntry& entry, const Texts& texts) {
  Record record{};
  size_t size = sizeof record;
  for (size_t i = 0; i < kTexts; ++i) {
    record.lengths[i] = static_cast<uint16_t>(texts[i].size());
    size += texts[i].size();
  }
  record.mark.size = static_cast<uint32_t>((size + kUnit - 1) / kUnit * kUnit);
  record.status = entry.status;
  record.unix_ms = entry.unix_ms;
  record.begun_ns = entry.begun_ns;
  record.latency_us = entry.latency_us;
  record.body_bytes = entry.body_bytes;
  record.line = entry.line;
  record.client = entry.client;
  record.secure = entry.secure;
  record.http10 = entry.http10;
  return record;
}

AccessEntry EntryOf(const Record& record, const char* text) {
  AccessEntry entry;
  entry.client = record.client;
  entry.unix_ms = record.unix_ms;
  entry.begun_ns = record.begun_ns;
  entry.latency_us = record.latency_us;
  entry.body_bytes = record.body_bytes;
  entry.status = record.status;
  entry.secure = record.secure;
  entry.http10 = record.http10;
  entry.line = record.line;
  const std::array<std::string_view*, kTexts> texts = {
      &entry.method,     &entry.target, &entry.host, &entry.referer,
      &entry.user_agent, &entry.rule,   &entry.file};
  for (size_t i = 0; i < kTexts; ++i) {
    *texts[i] = {text, record.lengths[i]};
    text += record.lengths[i];
  }
  return entry;
}

template <typename T>
T ReadAs(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

// --- The worker ---

// A worker alone writes it.
void AccessRing::Drop() {
  dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// Room for a record, where it isn't torn; null where there is none.
char* AccessRing::Reserve(size_t size) {
  const size_t at = end_ % kCapacity;
  const size_t gap = kCapacity - at < size ? kCapacity - at : 0;
  if (end_ + gap + size > free_until_) {
    free_until_ = taken_.load(std::memory_order_acquire) + kCapacity;
    if (end_ + gap + size > free_until_) return nullptr;
  }
  if (bytes_ == nullptr) bytes_ = std::make_unique_for_overwrite<char[]>(kCapacity);
  if (gap > 0) {
    const Mark mark{static_cast<uint32_t>(gap), 1};
    std::memcpy(bytes_.get() + at, &mark, sizeof mark);
    end_ += gap;
  }
  return bytes_.get() + end_ % kCapacity;
}

void AccessRing::Add(const AccessEntry& entry) {
  const Texts texts = TextsOf(entry);
  const Record record = RecordOf(entry, texts);
  char* out = Reserve(record.mark.size);
  if (out == nullptr) return Drop();
  std::memcpy(out, &record, sizeof record);
  out += sizeof record;
  for (const std::string_view text : texts) out += text.copy(out, text.size());
  end_ += record.mark.size;
}

// The store and Ring's load are ordered with the reader's, who says that it sleeps and then looks
// for what was published: one of both sees the other.
void AccessRing::Publish(uint64_t now_ns) {
  for (uint64_t at = published_.load(std::memory_order_relaxed); at != end_;) {
    char* const bytes = bytes_.get() + at % kCapacity;
    const auto mark = ReadAs<Mark>(bytes);
    at += mark.size;
    if (mark.is_gap != 0) continue;
    const auto record = ReadAs<Record>(bytes);
    if (record.begun_ns == 0 || record.latency_us != 0) continue;
    const uint64_t latency_us = (std::max(now_ns, record.begun_ns) - record.begun_ns) / 1000;
    std::memcpy(bytes + offsetof(Record, latency_us), &latency_us, sizeof latency_us);
  }
  published_.store(end_);
}

// --- The reader ---

bool AccessRing::Pop(AccessEntry* entry) {
  taken_.store(read_, std::memory_order_release);
  const uint64_t published = published_.load(std::memory_order_acquire);
  while (read_ != published) {
    const char* const bytes = bytes_.get() + read_ % kCapacity;
    const auto mark = ReadAs<Mark>(bytes);
    read_ += mark.size;
    if (mark.is_gap != 0) continue;
    *entry = EntryOf(ReadAs<Record>(bytes), bytes + sizeof(Record));
    return true;
  }
  return false;
}

// --- The bell ---

AccessRings::AccessRings(size_t workers) : bell_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  Check(static_cast<bool>(bell_));
  for (size_t i = 0; i < workers; ++i) rings_.push_back(std::make_unique<AccessRing>());
}

// One worker is enough to wake it.
void AccessRings::WakeReader(State state) {
  if (!state_.compare_exchange_strong(state, State::kAwake)) return;
  static_cast<void>(eventfd_write(bell_.get(), 1));
}

void AccessRings::Wake() {
  woken_.store(true);
  static_cast<void>(eventfd_write(bell_.get(), 1));
}

void AccessRings::Sleep(int timeout_ms) {
  pollfd bell{bell_.get(), POLLIN, 0};
  poll(&bell, 1, timeout_ms);
  eventfd_t rung = 0;
  static_cast<void>(eventfd_read(bell_.get(), &rung));
}

// Sleeps, having said so, where `found` is true of no ring; true where there is something then.
template <typename Found>
bool AccessRings::SleepUnless(State state, int timeout_ms, const Found& found) {
  const auto any = [this, &found] {
    return woken_.load() ||
           std::ranges::any_of(rings_, [&](const auto& one) { return found(*one); });
  };
  state_.store(state);
  if (!any()) Sleep(timeout_ms);
  state_.store(State::kAwake);
  return any();
}

void AccessRings::Wait(int timeout_ms) {
  if (SleepUnless(State::kAsleep, timeout_ms, [](const AccessRing& one) { return !one.empty(); })) {
    SleepUnless(State::kGathering, kGatherMs,
                [](const AccessRing& one) { return one.is_filling(); });
  }
  woken_.store(false);
}

}  // namespace quipd::server
