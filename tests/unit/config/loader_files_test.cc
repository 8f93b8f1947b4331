// SPDX-License-Identifier: MIT
// Files, profiles, the environment and the command line as Load lays them over each other, and the
// settings of the top level.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/config/load_text.h"

namespace quipd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

LoadRequest With(std::vector<std::string> rules, Variables variables = {}) {
  LoadRequest request = Request(std::move(variables));
  request.rules = std::move(rules);
  return request;
}

TEST(LoaderFiles, IncludedFilesAreLaidOver) {
  const Folder folder;
  folder.Write("conf.d/20-b.yaml", "headers: {B: b, X: b}\nroutes: [GET /b echo: b]\n");
  folder.Write("conf.d/10-a.yaml",
               "headers: {A: a, X: a}\nlimits: {body: 2MiB}\ninclude: [sub/x.yaml]\n"
               "routes: [GET /a echo: a]\n");
  folder.Write("conf.d/sub/x.yaml", "server_header: x\nroutes: [GET /x file: x.txt]\n");
  folder.Write("conf.d/sub/x.txt", "text");
  folder.Write("conf.d/.hidden.yaml", "nonsense");
  folder.Write("conf.d/a.yaml~", "nonsense");
  folder.Write("conf.d/#a.yaml#", "nonsense");
  folder.Write("conf.d/a.yaml.dpkg-old", "nonsense");
  folder.Write("conf.d/a.yaml.rpmsave", "nonsense");
  folder.Write("routes.conf", "# comment\nGET /conf echo: a # b\n* /all echo:x\n");
  const Loaded loaded = LoadText(folder,
                                 "include: [conf.d/*, routes.conf]\nlimits: {head: 1KiB}\n"
                                 "headers: {X: top}\nroutes: [GET / echo: top]\n");
  EXPECT_EQ(RulesOf(loaded),
            "GET / echo 200 [top] {X: b} {A: a} {B: b}\n"
            "GET /a echo 200 [a] {X: b} {A: a} {B: b}\n"
            "GET /x file 200 [text] {X: b} {A: a} {B: b}\n"
            "GET /b echo 200 [b] {X: b} {A: a} {B: b}\n"
            "GET /conf echo 200 [a # b] {X: b} {A: a} {B: b}\n"
            "GET,POST,PUT,PATCH,DELETE /all echo 200 [x] {X: b} {A: a} {B: b}\n");
  ASSERT_TRUE(loaded.config.has_value());
  EXPECT_EQ(loaded.config->limits.body, 2u * 1024 * 1024);
  EXPECT_EQ(loaded.config->limits.head, 1024u);
  EXPECT_EQ(loaded.config->server_header, "x");
  EXPECT_EQ(loaded.config->Where(loaded.config->rules[2].place), "conf.d/sub/x.yaml:2");
  EXPECT_THAT(loaded.config->inputs,
              ElementsAre("q.yaml", "conf.d/10-a.yaml", "conf.d/sub/x.yaml", "conf.d/20-b.yaml",
                          "routes.conf", "conf.d/sub/x.txt"));
}

