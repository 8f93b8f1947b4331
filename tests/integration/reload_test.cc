// SPDX-License-Identifier: MIT
// Reload by SIGHUP: a transaction whose outcome is told, under open connections and under load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string Serving(const std::string& body) {
  return "listen: 127.0.0.1:0\nworkers: 2\nroutes:\n  - GET / echo: " + body + "\n";
}

TEST(Reload, OpenConnectionSeesTheNewRules) {
  Daemon daemon(Serving("one"));
  ASSERT_TRUE(daemon.ready());
  const std::string address = daemon.address();
  const pid_t pid = daemon.pid();
  Client client = daemon.Connect();
  EXPECT_EQ(client.Get("/").body, "one");
  daemon.Configure(Serving("two") + "  - GET /new echo: new\n");
  const Notice outcome = daemon.Reload();
  EXPECT_EQ(outcome.reload, "ok");
  EXPECT_EQ(outcome.generation, 2u);
  EXPECT_EQ(daemon.address(), address);
  EXPECT_EQ(client.Get("/").body, "two");
  EXPECT_EQ(client.Get("/new").body, "new");
  EXPECT_EQ(daemon.Connect().Get("/").body, "two");
  EXPECT_EQ(kill(pid, 0), 0);
}

TEST(Reload, ServiceManagerIsToldBothEnds) {
  Daemon daemon(Serving("one"));
  ASSERT_TRUE(daemon.ready());
  for (const char* content : {"routes:\n  - GET / echo: two\n", "routes:\n  - GET / ecko: two\n"}) {
    SCOPED_TRACE(content);
    daemon.Configure(std::string("listen: 127.0.0.1:0\n") + content);
    daemon.Signal(SIGHUP);
    const std::optional<Notice> begin = daemon.NextNotice();
    ASSERT_TRUE(begin);
    EXPECT_TRUE(begin->reloading) << begin->text;
    EXPECT_THAT(begin->text, HasSubstr("MONOTONIC_USEC="));
    const Notice end = daemon.AwaitReload();
    EXPECT_NE(end.status, "");
  }
}

