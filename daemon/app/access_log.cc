// SPDX-License-Identifier: MIT
#include "app/access_log.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "app/access_outlet.h"
#include "server/access_ring.h"

namespace quipd::app {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kRoom{100};          // between two looks at a target without room
constexpr milliseconds kChange{250};        // that who configures waits for the writer
constexpr milliseconds kLastLines{100};     // for what was answered before a change
constexpr milliseconds kAtTheEnd{1000};     // for what is in the rings at the stop
constexpr std::chrono::seconds kQuiet{10};  // between two warnings

// Warns of lost lines, at most once in kQuiet.
class Losses {
 public:
  void Add(uint64_t lines, const std::string& reason) {
    if (lines == 0) return;
    lines_ += lines;
    reason_ = reason;
  }

  // When the next warning is due; none where nothing is to be said.
  [[nodiscard]] std::optional<Clock::time_point> due() const {
    if (lines_ == 0) return std::nullopt;
    return last_ ? *last_ + kQuiet : Clock::time_point();
  }

  void Tell(bool now = false) {
    const std::optional<Clock::time_point> when = due();
    if (!when || (!now && Clock::now() < *when)) return;
    spdlog::warn("{} {} of the access log lost: {}", lines_, lines_ == 1 ? "line" : "lines",
                 reason_);
    lines_ = 0;
    last_ = Clock::now();
  }

 private:
  uint64_t lines_ = 0;
  std::string reason_;
  std::optional<Clock::time_point> last_;
};

}  // namespace

class AccessLog::Writer {
 public:
  explicit Writer(size_t workers) : rings_(workers) {}
  ~Writer();

  [[nodiscard]] server::AccessRings* rings() { return &rings_; }
  [[nodiscard]] AccessLogCounts counts() const;
  // The outlet of all that is answered from now on; null: none. The thread begins with the first.
  void Change(std::unique_ptr<AccessOutlet> outlet);

 private:
  struct Order {
    std::unique_ptr<AccessOutlet> outlet;
  };

  void Run();
  bool TakeOrder();
  bool Collect();
  void Flush();
  void CountDropped();
  void Rest(bool more);
  void End();
  [[nodiscard]] bool empty();

  mutable server::AccessRings rings_;
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> failed_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Order> order_;  // protected by mutex_
  bool stopping_ = false;       // protected by mutex_

  // The thread's own.
  std::unique_ptr<AccessOutlet> outlet_;
  bool no_room_ = false;  // in the outlet
  bool failing_ = false;  // and said so
  uint64_t dropped_ = 0;  // as last told
  Losses losses_;

  std::thread thread_;
};

AccessLog::Writer::~Writer() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  rings_.Wake();
  thread_.join();
}

AccessLogCounts AccessLog::Writer::counts() const {
  AccessLogCounts counts;
  counts.written = written_.load(std::memory_order_relaxed);
  counts.failed = failed_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < rings_.size(); ++i) counts.dropped += rings_.of(i).dropped();
  return counts;
}

void AccessLog::Writer::Change(std::unique_ptr<AccessOutlet> outlet) {
  if (!thread_.joinable() && outlet == nullptr) return;
  std::unique_lock lock(mutex_);
  order_ = Order{std::move(outlet)};
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_all();
  rings_.Wake();
  // What is answered after a reload stands in the new file: worth a moment's wait, not more.
  changed_.wait_for(lock, kChange, [this] { return !order_.has_value(); });
}

void AccessLog::Writer::Run() {
  while (true) {
    const bool stopping = TakeOrder();
    if (stopping) return End();
    CountDropped();
    losses_.Tell();
    const bool more = Collect();
    Flush();
    Rest(more);
  }
}

// True where the end has come.
bool AccessLog::Writer::TakeOrder() {
  const std::lock_guard lock(mutex_);
  if (order_) {
    const Clock::time_point deadline = Clock::now() + kLastLines;
    while (Collect() && Clock::now() < deadline) Flush();
    Flush();
    if (outlet_ != nullptr) {
      const uint64_t left = outlet_->waiting_lines();
      failed_.fetch_add(left, std::memory_order_relaxed);
      losses_.Add(left, outlet_->name() + " had no room for what it is replaced with");
    }
    outlet_ = std::move(order_->outlet);
    no_room_ = failing_ = false;
    order_.reset();
    changed_.notify_all();
  }
  return stopping_;
}