TEST(LoaderFiles, FaultsOfInclude) {
  const Folder folder;
  folder.Write("loop.yaml", "include: [q.yaml]\n");
  folder.Write("self.yaml", "include: [./self.yaml]\n");
  folder.Write("list.yaml", "- GET / echo: x\n");
  folder.Write("bad.yaml", "limits: {boddy: 1MiB}\nroutes: [GET /x ehco: y]\n");
  folder.Write("folder/x", "");
  struct Case {
    const char* question;
    const char* yaml;
    std::vector<const char*> said;
  };
  const Case kCases[] = {
      {"82",
       "include: [conf.d/*.yaml]\n",
       {"1:11 warning: include: no file matches conf.d/*.yaml"}},
      {"82",
       "include: gone.yaml\n",
       {"1:10 include: can't read gone.yaml: no such file or directory"}},
      {"82", "include: [loop.yaml]\n", {"1:11 include: q.yaml includes itself"}},
      {"82", "include: [self.yaml]\n", {"1:11 include: ./self.yaml includes itself"}},
      {"folder", "include: [folder]\n", {"1:11 include: can't read folder: it is a directory"}},
      {"79", "include: [list.yaml]\n", {"1:1 a mapping is due here, not a list"}},
      {"all are said",
       "include: [bad.yaml]\nroutes: [get / echo: x]\n",
       {"2:10 \"get\" is no method", "1:10 unknown key \"boddy\" | did you mean \"body\"?",
        "2:17 unknown action"}},
      {"empty", "include: [\"\"]\n", {"1:11 include: the path is empty"}},
      {"kind", "include: {a: b}\n", {"1:10 include: text is due here, not a mapping"}},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(std::string(one.question) + "\n" + one.yaml);
    const std::vector<std::string> said = SaidBy(LoadText(folder, one.yaml));
    ASSERT_EQ(said.size(), one.said.size()) << ::testing::PrintToString(said);
    for (size_t i = 0; i < said.size(); ++i) EXPECT_THAT(said[i], StartsWith(one.said[i]));
  }
}

TEST(LoaderFiles, RelativePathsStartAtTheFolderAsNamed) {
  const Folder folder;
  folder.Write("real/a.txt", "real");
  folder.Write("real/q.yaml", "routes: [GET / file: a.txt]\n");
  folder.Write("linked/a.txt", "linked");
  std::filesystem::create_symlink("../real/q.yaml", "linked/q.yaml");
  LoadRequest request = Request();
  request.file = "linked/q.yaml";
  EXPECT_EQ(RulesOf(Load(request)), "GET / file 200 [linked]\n");
  request.file = folder.path() + "/real/q.yaml";
  EXPECT_EQ(RulesOf(Load(request)), "GET / file 200 [real]\n");
}

TEST(LoaderFiles, AFileThatCanNotBeRead) {
  const Folder folder;
  LoadRequest request = Request();
  for (const auto& [path, said] : std::vector<std::pair<std::string, std::string>>{
           {"gone.yaml", "can't read gone.yaml: no such file or directory"},
           {".", "can't read .: it is a directory"}}) {
    request.file = path;
    const Loaded loaded = Load(request);
    EXPECT_FALSE(loaded.config.has_value());
    ASSERT_EQ(loaded.diagnostics.size(), 1u);
    EXPECT_EQ(loaded.diagnostics[0].message, said);
  }
  EXPECT_THAT(SaidBy(LoadText(folder, "")), ElementsAre(HasSubstr("the configuration is empty")));
}

TEST(LoaderFiles, Profiles) {
  const Folder folder;
  folder.Write("dev.yaml", "headers: {Y: included}\nroutes: [GET /included echo: x]\n");
  const std::string text =
      "headers: {X: base}\nlisten: 8080\nroutes: [GET / echo: base]\nprofiles:\n"
      "  dev: {listen: [8081, 8082], headers: {X: dev}, include: dev.yaml, routes: [GET / echo: "
      "dev]}\n"
      "  mine: {limits: {body: 1kB}}\n";
  struct Case {
    const char* profile;  // --profile
    const char* variable;
    const char* written;
    const char* chosen;
    size_t listeners;
  };
  const Case kCases[] = {
      {nullptr, nullptr, "", "prod", 1},
      {"dev", nullptr, "", "dev", 2},
      {nullptr, "dev", "", "dev", 2},
      {nullptr, "", "", "prod", 1},
      {"mine", "dev", "", "mine", 1},
      {nullptr, nullptr, "profile: mine\n", "mine", 1},
      {nullptr, "prod", "profile: mine\n", "prod", 1},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.chosen);
    LoadRequest request = Request();
    if (one.variable != nullptr) request = Request({{"QUIPD_PROFILE", one.variable}});
    if (one.profile != nullptr) request.profile = one.profile;
    const Loaded loaded = LoadText(folder, one.written + text, request);
    ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
    EXPECT_EQ(loaded.config->profile, one.chosen);
    EXPECT_EQ(loaded.config->dev, std::string_view(one.chosen) == "dev");
    EXPECT_EQ(loaded.config->listeners.size(), one.listeners);
    EXPECT_EQ(loaded.config->limits.body,
              std::string_view(one.chosen) == "mine" ? 1000u : 1048576u);
  }
  LoadRequest request = Request();
  request.profile = "dev";
  EXPECT_EQ(RulesOf(LoadText(folder, text, request)),
            "GET / echo 200 [base] cache=no-store {X: dev} {Y: included}\n"
            "GET / echo 200 [dev] cache=no-store {X: dev} {Y: included} layer=1\n"
            "GET /included echo 200 [x] cache=no-store {X: dev} {Y: included} layer=1\n");
}

