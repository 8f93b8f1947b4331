// SPDX-License-Identifier: MIT
#include "server/relay.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "server/backend.h"
#include "server/canonical_request.h"
#include "server/event_handles.h"
#include "server/exchanges.h"
#include "server/relay_link.h"

namespace quipd::server {
namespace {

constexpr size_t kScratchSize = 64 * 1024;

}  // namespace

struct Relay::Impl {
  // A link and what its limits were when it was made.
  struct Pooled {
    std::unique_ptr<RelayLink> link;
    uint64_t limits = 0;
  };

  Impl(event_base* loop, size_t most, const RelaySettings& how, Exchanges book)
      : base(loop), max_active(most), settings(how), exchanges(std::move(book)) {}

  Pooled TakeLink();
  void Bury(Pooled pooled);
  void Retire(size_t keep);
  void Tick();
  void FailOverdue();
  void MakeRoom(uint64_t head_bytes, uint64_t body_bytes);
  void Over(RelayLink* link, uint64_t id, bool ok);

  static void OnOver(void* self, RelayLink* link, uint64_t id, bool ok);
  static void OnTick(evutil_socket_t fd, short what, void* self) noexcept;
  static void OnSweep(evutil_socket_t fd, short what, void* self) noexcept;

  event_base* base;
  size_t max_active;
  RelaySettings settings;
  std::array<char, kScratchSize> scratch;
  Exchanges exchanges;
  std::unique_ptr<Backend> backend;
  uint64_t limits = 0;  // counts how often the Backend's have risen
  Event tick;           // runs while there are links
  Event sweep;          // destroys the buried, outside of any event of theirs
  std::unordered_map<uint64_t, Pooled> busy;
  std::vector<Pooled> idle;  // the longest idle first
  std::vector<Pooled> buried;
};

Relay::Impl::Pooled Relay::Impl::TakeLink() {
  if (idle.empty()) {
    const RelayLink::Owner owner{this, OnOver};
    return {std::make_unique<RelayLink>(base, backend->Connect(), scratch, owner), limits};
  }
  Pooled pooled = std::move(idle.back());
  idle.pop_back();
  return pooled;
}

void Relay::Impl::Bury(Pooled pooled) {
  pooled.link->Close();
  buried.push_back(std::move(pooled));
  event_active(sweep.get(), EV_TIMEOUT, 0);
}

// Keeps the last used of the idle.
void Relay::Impl::Retire(size_t keep) {
  while (idle.size() > keep) {
    Bury(std::move(idle.front()));
    idle.erase(idle.begin());
  }
}

void Relay::Impl::MakeRoom(uint64_t head_bytes, uint64_t body_bytes) {
  if (!backend->MakeRoom(head_bytes, body_bytes)) return;
  ++limits;
  Retire(0);
}

void Relay::Impl::OnOver(void* self, RelayLink* link, uint64_t id, bool ok) {
  static_cast<Impl*>(self)->Over(link, id, ok);
}

void Relay::Impl::Over(RelayLink* link, uint64_t id, bool ok) {
  if (id == 0) {
    const auto found = std::find_if(idle.begin(), idle.end(), [link](const Pooled& pooled) {
      return pooled.link.get() == link;
    });
    if (found == idle.end()) return;
    Bury(std::move(*found));
    idle.erase(found);
    return;
  }
  auto node = busy.extract(id);
  Check(!node.empty());
  exchanges.Remove(id);
  const ExchangeEvents events = link->events();
  Pooled& pooled = node.mapped();
  if (link->Reusable() && pooled.limits == limits) {
    idle.push_back(std::move(pooled));
    Retire(settings.max_idle);
  } else {
    Bury(std::move(pooled));
  }
  events.on_end(events.owner, ok);
}

void Relay::Impl::FailOverdue() {
  // An event may begin and end exchanges: look by id, and at one of them at a time.
  std::vector<uint64_t> overdue;
  for (auto& [id, pooled] : busy) {
    if (pooled.link->CountTick() > settings.deadline_ticks) overdue.push_back(id);
  }
  for (const uint64_t id : overdue) {
    const auto found = busy.find(id);
    if (found != busy.end()) found->second.link->Fail();
  }
}

void Relay::Impl::Tick() {
  FailOverdue();
  const auto stale = std::count_if(idle.begin(), idle.end(), [this](const Pooled& pooled) {
    return pooled.link->CountTick() > settings.idle_ticks;
  });
  Retire(idle.size() - static_cast<size_t>(stale));
  if (busy.empty() && idle.empty()) event_del(tick.get());
}

void Relay::Impl::OnTick(evutil_socket_t /*fd*/, short /*what*/, void* self) noexcept {
  try {
    static_cast<Impl*>(self)->Tick();
  } catch (...) {
    // Out of memory: the next tick tries again.
  }
}

void Relay::Impl::OnSweep(evutil_socket_t /*fd*/, short /*what*/, void* self) noexcept {
  static_cast<Impl*>(self)->buried.clear();
}

Result<std::unique_ptr<Relay>> Relay::Create(event_base* base, size_t max_active,
                                             uint64_t body_limit, const RelaySettings& settings) {
  Result<Exchanges> exchanges = Exchanges::Create();
  if (!exchanges) return tl::unexpected(std::move(exchanges.error()));
  auto impl = std::make_unique<Impl>(base, max_active, settings, *std::move(exchanges));
  Result<std::unique_ptr<Backend>> backend =
      Backend::Create(base, &impl->exchanges, settings.handler_of, body_limit);
  if (!backend) return tl::unexpected(std::move(backend.error()));
  impl->backend = *std::move(backend);
  impl->tick.reset(event_new(base, -1, EV_PERSIST, Impl::OnTick, impl.get()));
  impl->sweep.reset(event_new(base, -1, 0, Impl::OnSweep, impl.get()));
  if (impl->tick == nullptr || impl->sweep == nullptr) {
    return Fail("creating the relay's timers: out of memory");
  }
  return std::unique_ptr<Relay>(new Relay(std::move(impl)));
}

Relay::Relay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Relay::~Relay() = default;

uint64_t Relay::Start(std::unique_ptr<Exchange> exchange, const ExchangeEvents& events) {
  if (impl_->busy.size() >= impl_->max_active) return 0;
  const std::shared_ptr<const Exchange> shared = std::move(exchange);
  const uint64_t id = impl_->exchanges.Add(shared);
  std::string head = CanonicalRequestHead(*shared, impl_->exchanges.FieldValue(id));
  impl_->MakeRoom(head.size(), shared->body.size());
  Impl::Pooled pooled = impl_->TakeLink();
  RelayLink* const link = pooled.link.get();
  impl_->busy.emplace(id, std::move(pooled));
  link->Begin(id, shared, std::move(head), events);
  if (event_pending(impl_->tick.get(), EV_TIMEOUT, nullptr) == 0) {
    const timeval period = ToTimeval(impl_->settings.tick);
    event_add(impl_->tick.get(), &period);
  }
  return id;
}

void Relay::Pause(uint64_t id, bool paused) {
  const auto found = impl_->busy.find(id);
  if (found != impl_->busy.end()) found->second.link->Pause(paused);
}

void Relay::Cancel(uint64_t id) {
  auto node = impl_->busy.extract(id);
  if (node.empty()) return;
  impl_->exchanges.Remove(id);
  impl_->Bury(std::move(node.mapped()));
}

size_t Relay::active() const { return impl_->busy.size(); }

void Relay::set_body_limit(uint64_t bytes) { impl_->MakeRoom(0, bytes); }

}  // namespace quipd::server
