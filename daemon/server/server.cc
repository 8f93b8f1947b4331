// SPDX-License-Identifier: MIT
#include "server/server.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <utility>

#include "server/connection_set.h"
#include "server/context.h"
#include "server/listen.h"
#include "server/worker.h"

namespace quipd::server {

// An entry of `listen` that is open; the workers own its sockets.
struct Listening {
  OpenListener open;
  ListenerSlot slot;  // as each worker has it
};

namespace {

// Of every entry of `listen`, in order. Entries that leave the port to the system may be alike;
// a word behind the key tells them apart.
std::vector<std::string> KeysOf(const config::Config& config) {
  std::vector<std::string> keys;
  for (const config::Listener& listener : config.listeners) {
    std::string key = KeyOf(listener);
    while (std::ranges::find(keys, key) != keys.end()) key += " again";
    keys.push_back(std::move(key));
  }
  return keys;
}

ListenerSlot SlotOf(const config::Config& config, const TlsContexts& tls, uint32_t number) {
  const config::Listener& listener = config.listeners[number];
  return {.number = number,
          .tls = tls[number],
          .proxy_protocol = listener.proxy_protocol,
          .passed = listener.address.family == config::ListenAddress::Family::kSystemd};
}

uint32_t IndexOf(const std::vector<std::string>& keys, const std::string& key) {
  const auto found = std::ranges::find(keys, key);
  if (found == keys.end()) return ListenerSlot::kGone;
  return static_cast<uint32_t>(found - keys.begin());
}

// Descriptors that stay free of connections: a worker's own, and what the supervisor opens when it
// reloads while clients hold all the rest.
constexpr rlim_t kSpare = 64;
constexpr rlim_t kOfWorker = 8;

// Raises the limit of descriptors as far as `connections` need it; how many it leaves room for.
uint32_t MakeRoomForConnections(uint32_t connections, size_t workers) {
  const rlim_t spare = kSpare + kOfWorker * workers;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return connections;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, connections + spare);
  if (limit.rlim_cur < wanted) {
    const rlimit raised{wanted, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  // Where the limit is very low, connections have the half of it.
  const rlim_t room = limit.rlim_cur - std::min(spare, limit.rlim_cur / 2);
  return static_cast<uint32_t>(std::min<rlim_t>(room, connections));
}

}  // namespace

Server::Server() : cap_(std::make_unique<ConnectionCap>()) {}

// No worker goes before all have stopped: they post to each other.
Server::~Server() {
  for (const auto& worker : workers_) worker->Stop();
  workers_.clear();
}

Result<std::unique_ptr<Server>> Server::Start(Beginning beginning) {
  const std::shared_ptr<const site::Site>& site = beginning.site;
  const size_t workers = beginning.workers;
  std::unique_ptr<Server> server(new Server());
  server->passed_ = std::move(beginning.passed);
  server->cap_->set_ceiling(MakeRoomForConnections(site->config().limits.connections, workers));
  const auto left = std::make_shared<std::atomic<size_t>>(workers);
  for (size_t i = 0; i < workers; ++i) {
    Result<std::unique_ptr<Worker>> worker =
        Worker::Create(i, site, server->cap_.get(), [left, ended = beginning.ended] {
          if (left->fetch_sub(1) == 1) ended();
        });
    if (!worker) return tl::unexpected(std::move(worker.error()));
    server->workers_.push_back(std::move(*worker));
  }
  std::map<std::string, Listening> opened;
  if (Result<void> open = server->OpenNew(site->config(), beginning.tls, &opened); !open) {
    return tl::unexpected(std::move(open.error()));
  }
  for (auto& [key, listening] : opened) server->HandOut(key, &listening);
  server->listening_ = std::move(opened);
  server->order_ = KeysOf(site->config());
  server->cap_->set_ask_all([self = server.get()] {
    for (const auto& worker : self->workers_) {
      worker->Post([one = worker.get()] { one->MakeRoomForOthers(); });
    }
  });
  for (const auto& worker : server->workers_) worker->Start();
  return server;
}

// Opens what the configuration names and isn't open yet; every fault is reported.
Result<void> Server::OpenNew(const config::Config& config, const TlsContexts& tls,
                             std::map<std::string, Listening>* opened) {
  Diagnostics faults;
  const std::vector<std::string> keys = KeysOf(config);
  for (size_t i = 0; i < config.listeners.size(); ++i) {
    const std::string& key = keys[i];
    if (listening_.count(key) > 0) continue;
    const config::Listener& listener = config.listeners[i];
    Result<OpenListener> open = Open(listener, workers_.size(), passed_);
    if (!open) {
      for (Diagnostic& fault : open.error()) {
        faults.push_back(
            config.Error(listener.place, std::move(fault.message), std::move(fault.hint)));
      }
      continue;
    }
    Listening listening;
    listening.open = std::move(*open);
    listening.slot = SlotOf(config, tls, static_cast<uint32_t>(i));
    opened->emplace(key, std::move(listening));
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return {};
}

void Server::HandOut(const std::string& key, Listening* listening) {
  for (BoundAddress& address : listening->open.addresses) {
    for (size_t i = 0; i < workers_.size(); ++i) {
      Worker* worker = workers_[i].get();
      // std::function must be copyable; the socket is not.
      auto socket = std::make_shared<FileDescriptor>(std::move(address.sockets[i]));
      worker->Post([worker, key, slot = listening->slot, socket] {
        worker->AddListener(key, slot, std::move(*socket));
      });
    }
    address.sockets.clear();
  }
}

Result<void> Server::Reload(std::shared_ptr<const site::Site> site, const TlsContexts& tls) {
  const config::Config& config = site->config();
  std::map<std::string, Listening> opened;
  if (Result<void> open = OpenNew(config, tls, &opened); !open) return open;

  cap_->set_ceiling(MakeRoomForConnections(config.limits.connections, workers_.size()));
  std::vector<std::string> keys = KeysOf(config);
  for (auto& [key, listening] : listening_) {
    const uint32_t number = IndexOf(keys, key);
    if (number == ListenerSlot::kGone) {
      listening.slot = {};
      continue;
    }
    listening.slot = SlotOf(config, tls, number);
    const config::Listener& listener = config.listeners[number];
    if (Result<void> mode = listening.open.file.SetMode(listener.mode); !mode) {
      spdlog::warn("{}", ToLine(mode.error().front()));
    }
  }
  PostToAll([&](Worker* worker) {
    for (const auto& [key, listening] : listening_) {
      if (listening.slot.number == ListenerSlot::kGone) {
        worker->ForgetListener(key);
      } else {
        worker->ChangeListener(key, listening.slot);
        if (listening.slot.passed) continue;  // its backlog is its unit's
        worker->SetBacklog(key, config.listeners[listening.slot.number].backlog);
      }
    }
    worker->Adopt(site);
  });
  for (auto& [key, listening] : opened) HandOut(key, &listening);
  PostToAll([&](Worker* worker) {
    for (const auto& [key, listening] : listening_) {
      if (listening.slot.number == ListenerSlot::kGone) worker->RemoveListener(key);
    }
  });
  std::erase_if(listening_,
                [](const auto& one) { return one.second.slot.number == ListenerSlot::kGone; });
  listening_.merge(opened);
  order_ = std::move(keys);
  return {};
}

// Returns when every worker has run the task.
void Server::PostToAll(const std::function<void(Worker*)>& task) {
  std::latch done(static_cast<ptrdiff_t>(workers_.size()));
  for (const auto& worker : workers_) {
    worker->Post([&task, &done, one = worker.get()] {
      task(one);
      done.count_down();
    });
  }
  done.wait();
}

void Server::Drain(std::chrono::milliseconds limit) {
  for (const auto& worker : workers_) {
    worker->Post([one = worker.get(), limit] { one->Drain(limit); });
  }
}

void Server::SayNotReady() {
  for (const auto& worker : workers_) {
    worker->Post([one = worker.get()] { one->SayNotReady(); });
  }
}

Statistics Server::GetStatistics() const {
  Statistics sum;
  for (const auto& worker : workers_) {
    const Counters& counters = worker->counters();
    sum.open += counters.open.Get();
    sum.accepted += counters.accepted.Get();
    sum.evicted += counters.evicted.Get();
    sum.put_off_at_limit += counters.refused.Get();
    sum.handshakes_failed += counters.handshakes_failed.Get();
    sum.proxy_headers_failed += counters.proxy_headers_failed.Get();
    sum.relayed += counters.relayed.Get();
  }
  return sum;
}

bool Server::IsAlive(std::chrono::milliseconds within) const {
  const int64_t since = MonotonicMs() - within.count();
  return std::ranges::all_of(workers_,
                             [since](const auto& worker) { return worker->turned_ms() >= since; });
}

std::vector<std::string> Server::UnusedPassed() const {
  std::vector<std::string> unused;
  for (const PassedSocket& one : passed_.sockets) {
    const bool used = listening_.count(KeyOfPassed(one.name)) > 0;
    if (!used && std::ranges::find(unused, one.name) == unused.end()) unused.push_back(one.name);
  }
  return unused;
}

std::vector<Address> Server::Addresses() const {
  std::vector<Address> out;
  for (const std::string& key : order_) {
    const auto found = listening_.find(key);
    if (found == listening_.end()) continue;
    const bool secure = found->second.slot.tls != nullptr;
    for (const BoundAddress& address : found->second.open.addresses) {
      out.push_back({address.shown, secure});
    }
  }
  return out;
}

}  // namespace quipd::server