TEST(LoaderFiles, DevForbidsStoring) {
  const Folder folder;
  LoadRequest request = Request();
  request.profile = "dev";
  const Loaded loaded = LoadText(
      folder,
      "headers: {Cache-Control: public}\nerrors: {404: {echo: x, cache: 1h}}\nroutes:\n"
      "  - GET / echo: x\n    cache: 1h\n  - GET /b status: 204\n    headers: {Cache-Control: y}\n"
      "  - GET /h health: live\n",
      request);
  EXPECT_EQ(RulesOf(loaded),
            "GET / echo 200 [x] cache=no-store\nGET /b status 204 [204] cache=no-store\n"
            "GET /h health 200 [live]\n");
  ASSERT_TRUE(loaded.config.has_value());
  EXPECT_EQ(TextOf(*loaded.config->scopes[0].options), " {Cache-Control: no-store}");
  EXPECT_EQ(TextOf(loaded.config->scopes[0].errors[0].answer), "echo 404 [x]");
}

TEST(LoaderFiles, FaultsOfProfiles) {
  const Folder folder;
  const auto said = [&](const std::string& text, const char* profile = nullptr) {
    LoadRequest request = Request();
    if (profile != nullptr) request.profile = profile;
    return SaidBy(LoadText(folder, text, request));
  };
  EXPECT_THAT(
      said("listen: 8080\n", "staging"),
      ElementsAre("0:0 --profile: there is no profile \"staging\" | there are dev and prod"));
  EXPECT_THAT(said("profile: porod\n"),
              ElementsAre("1:10 profile: there is no profile \"porod\" | did you mean \"prod\"?"));
  // A profile that is not chosen is checked all the same.
  EXPECT_THAT(
      said("profiles:\n  a: {limits: {body: 1}, routes: [GET / ehco: x]}\n"
           "  b: {profile: a}\n  c: text\n  d:\n  e: {routes: [GET / file: gone]}\n"),
      ElementsAre(StartsWith("2:22 limits.body: \"1\" is no size"),
                  StartsWith("2:41 unknown action"), StartsWith("3:7 profile in a profile"),
                  StartsWith("4:6 profiles.c: a mapping is due"),
                  StartsWith("5:3 \"d\" has no value"), StartsWith("6:28 file: can't read gone")));
}

TEST(LoaderFiles, TheEnvironmentInValues) {
  const Folder folder;
  folder.Write("a.txt", "file");
  folder.Write("r.conf", "GET /conf file: ${NAME}.txt\n");
  const Loaded loaded = LoadText(
      folder,
      "listen: ${PORT:-8080}\nheaders: {X: \"${NAME}-$${NAME}\"}\ninclude: \"${R}.conf\"\nroutes:\n"
      "  - GET / echo: ${NAME}\n    cache: ${AGE}\n  - GET /j json: {\"n\": \"${NAME}\"}\n"
      "  - GET /r redirect: /${NAME}\n  - GET /h html: ${NAME}\n  - GET /f file: ${NAME}.txt\n"
      "  - GET /s status: ${CODE}\n  - host: ${NAME}.example\n    prefix: /${NAME}\n    routes: "
      "[]\n",
      Request({{"NAME", "a"}, {"AGE", "1h"}, {"CODE", "204"}, {"R", "r"}}));
  EXPECT_EQ(RulesOf(loaded),
            "GET / echo 200 [${NAME}] cache=max-age=3600 {X: a-${NAME}}\n"
            "GET /j json 200 [{\"n\":\"${NAME}\"}] {X: a-${NAME}}\n"
            "GET /r redirect 302 [/a] {X: a-${NAME}}\n"
            "GET /h html 200 [${NAME}] {X: a-${NAME}}\n"
            "GET /f file 200 [file] {X: a-${NAME}}\n"
            "GET /s status 204 [204] {X: a-${NAME}}\n"
            "GET /conf file 200 [file] {X: a-${NAME}}\n");
  ASSERT_TRUE(loaded.config.has_value());
  EXPECT_EQ(loaded.config->listeners[0].address.port, 8080);
  EXPECT_EQ(loaded.config->scopes[1].prefix.written, "/a");
  EXPECT_THAT(
      SaidBy(
          LoadText(folder, "listen: ${PORT}\nheaders: {X: \"${E}\"}\n", Request({{"E", "a\nb"}}))),
      ElementsAre(StartsWith("1:9 listen: the environment variable PORT is not set | set it"),
                  StartsWith("2:16 X: a header has no control characters")));
}

