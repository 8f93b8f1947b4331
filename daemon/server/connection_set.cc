// SPDX-License-Identifier: MIT
#include "server/connection_set.h"

#include <algorithm>
#include <utility>

#include "server/context.h"

namespace quipd::server {

ConnectionSet::~ConnectionSet() { CloseAll(); }

bool ConnectionSet::TakePlace() { return cap_->Take(context_->max_connections); }

void ConnectionSet::Add(std::unique_ptr<Connection> connection) {
  connection->place_ = static_cast<uint32_t>(all_.size());
  all_.push_back(std::move(connection));
  context_->counters.accepted.Add(1);
  context_->counters.open.Add(1);
}

void ConnectionSet::Remove(Connection* connection) {
  const uint32_t place = connection->place_;
  const std::unique_ptr<Connection> gone = std::move(all_[place]);
  if (place + 1 < all_.size()) {
    all_[place] = std::move(all_.back());
    all_[place]->place_ = place;
  }
  all_.pop_back();
  cap_->Release();
  context_->counters.open.Subtract(1);
}

size_t ConnectionSet::EvictIdle() {
  std::vector<Connection*> idle;
  for (const auto& connection : all_) {
    if (connection->IsIdle()) idle.push_back(connection.get());
  }
  const size_t count = std::min(idle.size(), 1 + all_.size() / 256);
  std::partial_sort(idle.begin(), idle.begin() + static_cast<ptrdiff_t>(count), idle.end(),
                    [](const Connection* a, const Connection* b) {
                      return a->idle_since_ms() < b->idle_since_ms();
                    });
  for (size_t i = 0; i < count; ++i) Remove(idle[i]);
  context_->counters.evicted.Add(count);
  return count;
}

bool ConnectionSet::MakeRoom() {
  if (EvictIdle() > 0) return true;
  cap_->AskForRoom();
  return false;
}

void ConnectionSet::MakeRoomForOthers() {
  if (cap_->IsFull(context_->max_connections)) EvictIdle();
}

void ConnectionSet::DrainAll() {
  // Backwards: a connection that ends is replaced by the last one, which has had its turn.
  for (size_t i = all_.size(); i-- > 0;) Connection::Drain(all_[i].get());
}

void ConnectionSet::CloseAll() {
  while (!all_.empty()) Remove(all_.back().get());
}

}  // namespace quipd::server
