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
#include "server/tls_context.h"
#include "site/site.h"

namespace quipd::server {

class Worker;
class ConnectionCap;
struct Listening;

// Where a server listens.
struct Address {
  std::string shown;    // "127.0.0.1:8080", "unix:/run/x.sock"
  bool secure = false;  // by TLS
};

class Server {
 public:
  // Opens every listener of the Site's configuration, `tls` for each, and starts `workers` threads.
  // `ended` is called once, by some worker's thread, when all have drained.
  [[nodiscard]] static Result<std::unique_ptr<Server>> Start(std::shared_ptr<const site::Site> site,
                                                             const TlsContexts& tls, size_t workers,
                                                             std::function<void()> ended);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Gives every worker another Site: new listeners are opened first, those that are gone closed
  // last. On an error nothing has changed. When it returns, every request that follows is answered
  // by the new Site; a
  // connection keeps the TLS that it began with, or began without.
  [[nodiscard]] Result<void> Reload(std::shared_ptr<const site::Site> site, const TlsContexts& tls);

  // Stops accepting and lets what is under way end, for `limit` at most.
  void Drain(std::chrono::milliseconds limit);

  // In the order of the configuration.
  [[nodiscard]] std::vector<Address> Addresses() const;
  [[nodiscard]] size_t workers() const { return workers_.size(); }

 private:
  Server();

  Result<void> OpenNew(const config::Config& config, const TlsContexts& tls,
                       std::map<std::string, Listening>* opened);
  void HandOut(const std::string& key, Listening* listening);
  void PostToAll(const std::function<void(Worker*)>& task);

  std::unique_ptr<ConnectionCap> cap_;
  std::map<std::string, Listening> listening_;  // by KeyOf
  std::vector<std::string> order_;              // keys in the order of the configuration
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace quipd::server