TEST(LoaderFiles, RulesOfTheCommandLine) {
  const Folder folder;
  folder.Write("a.txt", "file");
  folder.Write("sub/q.yaml", "routes: [GET / echo: file]\n");
  EXPECT_EQ(RulesOf(Load(
                With({"GET / echo: Hello", "- GET /b echo: b\n- GET /c status: 204",
                      "GET /f file: a.txt\ncache: 1h", "prefix: /g\nroutes: [GET /x echo: y]"}))),
            "GET / echo 200 [Hello] layer=2\nGET /b echo 200 [b] layer=2\nGET /c status 204 [204] "
            "layer=2\n"
            "GET /f file 200 [file] cache=max-age=3600 layer=2\nGET /g/x echo 200 [y] layer=2\n");
  LoadRequest request = With({"GET / file: a.txt"});
  request.file = "sub/q.yaml";
  EXPECT_EQ(RulesOf(Load(request)), "GET / echo 200 [file]\nGET / file 200 [file] layer=2\n");

  const Loaded faulty = Load(With({"GET / echo: x", "GET / ehco: x", "GET / echo:x", "hello"}));
  EXPECT_FALSE(faulty.config.has_value());
  ASSERT_EQ(faulty.diagnostics.size(), 3u);
  EXPECT_EQ(faulty.diagnostics[0].file, "-e 2");
  EXPECT_EQ(faulty.diagnostics[0].column, 7);
  EXPECT_EQ(faulty.diagnostics[1].message, "a blank is missing after the colon");
  EXPECT_EQ(faulty.diagnostics[2].file, "-e 4");

  const Loaded nothing = Load(Request());
  ASSERT_TRUE(nothing.config.has_value());
  EXPECT_TRUE(nothing.config->rules.empty());
  EXPECT_EQ(nothing.config->listeners[0].written, "8080");
}

TEST(LoaderFiles, ListenOfTheCommandLine) {
  const Folder folder;
  const std::string text =
      "listen: [8080, {address: 8081, name: in}]\nroutes:\n  - listener: in\n    prefix: /g\n"
      "    errors: {404: {echo: x}}\n    routes: [GET /a echo: gone]\n  - GET /b echo: gone\n"
      "    listener: 8080\n    name: n\n  - GET /c echo: stays\n    listener: 127.0.0.1:9000\n"
      "  - GET /d echo: stays\n    name: n\n  - prefix: /h\n    routes: [GET / echo: x]\n";
  LoadRequest request = Request();
  request.listen = {"127.0.0.1:9000", "0"};
  const Loaded loaded = LoadText(folder, text, request);
  EXPECT_EQ(
      RulesOf(loaded),
      "GET /c echo 200 [stays] listener=0\nGET /d echo 200 [stays] name=n\nGET /h/ echo 200 [x]\n");
  EXPECT_THAT(SaidBy(loaded), ElementsAre(StartsWith("3:15 warning: listener: \"in\" is gone"),
                                          StartsWith("8:15 warning: listener: \"8080\" is gone")));
  ASSERT_TRUE(loaded.config.has_value());
  EXPECT_EQ(loaded.config->listeners.size(), 2u);
  EXPECT_EQ(loaded.config->scopes.size(), 2u);
  EXPECT_EQ(loaded.config->rules[2].scope, 1u);

  request.listen = {"80x", "8080", "8080"};
  const Loaded faulty = LoadText(folder, "routes: []\n", request);
  EXPECT_THAT(SaidBy(faulty), ElementsAre(StartsWith("1:1 listen: \"80x\" has no port"),
                                          StartsWith("3:1 listen: \"8080\" is there twice")));
  EXPECT_EQ(faulty.diagnostics[0].file, "--listen");
}

