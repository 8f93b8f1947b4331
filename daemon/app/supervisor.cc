// SPDX-License-Identifier: MIT
#include "app/supervisor.h"

#include <sched.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "app/banner.h"
#include "app/load.h"
#include "app/log.h"
#include "app/logs.h"
#include "app/notify.h"
#include "app/reloads.h"
#include "app/signals.h"
#include "app/socket_activation.h"
#include "app/version.h"
#include "app/watchdog.h"
#include "server/event_handles.h"
#include "server/mailbox.h"
#include "server/server.h"

namespace quipd::app {
namespace {

using Clock = std::chrono::steady_clock;

// A worker turns every second, and on a busy machine a little later.
constexpr std::chrono::milliseconds kHungAfter(2500);
// What a stop takes beside its delay and drain.
constexpr std::chrono::seconds kEndingTakes(5);

std::chrono::milliseconds Since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

// The CPUs that this process may use (sched_getaffinity(2)).
size_t UsableCpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<size_t>(std::max(1, CPU_COUNT(&set)));
}

size_t WorkersOf(const config::Config& config) {
  return config.workers ? *config.workers : UsableCpus();
}

class Supervisor {
 public:
  Supervisor(const RunRequest& request, server::PassedSockets passed);

  int Run(Clock::time_point started);

 private:
  Result<void> Start(LoadedSite loaded);
  void AnnounceStart(Clock::time_point started);
  void TellReady(bool reload_failed, const std::string& status);
  void WarnOfUnusedSockets() const;
  void OnSignal(int number);

  [[nodiscard]] Reloads::Steps StepsOfReload();
  ReloadOutcome TakeOver(const LoadedSite& loaded);
  void ReloadEnded(const ReloadOutcome& outcome);
  Result<void> Apply(const LoadedSite& loaded);
  Result<void> ApplyOutputs(const config::Config& config);

  void Drain();
  void ServeOn(std::chrono::milliseconds delay);
  void BeginDrain();
  static void OnDelayOver(evutil_socket_t fd, short what, void* self);

  // What a stop goes through, in this order.
  enum class Stage : uint8_t { kServing, kDelaying, kDraining };

