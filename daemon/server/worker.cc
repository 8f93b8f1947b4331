// SPDX-License-Identifier: MIT
#include "server/worker.h"

#include <pthread.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "server/acceptor.h"

namespace quipd::server {
namespace {

constexpr size_t kMaxExchanges = 256;  // with evhttp at one time, for each worker

EventBase NewBase() {
  const Handle<event_config, event_config_free> config(event_config_new());
  Check(config != nullptr);
  event_config_set_flag(config.get(), EVENT_BASE_FLAG_NOLOCK);
  return EventBase(event_base_new_with_config(config.get()));
}

}  // namespace

Worker::Worker(size_t number, ConnectionCap* cap, std::function<void()> ended)
    : number_(number), ended_(std::move(ended)), base_(NewBase()) {
  if (base_ == nullptr) return;
  mailbox_ = std::make_unique<Mailbox>(base_.get());
  context_ = std::make_unique<Context>(base_.get());
  gate_ = std::make_unique<Gate>(context_.get());
  connections_ = std::make_unique<ConnectionSet>(cap, context_.get());
}

Result<std::unique_ptr<Worker>> Worker::Create(size_t number,
                                               std::shared_ptr<const site::Site> site,
                                               ConnectionCap* cap, std::function<void()> ended) {
  std::unique_ptr<Worker> worker(new Worker(number, cap, std::move(ended)));
  if (Result<void> ready = worker->SetUp(std::move(site)); !ready) {
    return tl::unexpected(std::move(ready.error()));
  }
  return worker;
}

Result<void> Worker::SetUp(std::shared_ptr<const site::Site> site) {
  if (base_ == nullptr || !*mailbox_) {
    return Fail("starting worker " + std::to_string(number_) + ": " + std::strerror(errno));
  }
  Result<std::unique_ptr<Relay>> relay =
      Relay::Create(base_.get(), kMaxExchanges, site->config().limits.body);
  if (!relay) return tl::unexpected(std::move(relay.error()));
  context_->relay = std::move(*relay);
  context_->Adopt(std::move(site));
  tick_.reset(evtimer_new(base_.get(), OnTick, this));
  Check(tick_ != nullptr);
  ArmTick();
  return {};
}

Worker::~Worker() {
  Stop();
  acceptors_.clear();
  connections_.reset();  // before the relay that they may cancel
}

void Worker::Start() {
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), ("quipd-" + std::to_string(number_)).c_str());
}

void Worker::Stop() {
  if (!thread_.joinable()) return;
  Post([this] { event_base_loopbreak(base_.get()); });
  thread_.join();
}

void Worker::Run() {
  event_base_loop(base_.get(), EVLOOP_NO_EXIT_ON_EMPTY);
  turned_ms_.store(INT64_MAX, std::memory_order_relaxed);
  acceptors_.clear();
  connections_->CloseAll();
  ended_();
}

void Worker::Post(std::function<void()> task) {
  mailbox_->Post([this, task = std::move(task)] {
    context_->Tick();
    task();
  });
}

// --- Listeners and Sites ---

void Worker::AddListener(const std::string& key, const ListenerSlot& slot, FileDescriptor socket) {
  std::shared_ptr<ListenerSlot>& own = slots_[key];
  if (own == nullptr) own = std::make_shared<ListenerSlot>();
  *own = slot;
  acceptors_.emplace(key, std::make_unique<Acceptor>(context_.get(), gate_.get(),
                                                     connections_.get(), std::move(socket), own));
}

void Worker::ChangeListener(const std::string& key, const ListenerSlot& slot) {
  const auto found = slots_.find(key);
  if (found != slots_.end()) *found->second = slot;
}

void Worker::ForgetListener(const std::string& key) {
  const auto found = slots_.find(key);
  if (found != slots_.end()) found->second->number = ListenerSlot::kGone;
}

void Worker::SetBacklog(const std::string& key, int backlog) {
  const auto [first, last] = acceptors_.equal_range(key);
  for (auto one = first; one != last; ++one) one->second->SetBacklog(backlog);
}

void Worker::RemoveListener(const std::string& key) {
  const auto [first, last] = acceptors_.equal_range(key);
  for (auto one = first; one != last; ++one) one->second->TakeQueued();
  acceptors_.erase(first, last);
  slots_.erase(key);
}

void Worker::MakeRoomForOthers() { connections_->MakeRoomForOthers(); }

void Worker::Adopt(std::shared_ptr<const site::Site> site) {
  context_->Adopt(std::move(site));
  ArmTick();
}

// --- Time ---

void Worker::ArmTick() {
  const timeval width = ToTimeval(std::chrono::milliseconds(context_->deadlines.slot_ms()));
  event_add(tick_.get(), &width);
}

void Worker::OnTick(evutil_socket_t, short, void* pointer) {
  auto* self = static_cast<Worker*>(pointer);
  self->context_->Tick();
  self->turned_ms_.store(self->context_->now_ms, std::memory_order_relaxed);
  self->context_->deadlines.Sweep(
      self->context_->now_ms, [](void*, Deadline* deadline) { Connection::Expire(deadline); },
      nullptr);
  self->ArmTick();
  self->EndIfDrained();
}

// --- The end ---

void Worker::Drain(std::chrono::milliseconds limit) {
  SayNotReady();
  context_->draining = true;
  drain_until_ms_ = context_->now_ms + limit.count();
  for (auto& [key, acceptor] : acceptors_) {
    if (!acceptor->slot().passed) acceptor->TakeQueued();
  }
  acceptors_.clear();
  connections_->DrainAll();
  context_->deadlines.set_slot_ms(5);
  ArmTick();
  EndIfDrained();
}

void Worker::EndIfDrained() {
  if (!context_->draining) return;
  if (connections_->size() == 0 || context_->now_ms >= drain_until_ms_) {
    event_base_loopbreak(base_.get());
  }
}

}  // namespace quipd::server