TEST(LoaderFiles, Settings) {
  const Folder folder;
  const Loaded loaded = LoadText(
      folder,
      "listen: [8080, 127.0.0.1:81, \"[::1]:82\", unix:x.sock, localhost:0,\n"
      "  {address: unix:/run/y.sock, mode: 0600, backlog: 7, name: y, proxy_protocol: on}]\n"
      "workers: 3\nwatch: off\nserver_header: off\nx-anchors: {anything: [goes]}\n"
      "limits: {head: 2KiB, target: 1KiB, header_count: 7, body: 0B, connections: 12000, "
      "inline_file: 9B}\n"
      "timeouts: {head: 1s, idle: 2s, body: 3s, write: 4s, drain: 0s}\n"
      "log: {level: warning, format: json, target: logs/q.log}\n");
  ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
  const Config& config = *loaded.config;
  ASSERT_EQ(config.listeners.size(), 6u);
  EXPECT_EQ(config.listeners[3].address.path, "x.sock");
  EXPECT_EQ(config.listeners[5].mode, 0600u);
  EXPECT_EQ(config.listeners[5].backlog, 7);
  EXPECT_EQ(config.listeners[5].name, "y");
  EXPECT_TRUE(config.listeners[5].proxy_protocol);
  EXPECT_FALSE(config.listeners[3].proxy_protocol);
  EXPECT_EQ(config.listeners[5].written, "unix:/run/y.sock");
  EXPECT_EQ(config.workers, 3u);
  EXPECT_EQ(config.server_header, "");
  EXPECT_EQ(config.limits.head, 2048u);
  EXPECT_EQ(config.limits.target, 1024u);
  EXPECT_EQ(config.limits.header_count, 7u);
  EXPECT_EQ(config.limits.body, 0u);
  EXPECT_EQ(config.limits.connections, 12000u);
  EXPECT_EQ(config.limits.inline_file, 9u);
  EXPECT_EQ(config.timeouts.head.count(), 1000);
  EXPECT_EQ(config.timeouts.idle.count(), 2000);
  EXPECT_EQ(config.timeouts.body.count(), 3000);
  EXPECT_EQ(config.timeouts.write.count(), 4000);
  EXPECT_EQ(config.timeouts.drain.count(), 0);
  EXPECT_EQ(config.log.level, LogLevel::kWarning);
  EXPECT_TRUE(config.log.json);
  EXPECT_EQ(config.log.target, "logs/q.log");
  EXPECT_EQ(config.profile, "prod");
}