// A faulty edit of any kind changes nothing, is told with its place, and can be mended.
TEST(Reload, FaultyEditChangesNothing) {
  Daemon daemon(
      DaemonSetup{.config = "include: more.yaml\n" + Serving("old"),
                  .files = {{"more.yaml", "routes:\n  - GET /more echo: more\n"}, {"dir/x", ""}}});
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  ASSERT_EQ(client.Get("/").body, "old");
  const std::string new_rules = Serving("new") + "  - GET /fresh echo: fresh\n";
  const struct {
    const char* name;
    std::string config;
    std::vector<std::string> told;
  } rows[] = {
      {"two faults",
       new_rules + "  - GET /a ecko: x\n  - GET /b echo: x\n    cahce: 1h\n",
       {"quipd.yaml:6:", "quipd.yaml:8:5", "cahce"}},
      {"not YAML", new_rules + "  - GET /a echo: Hello: World\n", {"quipd.yaml:6:"}},
      {"clash", new_rules + "  - GET / echo: again\n", {"quipd.yaml:6:", "quipd.yaml:4"}},
      {"missing include", "include: gone.yaml\n" + new_rules, {"gone.yaml"}},
      {"directory to include", "include: dir\n" + new_rules, {"dir"}},
      {"missing body", new_rules + "  - GET /f file: gone.txt\n", {"quipd.yaml:6:", "gone.txt"}},
      {"no variable",
       new_rules + "  - GET /f redirect: /${NOT_SET_AT_ALL}\n",
       {"quipd.yaml:6:", "NOT_SET_AT_ALL"}},
      {"log that can't be opened",
       "log: {target: @DIR@/no/folder/x.log}\n" + new_rules,
       {"no/folder/x.log"}},
      {"empty", "", {"quipd.yaml"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const size_t before = daemon.Log().size();
    daemon.Configure(row.config);
    EXPECT_EQ(daemon.Reload().reload, "failed");
    for (const std::string& text : row.told) {
      EXPECT_TRUE(daemon.WaitForLog(text, before)) << text << " is not in\n" << daemon.Log();
    }
    EXPECT_EQ(client.Get("/").body, "old");
    EXPECT_EQ(client.Get("/more").body, "more");
    EXPECT_EQ(client.Get("/fresh").status, 404);
  }
  daemon.Configure(new_rules);
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(client.Get("/").body, "new");
  EXPECT_EQ(client.Get("/more").status, 404);
}

TEST(Reload, FileThatIsNoFileChangesNothing) {
  Daemon daemon(DaemonSetup{.config = Serving("old"), .obeys_modes = true});
  ASSERT_TRUE(daemon.ready());
  const std::string path = daemon.folder().File("quipd.yaml");
  const std::function<void()> rows[] = {
      [&] { std::filesystem::remove(path); },
      [&] { std::filesystem::create_directory(path); },
      [&] {
        std::filesystem::remove(path);
        std::filesystem::create_symlink("nowhere", path);
      },
      [&] {
        std::filesystem::remove(path);
        EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
      },
      [&] {
        std::filesystem::remove(path);
        daemon.Configure(Serving("secret"));
        EXPECT_EQ(chmod(path.c_str(), 0), 0);
      },
  };
  for (const auto& replace : rows) {
    replace();
    const size_t before = daemon.Log().size();
    EXPECT_EQ(daemon.Reload().reload, "failed");
    EXPECT_TRUE(daemon.WaitForLog("quipd.yaml", before)) << daemon.Log();
    EXPECT_EQ(daemon.Connect().Get("/").body, "old");
  }
  std::filesystem::remove(path);
  daemon.Configure(Serving("new"));
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(daemon.Connect().Get("/").body, "new");
}

// C82: of many files one is broken: all old rules stay, and the broken one is named.
TEST(Reload, OneBrokenFileOfMany) {
  DaemonSetup setup{.config = "listen: 127.0.0.1:0\ninclude: conf.d/*.yaml\n"};
  const auto name = [](int i) { return "conf.d/" + std::to_string(10 + i) + ".yaml"; };
  const auto rule = [](int i, const char* body) {
    return "routes:\n  - GET /" + std::to_string(i) + " echo: " + body + "\n";
  };
  for (int i = 0; i < 40; ++i) {
    setup.files.emplace_back(name(i), rule(i, "old"));
  }
  Daemon daemon(setup);
  ASSERT_TRUE(daemon.ready());
  for (int i = 0; i < 40; ++i) {
    daemon.Write(name(i), rule(i, "new"));
  }
  daemon.Write(name(17), "routes:\n  - GET /17 echo:\n");
  EXPECT_EQ(daemon.Reload().reload, "failed");
  EXPECT_TRUE(daemon.WaitForLog("27.yaml:2:")) << daemon.Log();
  Client client = daemon.Connect();
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(client.Get("/" + std::to_string(i)).body, "old") << i;
  }
  daemon.Write(name(17), rule(17, "new"));
  EXPECT_EQ(daemon.Reload().reload, "ok");
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(client.Get("/" + std::to_string(i)).body, "new") << i;
  }
}

// C83: what comes from elsewhere stays when one source changes; also -e, and bodies of files.
TEST(Reload, OtherSourcesStay) {
  Daemon daemon(DaemonSetup{.config = "include: b.yaml\n" + Serving("main"),
                            .files = {{"b.yaml",
                                       "routes:\n  - GET /b echo: b\n"
                                       "  - GET /f file: f.txt\n"},
                                      {"f.txt", "file one"}},
                            .arguments = {"-e", "GET /e echo: e"}});
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  EXPECT_EQ(client.Get("/f").body, "file one");
  daemon.Write("b.yaml", "routes:\n  - GET /b echo: b again\n  - GET /f file: f.txt\n");
  daemon.Write("f.txt", "file two");
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(client.Get("/").body, "main");
  EXPECT_EQ(client.Get("/b").body, "b again");
  EXPECT_EQ(client.Get("/e").body, "e");
  EXPECT_EQ(client.Get("/f").body, "file two");
}

