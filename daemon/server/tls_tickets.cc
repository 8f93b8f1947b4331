// SPDX-License-Identifier: MIT
#include "server/tls_tickets.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <utility>

namespace quipd::server {
namespace {

template <size_t Size>
bool FillAtRandom(std::array<unsigned char, Size>* bytes) {
  return RAND_bytes(bytes->data(), static_cast<int>(Size)) == 1;
}

}  // namespace

TicketKey::~TicketKey() {
  OPENSSL_cleanse(cipher.data(), cipher.size());
  OPENSSL_cleanse(mac.data(), mac.size());
}

TicketKeys::TicketKeys(std::function<Clock::time_point()> now) : now_(std::move(now)) {}

// Drops what is too old and sees to a key that may seal; false where none can be made.
bool TicketKeys::Rotate() {
  const Clock::time_point now = now_();
  while (!keys_.empty() && now - keys_.back().since >= kPeriod * kKept) keys_.pop_back();
  if (!keys_.empty() && now - keys_.front().since < kPeriod) return true;
  Kept made{{}, now};
  if (!FillAtRandom(&made.key.name) || !FillAtRandom(&made.key.cipher) ||
      !FillAtRandom(&made.key.mac)) {
    return false;
  }
  keys_.insert(keys_.begin(), made);
  if (keys_.size() > kKept) keys_.pop_back();
  return true;
}

std::optional<TicketKey> TicketKeys::Newest() {
  const std::lock_guard lock(mutex_);
  if (!Rotate()) return std::nullopt;
  return keys_.front().key;
}

std::optional<TicketKeys::Found> TicketKeys::Find(const TicketKey::Name& name) {
  const std::lock_guard lock(mutex_);
  if (!Rotate()) return std::nullopt;
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].key.name == name) return Found{keys_[i].key, i == 0};
  }
  return std::nullopt;
}

}  // namespace quipd::server