// What is said later is laid over it: a text replaces, a mapping merges.
TEST(LoaderFiles, AccessLog) {
  using Format = AccessLog::Format;
  const Folder folder;
  folder.Write("logs/part.yaml", "access_log: ./a.log\n");
  const struct {
    const char* yaml;
    const char* target;
    Format format;
  } rows[] = {
      {"x-nothing: said\n", "", Format::kCombined},
      {"profile: dev\n", "stdout", Format::kDev},
      {"profile: dev\naccess_log: off\n", "", Format::kCombined},
      {"profile: dev\naccess_log: {target: journal, format: json}\n", "journal", Format::kJson},
      {"access_log: false\n", "", Format::kCombined},
      {"access_log: stdout\n", "stdout", Format::kCombined},
      {"access_log: journal\n", "journal", Format::kCombined},
      {"access_log: /var/log/x\n", "/var/log/x", Format::kCombined},
      {"access_log: {target: ./a.log, format: common}\n", "./a.log", Format::kCommon},
      {"access_log: ${WHERE:-off}\n", "", Format::kCombined},
      {"include: logs/part.yaml\n", "logs/./a.log", Format::kCombined},
      {"access_log: {target: stdout, format: json}\ninclude: logs/part.yaml\n", "logs/./a.log",
       Format::kCombined},
      {"access_log: stdout\nprofile: p\nprofiles: {p: {access_log: {format: json}}}\n", "stdout",
       Format::kJson},
      {"access_log: {target: stdout, format: json}\nprofile: p\n"
       "profiles: {p: {access_log: {target: journal}}}\n",
       "journal", Format::kJson},
      {"access_log: stdout\nprofile: p\nprofiles: {p: {access_log: off}}\n", "", Format::kCombined},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.yaml);
    const Loaded loaded = LoadText(folder, row.yaml);
    ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
    EXPECT_EQ(loaded.config->access_log.target, row.target);
    EXPECT_EQ(loaded.config->access_log.format, row.format);
  }
}

TEST(LoaderFiles, PlacesOfLogTargets) {
  const Folder folder;
  const Loaded loaded =
      LoadText(folder, "log:\n  target: ./x\naccess_log: {format: json, target: /y}\n");
  ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
  EXPECT_EQ(ToLine(loaded.config->Error(loaded.config->log.place, "x")), "q.yaml:2:11: error: x");
  EXPECT_EQ(ToLine(loaded.config->Error(loaded.config->access_log.place, "y")),
            "q.yaml:3:36: error: y");
}