// C88: a glob's files come in byte order, and one that finds nothing warns.
TEST(Reload, GlobIsRead) {
  Daemon daemon(DaemonSetup{.config = "listen: 127.0.0.1:0\ninclude: conf.d/*.yaml\n"
                                      "routes:\n  - GET / echo: x\n",
                            .files = {{"conf.d/20-b.yaml", "server_header: late\n"},
                                      {"conf.d/10-a.yaml", "server_header: early\n"},
                                      {"conf.d/30-c.yaml~", "server_header: backup\n"}}});
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.Connect().Get("/").Value("Server"), "late");
  std::filesystem::remove_all(daemon.folder().File("conf.d"));
  const size_t before = daemon.Log().size();
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_TRUE(daemon.WaitForLog("conf.d/*.yaml", before)) << daemon.Log();
  EXPECT_EQ(daemon.Connect().Get("/").Value("Server"), "quipd");
}

TEST(Reload, BurstEndsWithTheLastContent) {
  Daemon daemon(Serving("0"));
  ASSERT_TRUE(daemon.ready());
  constexpr int kLast = 30;
  for (int i = 1; i <= kLast; ++i) {
    daemon.Configure(Serving(std::to_string(i)));
    daemon.Signal(SIGHUP);
  }
  Client client = daemon.Connect();
  int reloads = 0;
  for (; reloads <= kLast && client.Get("/").body != std::to_string(kLast); ++reloads) {
    EXPECT_EQ(daemon.AwaitReload().reload, "ok");
  }
  EXPECT_EQ(client.Get("/").body, std::to_string(kLast));
}

// Asks on one connection until told to stop. Every answer must be whole and of a generation that is
// not older than one that was seen before, or was live before it asked.
void Hammer(const std::string& address, const std::atomic<int>& live, const std::atomic<bool>& stop,
            std::atomic<int>* answers, std::string* fault) {
  Client client(address);
  int seen = 0;
  while (!stop && fault->empty()) {
    const int least = std::max(seen, live.load());
    const Response first = client.Exchange(GetRequest("/") + GetRequest("/"));
    const Response second = client.Read();
    for (const Response* response : {&first, &second}) {
      const int generation = std::atoi(response->body.c_str());
      if (response->status != 200 || generation < std::max(seen, least)) {
        *fault =
            "after generation " + std::to_string(least) + ": " + response->fault + response->raw;
      }
      seen = generation;
      ++*answers;
    }
  }
}

TEST(Reload, UnderLoadEveryAnswerIsRight) {
  Daemon daemon(Serving("1"));
  ASSERT_TRUE(daemon.ready());
  std::atomic<int> live{1};
  std::atomic<bool> stop{false};
  std::atomic<int> answers{0};
  std::array<std::string, 3> faults;
  std::vector<std::thread> threads;
  for (std::string& fault : faults) {
    threads.emplace_back(
        [&, fault_of = &fault] { Hammer(daemon.address(), live, stop, &answers, fault_of); });
  }
  for (int generation = 2; generation <= 12; ++generation) {
    const int before = answers;
    daemon.Configure(Serving(std::to_string(generation)));
    EXPECT_EQ(daemon.Reload().reload, "ok");
    live = generation;
    EXPECT_TRUE(Eventually([&] { return answers > before + 50; }));
  }
  stop = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::string& fault : faults) {
    EXPECT_EQ(fault, "");
  }
}

// C86: an answer that is under way is finished as it began.
TEST(Reload, AnswerUnderWayIsFinished) {
  const std::string big(8 * 1024 * 1024, 'a');
  Daemon daemon(DaemonSetup{.config = "listen: 127.0.0.1:0\nlimits: {inline_file: 16MiB}\n"
                                      "routes:\n  - GET /big file: big.txt\n",
                            .files = {{"big.txt", big}}});
  ASSERT_TRUE(daemon.ready());
  Client slow = daemon.Connect(4096);
  slow.Send(GetRequest("/big") + GetRequest("/big"));
  Client other = daemon.Connect();
  EXPECT_EQ(other.Get("/big").body.size(), big.size());
  daemon.Write("big.txt", "small");
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(other.Get("/big").body, "small");
  EXPECT_TRUE(slow.Read().body == big);
  const Response second = slow.Read();
  EXPECT_TRUE(second.body == "small" || second.body == big) << second.fault;
}

