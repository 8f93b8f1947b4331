// SPDX-License-Identifier: MIT
// The keys that session tickets are sealed with (RFC 5077, RFC 8446 4.6.1), so that a client can
// resume a session at any worker and after a reload. A new key comes every eight hours, and the two
// before it still open tickets; nothing is kept on disk, so a restart ends all sessions.
//
// Thread-safe, by a lock that only handshakes take.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace quipd::server {

// Wiped when it dies.
struct TicketKey {
  using Name = std::array<unsigned char, 16>;

  ~TicketKey();

  Name name{};                             // stands in the ticket
  std::array<unsigned char, 32> cipher{};  // AES-256-CBC
  std::array<unsigned char, 32> mac{};     // HMAC-SHA256
};

class TicketKeys {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::hours kPeriod{8};  // that a key seals tickets
  static constexpr size_t kKept = 3;
  // That a ticket is good for: while its key is sure to be kept.
  static constexpr std::chrono::hours kLifetime = kPeriod * (kKept - 1);

  explicit TicketKeys(std::function<Clock::time_point()> now = Clock::now);

  // For a new ticket; none where the system has no random bytes.
  [[nodiscard]] std::optional<TicketKey> Newest();

  struct Found {
    TicketKey key;
    bool newest = false;  // else the client is to have a new ticket
  };
  // Of a ticket that a client shows.
  [[nodiscard]] std::optional<Found> Find(const TicketKey::Name& name);

 private:
  struct Kept {
    TicketKey key;
    Clock::time_point since;
  };

  bool Rotate();

  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  std::vector<Kept> keys_;  // the newest first; guarded by mutex_
};

}  // namespace quipd::server
