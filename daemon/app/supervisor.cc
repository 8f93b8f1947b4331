// SPDX-License-Identifier: MIT
#include "app/supervisor.h"

#include <sched.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "app/banner.h"
#include "app/load.h"
#include "app/log.h"
#include "app/notify.h"
#include "app/version.h"
#include "base/check.h"
#include "base/file_descriptor.h"
#include "server/event_handles.h"
#include "server/mailbox.h"
#include "server/server.h"

namespace quipd::app {
namespace {

using Clock = std::chrono::steady_clock;

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

void Print(const Diagnostics& diagnostics) {
  std::fputs(ToText(diagnostics).c_str(), stderr);
  std::fflush(stderr);
}

std::string FirstError(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Diagnostic::Severity::kError) return ToLine(diagnostic);
  }
  return {};
}

void LogWarnings(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Diagnostic::Severity::kWarning)
      spdlog::warn("{}", ToLine(diagnostic));
  }
}

class Supervisor {
 public:
  explicit Supervisor(const RunRequest& request)
      : request_(request), base_(event_base_new()), mailbox_(base_.get()) {}

  ~Supervisor() {
    if (loading_.joinable()) loading_.join();
  }

  int Run(Clock::time_point started);

 private:
  static void OnSignals(evutil_socket_t fd, short what, void* self);
  void OnSignal(uint32_t number);

  Result<void> Start(LoadedSite loaded);
  void TakeSignal(int number);
  void AnnounceStart(Clock::time_point started);
  void TellReady(bool reload_failed, const std::string& status);

  void RequestReload();
  void BeginLoading();
  void Loaded(LoadedSite loaded);
  std::string TakeOver(const LoadedSite& loaded);
  Result<void> Apply(const LoadedSite& loaded);
  void Reopen();
  void Drain();

  const RunRequest request_;
  server::EventBase base_;  // before all that lives on it
  server::Mailbox mailbox_;
  sigset_t taken_{};  // signals that signals_ tells of
  FileDescriptor signals_;
  server::Event on_signals_;
  const std::shared_ptr<server::TicketKeys> tickets_ = std::make_shared<server::TicketKeys>();
  std::shared_ptr<const site::Site> site_;
  std::unique_ptr<server::Server> server_;
  std::thread loading_;
  uint64_t generation_ = 1;
  bool is_loading_ = false;
  bool reload_again_ = false;  // asked for while one was under way
  bool draining_ = false;
};

int Supervisor::Run(Clock::time_point started) {
  // These wait for the loop; the two that end the process still end it at once.
  TakeSignal(SIGHUP);
  TakeSignal(SIGUSR1);
  LoadedSite loaded = LoadSite(request_.load, tickets_);
  if (loaded.site == nullptr) {
    Print(loaded.diagnostics);
    return 1;
  }
  TakeSignal(SIGTERM);
  TakeSignal(SIGINT);
  const Diagnostics warnings = loaded.diagnostics;
  if (Result<void> up = Start(std::move(loaded)); !up) {
    Print(up.error());
    return 1;
  }
  Print(warnings);
  AnnounceStart(started);
  event_base_dispatch(base_.get());
  server_.reset();
  spdlog::info("stopped");
  return 0;
}

Result<void> Supervisor::Start(LoadedSite loaded) {
  const config::Config& config = loaded.site->config();
  if (Result<void> log = ConfigureLog(config.log); !log) return log;
  const auto ended = [this] { mailbox_.Post([this] { event_base_loopbreak(base_.get()); }); };
  auto server = server::Server::Start(
      {.site = loaded.site, .tls = loaded.tls, .workers = WorkersOf(config), .ended = ended});
  if (!server) return tl::unexpected(std::move(server.error()));
  server_ = std::move(*server);
  site_ = std::move(loaded.site);
  return {};
}

// From now on the loop hears of it. No handler runs: the signal is blocked, for the threads that
// begin later too, and read from a descriptor. Who started us may have it ignored (nohup), and then
// it would not come.
void Supervisor::TakeSignal(int number) {
  sigaddset(&taken_, number);
  Check(pthread_sigmask(SIG_BLOCK, &taken_, nullptr) == 0);
  std::signal(number, SIG_DFL);
  const int fd = signalfd(signals_ ? signals_.get() : -1, &taken_, SFD_NONBLOCK | SFD_CLOEXEC);
  Check(fd >= 0);
  if (signals_) return;
  signals_.Reset(fd);
  on_signals_.reset(event_new(base_.get(), fd, EV_READ | EV_PERSIST, OnSignals, this));
  Check(on_signals_ != nullptr && event_add(on_signals_.get(), nullptr) == 0);
}