// From the rings to the outlet, until there is enough for a write; false where they are empty.
bool AccessLog::Writer::Collect() {
  if (no_room_) return false;
  constexpr int kAtOnce = 256;  // of one ring, before the next has its turn
  server::AccessEntry entry;
  bool more = true;
  while (more) {
    more = false;
    for (size_t i = 0; i < rings_.size(); ++i) {
      int taken = 0;
      while (taken < kAtOnce && rings_.of(i).Pop(&entry)) {
        if (outlet_ != nullptr) outlet_->Add(entry);
        ++taken;
      }
      more = more || taken == kAtOnce;
    }
    if (outlet_ != nullptr && outlet_->waiting_bytes() >= AccessOutlet::kWorthAWrite) return true;
  }
  return false;
}

void AccessLog::Writer::Flush() {
  if (outlet_ == nullptr || outlet_->waiting_bytes() == 0) return;
  const AccessOutlet::Flushed flushed = outlet_->Flush();
  written_.fetch_add(flushed.written, std::memory_order_relaxed);
  failed_.fetch_add(flushed.failed, std::memory_order_relaxed);
  no_room_ = flushed.error == EAGAIN;
  if (flushed.failed > 0) {
    losses_.Add(flushed.failed,
                "writing to " + outlet_->name() + ": " + std::strerror(flushed.error));
    failing_ = true;
  } else if (failing_ && flushed.error == 0) {
    losses_.Tell(true);
    spdlog::info("the access log is written to {} again", outlet_->name());
    failing_ = false;
  }
}

void AccessLog::Writer::CountDropped() {
  const uint64_t dropped = counts().dropped;
  if (dropped == dropped_) return;
  const bool slow = no_room_ && outlet_ != nullptr;
  losses_.Add(dropped - dropped_,
              slow ? "the reader of " + outlet_->name() + " is slow" : "the writer is behind");
  dropped_ = dropped;
}

bool AccessLog::Writer::empty() {
  for (size_t i = 0; i < rings_.size(); ++i) {
    if (!rings_.of(i).empty()) return false;
  }
  return true;
}

// Until there is something to do. Wait gathers what comes within some milliseconds.
void AccessLog::Writer::Rest(bool more) {
  if (more) return;
  if (no_room_) return outlet_->AwaitRoom(static_cast<int>(kRoom.count()));
  int timeout_ms = -1;
  if (const std::optional<Clock::time_point> due = losses_.due()) {
    const auto left = std::chrono::ceil<milliseconds>(*due - Clock::now());
    timeout_ms = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000));
  }
  rings_.Wait(timeout_ms);
}

// No worker runs: what the rings hold is all there will be.
void AccessLog::Writer::End() {
  const Clock::time_point deadline = Clock::now() + kAtTheEnd;
  while (outlet_ != nullptr) {
    const bool more = Collect();
    Flush();
    if (!more && empty() && outlet_->waiting_bytes() == 0) break;
    if (Clock::now() >= deadline) break;
    if (no_room_) outlet_->AwaitRoom(20);
  }
  CountDropped();
  if (outlet_ != nullptr) {
    uint64_t left = outlet_->waiting_lines();
    server::AccessEntry entry;
    for (size_t i = 0; i < rings_.size(); ++i) {
      while (rings_.of(i).Pop(&entry)) ++left;
    }
    failed_.fetch_add(left, std::memory_order_relaxed);
    losses_.Add(left, outlet_->name() + " had no room at the end");
  }
  losses_.Tell(true);
}

AccessLog::AccessLog(size_t workers) : writer_(std::make_unique<Writer>(workers)) {}

AccessLog::~AccessLog() = default;

server::AccessRings* AccessLog::rings() { return writer_->rings(); }

Result<void> AccessLog::Configure(const config::AccessLog& log) {
  std::unique_ptr<AccessOutlet> outlet;
  if (!log.target.empty()) {
    Result<std::unique_ptr<AccessOutlet>> opened = AccessOutlet::Open(log);
    if (!opened) return tl::unexpected(std::move(opened.error()));
    outlet = std::move(*opened);
  }
  log_ = log;
  writer_->Change(std::move(outlet));
  return {};
}

Result<void> AccessLog::Reopen() { return Configure(config::AccessLog(log_)); }

AccessLogCounts AccessLog::counts() const { return writer_->counts(); }

}  // namespace quipd::app