TEST(LoaderFiles, FaultsOfSettings) {
  const Folder folder;
  folder.Write("ten.txt", "0123456789");
  struct Case {
    const char* question;
    const char* yaml;
    std::vector<const char*> said;
  };
  const Case kCases[] = {
      {"not yet",
       "tls: x\nadmin: off\ntrusted_proxies: []\n",
       {"1:1 unknown key \"tls\" | \"tls\" stands in a mapping of listen",
        "2:1 \"admin\" is not yet", "3:1 \"trusted_proxies\" is not yet"}},
      {"not yet",
       "watch: on\ntimeouts: {drain_delay: never}\n",
       {"1:8 watch: on is not yet served", "2:25 timeouts.drain_delay: \"never\" is no duration"}},
      {"not yet", "min_version: 1\n", {"1:1 \"min_version\" is reserved and not yet"}},
      {"11", "listen: {address: 8080, proxy_protocol: yes}\n", {"1:41 proxy_protocol: \"yes\" is"}},
      {"89",
       "timeouts: {head: 30, idle: 1h30m, body: 1.5s, write: 0s}\nlimits: {body: 1m, head: 16}\n",
       {"1:18 timeouts.head: \"30\" is no duration: the unit is missing | a duration is",
        "1:28 timeouts.idle: \"1h30m\" is no duration",
        "1:41 timeouts.body: \"1.5s\" is no duration", "1:54 timeouts.write: from 1ms",
        "2:16 limits.body: \"1m\" is no size | a size is",
        "2:26 limits.head: \"16\" is no size: the unit is missing"}},
      {"90",
       "log: {target: stdout, level: loud, format: xml}\n",
       {"1:15 log.target: \"stdout\" is neither auto, stderr, journal nor a path",
        "1:30 log.level: \"loud\" is no level",
        "1:44 log.format: \"xml\" is neither text nor json"}},
      {"90",
       "log: debug\nheaders: [a]\nerrors: x\n",
       {"1:6 log: a mapping is due here, not text",
        "2:10 headers: a mapping is due here, not a list",
        "3:9 errors: a mapping is due here, not text"}},
      {"90", "log: {target: journal}\n", {}},
      {"90",
       "access_log: on\n",
       {"1:13 access_log: \"on\" is neither off, stdout, journal nor a path | access_log is off, "
        "a"}},
      {"90",
       "access_log: access.log\n",
       {"1:13 access_log: \"access.log\" is neither off, stdout, journal nor a path | a path holds "
        "a "
        "/: ./access.log"}},
      {"90", "access_log: [stdout]\n", {"1:13 access_log: a target is due here"}},
      {"90",
       "access_log: {format: xml}\n",
       {"1:13 access_log: the target is missing",
        "1:22 access_log.format: \"xml\" is no format | formats are common, combined and json"}},
      {"90",
       "access_log: {target: \"\", file: x}\n",
       {"1:22 access_log: \"\" is neither", "1:26 unknown key \"file\""}},
      {"91", "listen: {address: 8080, mode: 0660}\n", {"1:31 mode: only a unix socket has one"}},
      {"91", "listen: {address: unix:/x, mode: rw}\n", {"1:34 mode: \"rw\" is no file mode"}},
      {"92",
       "listen: [8080, :8080, 0, 0, {address: 1, name: a}, {address: 2, name: a}]\n",
       {"1:16 listen: \":8080\" is there twice", "1:52 listen: the name \"a\" is there twice"}},
      {"listen",
       "listen: [{name: a}, \"::1:80\", 70000]\n",
       {"1:10 listen: the address is missing", "1:21 listen: an IPv6 address stands in brackets",
        "1:31 listen: \"70000\" is no port"}},
      {"unknown",
       "listne: 1\nlimits: {connection: 7}\n",
       {"1:1 unknown key \"listne\" | did you mean \"listen\"?",
        "2:10 unknown key \"connection\" | did you mean \"connections\"?"}},
      {"workers",
       "workers: many\n",
       {"1:10 workers: \"many\" is no whole number from 1 to 1024 | a number"}},
      {"null",
       "workers: ~\nlisten:\n",
       {"1:10 workers: text is due here, not null", "2:1 \"listen\" has no value"}},
      {"server_header",
       "server_header: \"a\\nb\"\n",
       {"1:16 server_header: a header has no control"}},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(std::string(one.question) + "\n" + one.yaml);
    const std::vector<std::string> said = SaidBy(LoadText(folder, one.yaml));
    EXPECT_EQ(said.size(), one.said.size()) << ::testing::PrintToString(said);
    for (size_t i = 0; i < std::min(said.size(), one.said.size()); ++i) {
      EXPECT_THAT(said[i], StartsWith(one.said[i]));
    }
  }
}

TEST(LoaderFiles, NamesAcrossLayers) {
  const Folder folder;
  LoadRequest request = Request();
  request.rules = {"GET / echo: over\nname: home"};
  EXPECT_THAT(SaidBy(LoadText(folder, "routes:\n  - GET / echo: x\n    name: home\n", request)),
              IsEmpty());
  EXPECT_THAT(SaidBy(LoadText(folder, "routes:\n  - GET /b echo: x\n    name: home\n", request)),
              ElementsAre(StartsWith("1:1 the name \"home\" is there twice")));
}

TEST(LoaderFiles, AFloodOfFaultsIsBounded) {
  const Folder folder;
  std::string text = "routes:\n";
  for (int i = 0; i < 5000; ++i) text += "  - GET / ehco: x\n";
  const Loaded loaded = LoadText(folder, text);
  EXPECT_FALSE(loaded.config.has_value());
  ASSERT_EQ(loaded.diagnostics.size(), 1001u);
  EXPECT_EQ(loaded.diagnostics.back().message, "and 4000 more");
}

TEST(LoaderFiles, AnchorsServeSeveralRules) {
  const Folder folder;
  EXPECT_EQ(
      RulesOf(LoadText(folder,
                       "x-page: &page {cache: 1h, headers: {X: 1}}\nroutes:\n"
                       "  - GET / echo: a\n    <<: *page\n  - GET /b echo: b\n    <<: *page\n"
                       "    cache: off\n")),
      "GET / echo 200 [a] cache=max-age=3600 {X: 1}\nGET /b echo 200 [b] cache=no-store {X: 1}\n");
}

}  // namespace
}  // namespace quipd::config