void Supervisor::AnnounceStart(Clock::time_point started) {
  const config::Config& config = site_->config();
  const std::vector<server::Address> addresses = server_->Addresses();
  const auto took = Since(started);
  if (config.dev) {
    std::fputs(Banner(config, {request_.configuration, addresses, took}).c_str(), stdout);
    std::fflush(stdout);
  }
  spdlog::info("quipd {} ready in {} ms: {}", kVersion, took.count(), Summary(config, addresses));
  TellReady(false, Summary(config, addresses));
}

void Supervisor::TellReady(bool reload_failed, const std::string& status) {
  std::vector<std::string> addresses;
  for (const server::Address& address : server_->Addresses()) addresses.push_back(address.shown);
  NotifyReady({status, addresses, generation_, reload_failed});
}

void Supervisor::OnSignals(evutil_socket_t fd, short, void* pointer) {
  auto* self = static_cast<Supervisor*>(pointer);
  signalfd_siginfo info;
  while (read(fd, &info, sizeof info) == sizeof info) self->OnSignal(info.ssi_signo);
}

void Supervisor::OnSignal(uint32_t number) {
  switch (number) {
    case SIGHUP:
      Reopen();
      return RequestReload();
    case SIGUSR1:
      return Reopen();
    default:
      return Drain();
  }
}

// --- Reload ---

void Supervisor::RequestReload() {
  if (draining_) return;
  if (is_loading_) {
    reload_again_ = true;
    return;
  }
  NotifyReloading();
  BeginLoading();
}

void Supervisor::BeginLoading() {
  is_loading_ = true;
  if (loading_.joinable()) loading_.join();
  loading_ = std::thread([this, serving = site_] {
    auto loaded = std::make_shared<LoadedSite>(LoadSite(request_.load, tickets_, serving));
    mailbox_.Post([this, loaded] { Loaded(std::move(*loaded)); });
  });
}

void Supervisor::Loaded(LoadedSite loaded) {
  is_loading_ = false;
  if (draining_) return;
  const std::string fault = TakeOver(loaded);
  // Asked again meanwhile: what was read may be old. Whoever waits hears of the last one.
  if (std::exchange(reload_again_, false)) return BeginLoading();
  const std::string serving = "generation " + std::to_string(generation_);
  if (fault.empty()) {
    TellReady(false, serving + ": " + Summary(site_->config(), server_->Addresses()));
  } else {
    TellReady(true, "Reload failed, " + serving + " serves on: " + fault);
  }
}

// Serves what was loaded, or says why not; the first fault, empty for none.
std::string Supervisor::TakeOver(const LoadedSite& loaded) {
  Diagnostics faults = loaded.diagnostics;
  if (loaded.site != nullptr) {
    Result<void> applied = Apply(loaded);
    if (applied) {
      LogWarnings(loaded.diagnostics);
      spdlog::info("reloaded, generation {}: {}", generation_,
                   Summary(site_->config(), server_->Addresses()));
      return {};
    }
    faults = std::move(applied.error());
  }
  spdlog::warn("the reload failed, generation {} serves on:\n{}", generation_, ToText(faults));
  return FirstError(faults);
}

// All or nothing: what can fail comes first.
Result<void> Supervisor::Apply(const LoadedSite& loaded) {
  const config::Config& config = loaded.site->config();
  const config::Log old_log = site_->config().log;
  if (Result<void> log = ConfigureLog(config.log); !log) return log;
  if (Result<void> taken = server_->Reload(loaded.site, loaded.tls); !taken) {
    if (Result<void> back = ConfigureLog(old_log); !back)
      spdlog::warn("{}", FirstError(back.error()));
    return taken;
  }
  if (WorkersOf(config) != server_->workers()) {
    spdlog::warn("workers: {} takes hold after a restart; {} are running", WorkersOf(config),
                 server_->workers());
  }
  site_ = loaded.site;
  ++generation_;
  return {};
}

void Supervisor::Reopen() {
  if (Result<void> reopened = ReopenLog(); !reopened) {
    spdlog::warn("{}; the old log stays in use", FirstError(reopened.error()));
  }
}

// --- The end ---

// The first signal lets what is under way end; the second doesn't wait for it.
void Supervisor::Drain() {
  if (std::exchange(draining_, true)) {
    event_base_loopbreak(base_.get());
    return;
  }
  spdlog::info("draining");
  NotifyStopping();
  server_->Drain(site_->config().timeouts.drain);
}

}  // namespace

int Run(const RunRequest& request) {
  const Clock::time_point started = Clock::now();
  std::signal(SIGPIPE, SIG_IGN);
  StartLog();
  int status = 0;
  {
    Supervisor supervisor(request);
    status = supervisor.Run(started);
  }
  libevent_global_shutdown();
  return status;
}

}  // namespace quipd::app
