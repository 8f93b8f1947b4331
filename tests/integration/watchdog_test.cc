// SPDX-License-Identifier: MIT
// The service manager's watchdog is fed while every worker's loop turns, and not longer.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kConfig =
    "listen: 127.0.0.1:0\n"
    "workers: 2\n"
    "routes: [GET / echo: x]\n";

DaemonSetup Watched(const char* interval_us) {
  return {.config = kConfig, .environment = {{"WATCHDOG_USEC", interval_us}}};
}

bool IsPing(const std::optional<Notice>& notice) {
  return notice && notice->text.find("WATCHDOG=1") != std::string::npos;
}

// The thread of that name; -1 where there is none.
pid_t ThreadNamed(pid_t process, const std::string& name) {
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream comm(task.path() / "comm");
    std::string found;
    if (std::getline(comm, found) && found == name) return std::stoi(task.path().filename());
  }
  return -1;
}

// One thread of another process, held still while this lives.
class HeldThread {
 public:
  explicit HeldThread(pid_t thread) : thread_(thread) {
    held_ = ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) == 0 &&
            ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) == 0 &&
            waitpid(thread, nullptr, __WALL) == thread;
  }
  ~HeldThread() {
    if (held_) ptrace(PTRACE_DETACH, thread_, nullptr, nullptr);
  }
  HeldThread(const HeldThread&) = delete;
  HeldThread& operator=(const HeldThread&) = delete;

  [[nodiscard]] bool held() const { return held_; }

 private:
  pid_t thread_;
  bool held_ = false;
};

TEST(Watchdog, IsFedBeforeItBites) {
  Daemon daemon(Watched("400000"));
  ASSERT_TRUE(daemon.ready());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(IsPing(daemon.NextNotice()));
}

TEST(Watchdog, NobodyAsksForIt) {
  for (const DaemonSetup& setup :
       {DaemonSetup{.config = kConfig},
        DaemonSetup{.config = kConfig,
        .environment = {{"WATCHDOG_USEC", "1000"}, {"WATCHDOG_PID", "1"}}}}) {
    Daemon daemon(setup);
    ASSERT_TRUE(daemon.ready());
    EXPECT_EQ(daemon.Reload().reload, "ok");
    daemon.Signal(SIGTERM);
    const std::optional<Notice> next = daemon.NextNotice();
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->stopping) << next->text;
  }
}

TEST(Watchdog, HungWorkerStarvesIt) {
  Daemon daemon(Watched("400000"));
  ASSERT_TRUE(daemon.ready());
  EXPECT_TRUE(IsPing(daemon.NextNotice()));
  {
    const HeldThread hung(ThreadNamed(daemon.pid(), "quipd-1"));
    if (!hung.held()) GTEST_SKIP() << "ptrace is not permitted";
    // They are read all the time: the daemon waits for a manager that doesn't.
    while (daemon.NextNotice(milliseconds(1500))) {
    }
    ASSERT_TRUE(daemon.WaitForLog("a worker's loop doesn't turn")) << daemon.Log();
  }
  EXPECT_TRUE(IsPing(daemon.NextNotice()));
  EXPECT_TRUE(daemon.WaitForLog("turns again"));
}

// A drain that takes its time is no hung worker, though some have ended already.
TEST(Watchdog, IsFedToTheEnd) {
  Daemon daemon(Watched("400000"));
  ASSERT_TRUE(daemon.ready());
  Client busy = daemon.Connect();
  EXPECT_EQ(busy.Get("/").status, 200);
  busy.Send("GET / HTTP/1.1\r\n");
  daemon.Signal(SIGTERM);
  ASSERT_TRUE(daemon.WaitForLog("draining"));
  const auto until = std::chrono::steady_clock::now() + milliseconds(3500);  // > hung after
  while (std::chrono::steady_clock::now() < until) ASSERT_TRUE(daemon.NextNotice()) << daemon.Log();
  busy.Send("Host: a\r\n\r\n");
  EXPECT_EQ(busy.Read().status, 200);
  EXPECT_EQ(daemon.Wait(), 0);
  EXPECT_EQ(daemon.Log().find("doesn't turn"), std::string::npos);
}

}  // namespace
}  // namespace quipd::test