  const RunRequest request_;
  server::PassedSockets passed_;  // until the server has them
  server::EventBase base_;        // before all that lives on it
  server::Mailbox mailbox_;
  Signals signals_;
  const std::shared_ptr<server::TicketKeys> tickets_ = std::make_shared<server::TicketKeys>();
  std::shared_ptr<const site::Site> site_;  // that serves
  std::unique_ptr<Logs> logs_;              // outlives the server, which fills its rings
  std::unique_ptr<server::Server> server_;
  uint64_t generation_ = 1;
  Stage stage_ = Stage::kServing;
  server::Event delay_over_;
  std::unique_ptr<Watchdog> watchdog_;
  Reloads reloads_;  // last: its thread reads what stands above
};

Supervisor::Supervisor(const RunRequest& request, server::PassedSockets passed)
    : request_(request),
      passed_(std::move(passed)),
      base_(event_base_new()),
      mailbox_(base_.get()),
      signals_(base_.get(), [this](int number) { OnSignal(number); }),
      reloads_(&mailbox_, StepsOfReload()) {}

// --- The start ---

int Supervisor::Run(Clock::time_point started) {
  // These wait for the loop; the two that end the process still end it at once.
  signals_.Take(SIGHUP);
  signals_.Take(SIGUSR1);
  LoadedSite loaded = LoadSite(request_.load, tickets_);
  if (loaded.site == nullptr) {
    PrintDiagnostics(loaded.diagnostics);
    return 1;
  }
  signals_.Take(SIGTERM);
  signals_.Take(SIGINT);
  const Diagnostics warnings = loaded.diagnostics;
  if (Result<void> up = Start(std::move(loaded)); !up) {
    PrintDiagnostics(up.error());
    return 1;
  }
  PrintDiagnostics(warnings);
  AnnounceStart(started);
  watchdog_ =
      std::make_unique<Watchdog>(base_.get(), [this] { return server_->IsAlive(kHungAfter); });
  event_base_dispatch(base_.get());
  watchdog_.reset();
  server_.reset();
  logs_.reset();
  spdlog::info("stopped");
  return 0;
}

// What a configuration can make fail comes in the order of Apply.
Result<void> Supervisor::Start(LoadedSite loaded) {
  const config::Config& config = loaded.site->config();
  logs_ = std::make_unique<Logs>(WorkersOf(config));
  if (Result<void> outputs = ApplyOutputs(config); !outputs) return outputs;
  const std::string fault = passed_.fault;
  const auto ended = [this] { mailbox_.Post([this] { event_base_loopbreak(base_.get()); }); };
  auto server = server::Server::Start({.site = loaded.site,
                                       .tls = loaded.tls,
                                       .workers = WorkersOf(config),
                                       .passed = std::move(passed_),
                                       .access = logs_->access().rings(),
                                       .ended = ended});
  if (!server) return tl::unexpected(std::move(server.error()));
  if (!fault.empty()) spdlog::warn("{}; no entry of listen wants one", fault);
  server_ = std::move(*server);
  site_ = std::move(loaded.site);
  return {};
}

void Supervisor::AnnounceStart(Clock::time_point started) {
  const config::Config& config = site_->config();
  const std::vector<server::Address> addresses = server_->Addresses();
  const auto took = Since(started);
  if (config.dev) {
    std::fputs(Banner(config, {request_.configuration, addresses, took}).c_str(), stdout);
    std::fflush(stdout);
  }
  WarnOfUnusedSockets();
  spdlog::info("quipd {} ready in {} ms: {}", kVersion, took.count(), Summary(config, addresses));
  TellReady(false, Summary(config, addresses));
}

void Supervisor::TellReady(bool reload_failed, const std::string& status) {
  std::vector<std::string> addresses;
  for (const server::Address& address : server_->Addresses()) addresses.push_back(address.shown);
  NotifyReady({status, addresses, generation_, reload_failed});
}

// Who connects to a socket that nobody takes waits for ever.
void Supervisor::WarnOfUnusedSockets() const {
  for (const std::string& name : server_->UnusedPassed()) {
    spdlog::warn("no entry of listen takes the passed socket \"{0}\": write systemd:{0}", name);
  }
}

void Supervisor::OnSignal(int number) {
  switch (number) {
    case SIGHUP:
      logs_->Reopen();
      if (stage_ != Stage::kServing) spdlog::warn("no reload: quipd is draining");
      return reloads_.Request();
    case SIGUSR1:
      return logs_->Reopen();
    default:
      return Drain();
  }
}

// --- Reload ---

Reloads::Steps Supervisor::StepsOfReload() {
  return {
      .begun = NotifyReloading,
      .serving = [this] { return site_; },
      .load = [this](const auto& serving) { return LoadSite(request_.load, tickets_, serving); },
      .take_over = [this](const LoadedSite& loaded) { return TakeOver(loaded); },
      .ended = [this](const ReloadOutcome& outcome) { ReloadEnded(outcome); },
  };
}

// Serves what was loaded, or says why not.
ReloadOutcome Supervisor::TakeOver(const LoadedSite& loaded) {
  Diagnostics faults = loaded.diagnostics;
  if (loaded.site != nullptr) {
    Result<void> applied = Apply(loaded);
    if (applied) {
      LogDiagnostics({}, loaded.diagnostics);
      spdlog::info("reloaded, generation {}: {}", generation_,
                   Summary(site_->config(), server_->Addresses()));
      WarnOfUnusedSockets();
      return {true, generation_, loaded.diagnostics};
    }
    std::move(applied.error().begin(), applied.error().end(), std::back_inserter(faults));
  }
  LogDiagnostics("the reload failed, generation " + std::to_string(generation_) + " serves on",
                 faults);
  return {false, generation_, std::move(faults)};
}

void Supervisor::ReloadEnded(const ReloadOutcome& outcome) {
  const std::string serving = "generation " + std::to_string(outcome.generation);
  if (outcome.ok) {
    TellReady(false, serving + ": " + Summary(site_->config(), server_->Addresses()));
  } else {
    TellReady(true, "Reload failed, " + serving + " serves on: " + FirstError(outcome.diagnostics));
  }
}

// All or nothing: what can fail comes first, the server, which can't be taken back, last.
Result<void> Supervisor::Apply(const LoadedSite& loaded) {
  const config::Config& config = loaded.site->config();
  Result<void> applied = ApplyOutputs(config);
  if (applied) applied = server_->Reload(loaded.site, loaded.tls);
  if (!applied) {
    if (Result<void> back = ApplyOutputs(site_->config()); !back) {
      spdlog::warn("{}", FirstError(back.error()));
    }
    return applied;
  }
  if (WorkersOf(config) != server_->workers()) {
    spdlog::warn("workers: {} takes hold after a restart; {} are running", WorkersOf(config),
                 server_->workers());
  }
  site_ = loaded.site;
  ++generation_;
  return {};
}

// The logs as that configuration has them: of the next one, and of the old one again where
// something else failed.
Result<void> Supervisor::ApplyOutputs(const config::Config& config) {
  return logs_->Configure(config);
}

// --- The end ---

// The first signal serves on for timeouts.drain_delay, then lets what is under way end. The next
// one doesn't wait for what comes next: for the end of the delay, or of the drain.
void Supervisor::Drain() {
  const config::Timeouts& timeouts = site_->config().timeouts;
  switch (stage_) {
    case Stage::kServing:
      reloads_.Stop("quipd is draining");
      if (timeouts.drain_delay.count() > 0) return ServeOn(timeouts.drain_delay);
      return BeginDrain();
    case Stage::kDelaying:
      return BeginDrain();
    case Stage::kDraining:
      event_base_loopbreak(base_.get());
  }
}

// With `ready` at 503, so that whoever balances the load sends nobody any more.
void Supervisor::ServeOn(std::chrono::milliseconds delay) {
  stage_ = Stage::kDelaying;
  server_->SayNotReady();
  spdlog::info("not ready any more; draining in {} ms", delay.count());
  NotifyStopping("Not ready, serving on for " + std::to_string(delay.count()) + " ms",
                 delay + site_->config().timeouts.drain + kEndingTakes);
  delay_over_.reset(event_new(base_.get(), -1, 0, OnDelayOver, this));
  const timeval time = server::ToTimeval(delay);
  event_add(delay_over_.get(), &time);
}

void Supervisor::OnDelayOver(evutil_socket_t, short, void* self) {
  static_cast<Supervisor*>(self)->BeginDrain();
}

void Supervisor::BeginDrain() {
  if (stage_ == Stage::kDraining) return;
  stage_ = Stage::kDraining;
  delay_over_.reset();
  const std::chrono::milliseconds limit = site_->config().timeouts.drain;
  spdlog::info("draining");
  NotifyStopping("Draining", limit + kEndingTakes);
  server_->Drain(limit);
}

}  // namespace

int Run(const RunRequest& request) {
  const Clock::time_point started = Clock::now();
  server::PassedSockets passed = TakePassedSockets();  // before any descriptor is opened
  std::signal(SIGPIPE, SIG_IGN);
  StartLog();
  int status = 0;
  {
    Supervisor supervisor(request, std::move(passed));
    status = supervisor.Run(started);
  }
  libevent_global_shutdown();
  return status;
}

}  // namespace quipd::app
