// SPDX-License-Identifier: MIT
#include "app/reloads.h"

#include <utility>

namespace quipd::app {

std::string FirstError(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Diagnostic::Severity::kError) return ToLine(diagnostic);
  }
  return {};
}

Reloads::Reloads(server::Mailbox* mailbox, Steps steps)
    : mailbox_(mailbox), steps_(std::move(steps)) {
  history_.last_time = history_.last_ok_time = std::chrono::system_clock::now();
}

Reloads::~Reloads() {
  if (loading_.joinable()) loading_.join();
}

void Reloads::Request(Waiter waiter) {
  if (waiter) waiters_.push_back(std::move(waiter));
  if (stopped_) return Answer({.diagnostics = {Fault(*stopped_)}});
  if (is_loading_) {
    again_ = true;
    return;
  }
  steps_.begun();
  BeginLoading();
}

void Reloads::BeginLoading() {
  is_loading_ = true;
  if (loading_.joinable()) loading_.join();
  loading_ = std::thread([this, serving = steps_.serving()]() mutable {
    auto loaded = std::make_shared<LoadedSite>(steps_.load(std::move(serving)));
    mailbox_->Post([this, loaded] { Loaded(*loaded); });
  });
}

void Reloads::Loaded(const LoadedSite& loaded) {
  is_loading_ = false;
  if (stopped_) return;
  const ReloadOutcome outcome = steps_.take_over(loaded);
  Record(outcome);
  // Asked again meanwhile: what was read may be old. Whoever waits hears of the last one.
  if (std::exchange(again_, false)) return BeginLoading();
  steps_.ended(outcome);
  Answer(outcome);
}

void Reloads::Record(const ReloadOutcome& outcome) {
  history_.last_time = std::chrono::system_clock::now();
  if (outcome.ok) history_.last_ok_time = history_.last_time;
  ++(outcome.ok ? history_.ok : history_.failed);
  history_.last = outcome;
}

// A waiter may ask for another reload.
void Reloads::Answer(const ReloadOutcome& outcome) {
  for (const Waiter& waiter : std::exchange(waiters_, {})) waiter(outcome);
}

void Reloads::Stop(const std::string& why) {
  stopped_ = why;
  Answer({.diagnostics = {Fault(why)}});
}

}  // namespace quipd::app
