// SPDX-License-Identifier: MIT
// A thread that serves: its event_base, its listening sockets, its connections and its evhttp.
// Created, posted to and destroyed by the supervisor's thread; all else happens on its own. Nothing
// is locked while a request is served: a task is posted only for a reload or a drain.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "base/diagnostic.h"
#include "base/file_descriptor.h"
#include "server/connection_set.h"
#include "server/context.h"
#include "server/event_handles.h"
#include "server/gate.h"
#include "server/mailbox.h"

namespace quipd::server {

class Acceptor;

class Worker {
 public:
  // `ended` is called on the worker's thread when it has drained.
  [[nodiscard]] static Result<std::unique_ptr<Worker>> Create(
      size_t number, std::shared_ptr<const site::Site> site, ConnectionCap* cap,
      std::function<void()> ended);
  ~Worker();  // stops it, and closes what is open
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts the thread. What is posted before runs first.
  void Start();

  // Ends the thread; what is posted from now on never runs.
  void Stop();

  // Runs `task` on the worker's thread, soon and in order.
  void Post(std::function<void()> task);

  [[nodiscard]] const Counters& counters() const { return context_->counters; }
  // When its loop last came round to its timer, which is every second or sooner; MonotonicMs.
  // INT64_MAX once it has ended.
  [[nodiscard]] int64_t turned_ms() const { return turned_ms_.load(std::memory_order_relaxed); }

  // --- On the worker's thread ---

  // What its connections are to know; one key may have several sockets.
  void AddListener(const std::string& key, const ListenerSlot& slot, FileDescriptor socket);
  // The listener stands at another place of the configuration, or has other certificates.
  void ChangeListener(const std::string& key, const ListenerSlot& slot);
  // It stands nowhere any more. Who is queued there is served as he would have been.
  void ForgetListener(const std::string& key);
  // How many may wait there to be accepted.
  void SetBacklog(const std::string& key, int backlog);
  // Takes what is queued there, then closes.
  void RemoveListener(const std::string& key);
  void Adopt(std::shared_ptr<const site::Site> site);
  // Closes idle connections if the process is at its cap.
  void MakeRoomForOthers();
  void SayNotReady() { context_->not_ready = true; }
  // Stops accepting, lets connections end, and ends the loop when none is left or after `limit`.
  void Drain(std::chrono::milliseconds limit);

 private:
  Worker(size_t number, ConnectionCap* cap, std::function<void()> ended);

  static void OnTick(evutil_socket_t fd, short what, void* self);
  Result<void> SetUp(std::shared_ptr<const site::Site> site);
  void Run();
  void ArmTick();
  void EndIfDrained();

  const size_t number_;
  const std::function<void()> ended_;
  EventBase base_;  // before all that lives on it
  std::unique_ptr<Mailbox> mailbox_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<ConnectionSet> connections_;
  std::map<std::string, std::shared_ptr<ListenerSlot>> slots_;  // by the listener's key
  std::multimap<std::string, std::unique_ptr<Acceptor>> acceptors_;
  Event tick_;
  int64_t drain_until_ms_ = 0;
  std::atomic<int64_t> turned_ms_{MonotonicMs()};
  std::thread thread_;
};

}  // namespace quipd::server
