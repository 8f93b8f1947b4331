// SPDX-License-Identifier: MIT
// All workers as one: started with a Site, given another, drained. Hides threads and sockets from
// the supervisor, whose thread alone calls it; only `ended` of Start is called by other threads.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "server/passed_sockets.h"
#include "server/statistics.h"
#include "server/tls_context.h"
#include "site/site.h"

namespace quipd::server {

class AccessRings;
class Worker;
class ConnectionCap;
struct Listening;

// Where a server listens.
struct Address {
  std::string shown;    // "127.0.0.1:8080", "unix:/run/x.sock"
  bool secure = false;  // by TLS
};

// What a server begins with.
struct Beginning {
  std::shared_ptr<const site::Site> site;
  TlsContexts tls;  // of the Site's listeners
  size_t workers = 1;
  PassedSockets passed = {};
  // Outlives the server; a ring for each worker. Null: nothing is logged, whatever the Site says.
  AccessRings* access = nullptr;
  // Called once, by some worker's thread, when all have drained.
  std::function<void()> ended;
};

class Server {
 public:
  // Opens every listener of the Site's configuration and starts the workers' threads.
  [[nodiscard]] static Result<std::unique_ptr<Server>> Start(Beginning beginning);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Gives every worker another Site: new listeners are opened first, those that are gone closed
  // last. On an error nothing has changed. When it returns, every request that follows is answered
  // by the new Site; a
  // connection keeps the TLS that it began with, or began without.
  [[nodiscard]] Result<void> Reload(std::shared_ptr<const site::Site> site, const TlsContexts& tls);

  // `ready` of health says 503 from now on; all else goes on as before.
  void SayNotReady();

  // Stops accepting and lets what is under way end, for `limit` at most.
  void Drain(std::chrono::milliseconds limit);

  // In the order of the configuration.
  [[nodiscard]] std::vector<Address> Addresses() const;
  [[nodiscard]] size_t workers() const { return workers_.size(); }

  [[nodiscard]] Statistics GetStatistics() const;

  // True where the loop of every worker has turned within that time.
  [[nodiscard]] bool IsAlive(std::chrono::milliseconds within) const;

  // The passed sockets that no listener has taken, by name.
  [[nodiscard]] std::vector<std::string> UnusedPassed() const;

 private:
  Server();

  Result<void> OpenNew(const config::Config& config, const TlsContexts& tls,
                       std::map<std::string, Listening>* opened);
  void HandOut(const std::string& key, Listening* listening);
  void PostToAll(const std::function<void(Worker*)>& task);

  PassedSockets passed_;
  std::unique_ptr<ConnectionCap> cap_;
  std::map<std::string, Listening> listening_;  // by KeyOf
  std::vector<std::string> order_;              // keys in the order of the configuration
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace quipd::server
