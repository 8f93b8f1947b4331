// SPDX-License-Identifier: MIT
// Reloads, one after the other: the files are read on a thread of their own, so that a slow disk
// keeps no signal waiting; a burst of requests ends with what was read last; whoever asked is told
// how it ended. What a reload does is the supervisor's, given as steps. The thread of the mailbox's
// base alone, which calls all but `load`; gone before the mailbox is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/load.h"
#include "base/diagnostic.h"
#include "server/mailbox.h"

namespace quipd::app {

struct ReloadOutcome {
  bool ok = false;
  uint64_t generation = 0;  // that serves now: the new one, or the old one where it failed
  Diagnostics diagnostics;  // warnings; where it failed the errors too
};

// What became of all reloads since the start.
struct ReloadHistory {
  using Time = std::chrono::system_clock::time_point;

  uint64_t ok = 0;
  uint64_t failed = 0;
  std::optional<ReloadOutcome> last;
  Time last_time;     // of `last`; else the start
  Time last_ok_time;  // the start counts
};

class Reloads {
 public:
  using Waiter = std::function<void(const ReloadOutcome&)>;

  struct Steps {
    std::function<void()> begun;                                 // before the first of a burst
    std::function<std::shared_ptr<const site::Site>()> serving;  // handed to `load`
    std::function<LoadedSite(std::shared_ptr<const site::Site>)> load;  // on another thread
    std::function<ReloadOutcome(const LoadedSite&)> take_over;          // serve it, or say why not
    std::function<void(const ReloadOutcome&)> ended;                    // after the last of a burst
  };

  Reloads(server::Mailbox* mailbox, Steps steps);
  ~Reloads();  // waits for what is being read
  Reloads(const Reloads&) = delete;
  Reloads& operator=(const Reloads&) = delete;

  // `waiter`, which may be empty, hears once of the last reload of the burst that this one belongs
  // to: its files were read after this call.
  void Request(Waiter waiter = {});

  // Nothing is taken over from now on; who waits, or asks later, hears `why`.
  void Stop(const std::string& why);

  [[nodiscard]] const ReloadHistory& history() const { return history_; }

 private:
  void BeginLoading();
  void Loaded(const LoadedSite& loaded);
  void Record(const ReloadOutcome& outcome);
  void Answer(const ReloadOutcome& outcome);

  server::Mailbox* mailbox_;
  Steps steps_;
  std::thread loading_;
  std::vector<Waiter> waiters_;
  ReloadHistory history_;
  bool is_loading_ = false;
  bool again_ = false;  // asked for while one was under way
  std::optional<std::string> stopped_;
};

// The first error, on one line; empty for none.
[[nodiscard]] std::string FirstError(const Diagnostics& diagnostics);

}  // namespace quipd::app