TEST(Reload, ListenerIsAddedAndRemoved) {
  Daemon daemon(Serving("x"));
  ASSERT_TRUE(daemon.ready());
  const std::string first = daemon.address();
  Client open = daemon.Connect();
  EXPECT_EQ(open.Get("/").body, "x");
  const std::string rules = "workers: 2\nroutes:\n  - GET / echo: y\n";
  daemon.Configure("listen: [127.0.0.1:0, unix:@DIR@/more.sock]\n" + rules);
  EXPECT_EQ(daemon.Reload().reload, "ok");
  ASSERT_EQ(daemon.listening().size(), 2u);
  EXPECT_EQ(daemon.address(0), first);
  EXPECT_EQ(Client(daemon.address(1)).Get("/").body, "y");
  EXPECT_EQ(open.Get("/").body, "y");

  daemon.Configure("listen: unix:@DIR@/more.sock\n" + rules);
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_THAT(daemon.listening(),
              testing::ElementsAre("unix:" + daemon.folder().File("more.sock")));
  EXPECT_EQ(Client(daemon.address()).Get("/").body, "y");
  EXPECT_FALSE(Client(first).connected());
  EXPECT_EQ(open.Get("/").status, 200);  // connections survive

  daemon.Configure("listen: 127.0.0.1:0\n" + rules);
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(daemon.Connect().Get("/").body, "y");
  EXPECT_FALSE(Exists(daemon.folder().File("more.sock")));
}

TEST(Reload, ListenerThatCannotBeOpenedFailsItAsAWhole) {
  Daemon other(Serving("other"));
  Daemon daemon(Serving("old"));
  ASSERT_TRUE(other.ready() && daemon.ready());
  daemon.Configure("listen: [127.0.0.1:0, unix:@DIR@/new.sock, " + other.address() +
                   "]\nroutes:\n  - GET / echo: new\n");
  EXPECT_EQ(daemon.Reload().reload, "failed");
  EXPECT_TRUE(daemon.WaitForLog(other.address())) << daemon.Log();
  EXPECT_EQ(daemon.Connect().Get("/").body, "old");
  EXPECT_EQ(daemon.listening().size(), 1u);
  EXPECT_FALSE(Exists(daemon.folder().File("new.sock")));
  EXPECT_EQ(other.Connect().Get("/").body, "other");
}

TEST(Reload, SettingThatNeedsARestartIsTold) {
  Daemon daemon(Serving("old"));
  ASSERT_TRUE(daemon.ready());
  daemon.Configure("listen: 127.0.0.1:0\nworkers: 3\nroutes:\n  - GET / echo: new\n");
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_TRUE(daemon.WaitForLog("restart")) << daemon.Log();
  EXPECT_THAT(daemon.Log(), HasSubstr("workers"));
  EXPECT_EQ(daemon.Connect().Get("/").body, "new");
}

TEST(Reload, LimitsAndHeadersFollow) {
  Daemon daemon("listen: 127.0.0.1:0\nlimits: {body: 10B}\nroutes:\n  - POST / echo: x\n");
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.Connect().Exchange(PostRequest("/", "12345678901")).status, 413);
  daemon.Configure(
      "listen: 127.0.0.1:0\nlimits: {body: 11B}\nheaders: {X-New: \"1\"}\n"
      "server_header: off\nroutes:\n  - POST / echo: x\n");
  EXPECT_EQ(daemon.Reload().reload, "ok");
  const Response response = daemon.Connect().Exchange(PostRequest("/", "12345678901"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.Value("X-New"), "1");
  EXPECT_EQ(response.Count("Server"), 0u);
}

TEST(Reload, ProfileOfTheFileIsReadAgain) {
  const std::string rules =
      "listen: 127.0.0.1:0\nroutes:\n  - GET / echo: plain\n"
      "profiles: {mine: {headers: {X-Profile: mine}}}\n";
  Daemon daemon(rules);
  ASSERT_TRUE(daemon.ready());
  EXPECT_EQ(daemon.Connect().Get("/").Count("X-Profile"), 0u);
  daemon.Configure(rules + "profile: mine\n");
  EXPECT_EQ(daemon.Reload().reload, "ok");
  EXPECT_EQ(daemon.Connect().Get("/").Value("X-Profile"), "mine");
}

}  // namespace
}  // namespace quipd::test
