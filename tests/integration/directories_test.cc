// SPDX-License-Identifier: MIT
// Directories are live: what is put there, replaced, truncated and taken away while quipd serves.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

constexpr size_t kBig = 32u * 1024 * 1024;

// Over TLS where the parameter is true.
class Directories : public testing::TestWithParam<bool> {
 protected:
  Directories() : daemon_(Configuration()) {}

  static DaemonSetup Configuration() {
    DaemonSetup setup{.config = std::string(kPlainAndTls) +
                                "workers: 1\n"
                                "log: {level: warning}\n"
                                "routes:\n"
                                "  - GET / echo: x\n"
                                "  - GET /www/ dir: www\n"
                                "    listing: on\n"
                                "  - GET /.well-known/acme-challenge/ dir: acme\n"
                                "  - GET /large file: large.bin\n",
                      .files = CertificateFiles(),
                      .obeys_modes = true};
    setup.files.emplace_back("www/a.txt", "a");
    setup.files.emplace_back("acme/.keep", "");
    setup.files.emplace_back("large.bin", std::string(2u * 1024 * 1024, 'l'));
    return setup;
  }
  void SetUp() override {
    ASSERT_TRUE(daemon_.ready());
    endpoint_ = GetParam() ? daemon_.TlsEndpoint() : daemon_.PlainEndpoint();
  }
  [[nodiscard]] std::string File(const std::string& name) const {
    return daemon_.folder().File(name);
  }

  Daemon daemon_;
  Endpoint endpoint_;
};

INSTANTIATE_TEST_SUITE_P(Both, Directories, testing::Bool(),
                         [](const auto& tls) { return tls.param ? "Tls" : "Plain"; });

TEST_P(Directories, ServeWhatIsPutThere) {
  Client client = endpoint_.Connect();
  EXPECT_EQ(client.Get("/www/new.txt").status, 404);
  daemon_.Write("www/new.txt", "new");
  const Response first = client.Get("/www/new.txt");
  EXPECT_EQ(first.body, "new");
  EXPECT_EQ(first.Value("Content-Type"), "text/plain; charset=utf-8");
  daemon_.Write("www/new.txt", "newer");
  const Response second = client.Get("/www/new.txt");
  EXPECT_EQ(second.body, "newer");
  EXPECT_NE(first.Value("ETag"), second.Value("ETag"));
  EXPECT_EQ(client.Get("/www/new.txt", "If-None-Match: " + first.Value("ETag") + "\r\n").status,
            200);
  std::filesystem::remove(File("www/new.txt"));
  EXPECT_EQ(client.Get("/www/new.txt").status, 404);
  daemon_.Write("acme/token", "token.key");
  EXPECT_EQ(client.Get("/.well-known/acme-challenge/token").body, "token.key");
}

// A file of the rule itself, above what is kept in memory, is opened for each request too.
TEST_P(Directories, LargeFileIsOpenedForEachRequest) {
  Client client = endpoint_.Connect();
  EXPECT_EQ(client.Get("/large").body.size(), 2u * 1024 * 1024);
  daemon_.Write("large.bin", "short");
  EXPECT_EQ(client.Get("/large").body, "short");
  std::filesystem::remove(File("large.bin"));
  EXPECT_EQ(client.Get("/large").status, 404);
  std::filesystem::create_directory(File("large.bin"));
  EXPECT_EQ(client.Get("/large").status, 404);
  std::filesystem::remove(File("large.bin"));
  EXPECT_EQ(mkfifo(File("large.bin").c_str(), 0600), 0);
  EXPECT_EQ(client.Get("/large").status, 404);
}

// C18, and what is no file at all.
TEST_P(Directories, ServeNothingButFiles) {
  EXPECT_EQ(mkfifo(File("www/fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(File("www/folder.txt"));
  std::filesystem::create_symlink("/etc/passwd", File("www/passwd"));
  std::filesystem::create_symlink("/proc/self/environ", File("www/environ"));
  std::filesystem::create_symlink("loop", File("www/loop"));
  std::filesystem::create_symlink("missing", File("www/dangling"));
  std::filesystem::create_symlink("..", File("www/up"));
  std::filesystem::create_symlink("a.txt", File("www/link.txt"));
  const FileDescriptor listener(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un name{AF_UNIX, {}};
  File("www/s").copy(name.sun_path, sizeof(name.sun_path) - 1);
  EXPECT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  Client client = endpoint_.Connect();
  for (const char* path : {"fifo", "passwd", "environ", "loop", "dangling", "s", "up/quipd.yaml",
                           "up/www/a.txt", "a.txt/", "a.txt/b"}) {
    EXPECT_EQ(client.Get("/www/" + std::string(path)).status, 404) << path;
  }
  EXPECT_EQ(client.Get("/www/link.txt").body, "a");
  EXPECT_EQ(client.Get("/www/folder.txt").Value("Location"), "/www/folder.txt/");
  const Response listing = client.Get("/www/");
  EXPECT_THAT(listing.body, HasSubstr("a.txt"));
  EXPECT_THAT(listing.body, Not(HasSubstr("fifo")));
}

// As kubelet mounts a ConfigMap: a swap of one link changes all files at once.
TEST_P(Directories, FollowALinkThatIsSwapped) {
  daemon_.Write("www/..1/f.txt", "one");
  daemon_.Write("www/..2/f.txt", "two");
  std::filesystem::create_symlink("..1", File("www/..data"));
  std::filesystem::create_symlink("..data/f.txt", File("www/f.txt"));
  Client client = endpoint_.Connect();
  EXPECT_EQ(client.Get("/www/f.txt").body, "one");
  std::filesystem::create_symlink("..2", File("www/..new"));
  std::filesystem::rename(File("www/..new"), File("www/..data"));
  EXPECT_EQ(client.Get("/www/f.txt").body, "two");
  EXPECT_EQ(client.Get("/www/..data/f.txt").status, 404);
}

// A file that can't be read is our fault, said once, not at each request.
TEST_P(Directories, FileWithoutPermissionIs500) {
  daemon_.Write("www/secret.txt", "secret");
  std::filesystem::permissions(File("www/secret.txt"), std::filesystem::perms::none);
  Client client = endpoint_.Connect();
  for (int i = 0; i < 5; ++i) {
    const Response response = client.Get("/www/secret.txt");
    EXPECT_TRUE(response.status == 500 || response.status == 403) << response.status;
    EXPECT_THAT(response.body, Not(HasSubstr("secret")));
  }
  ASSERT_TRUE(daemon_.WaitForLog("secret.txt"));
  const std::string log = daemon_.Log();
  EXPECT_EQ(log.find("secret.txt"), log.rfind("secret.txt")) << log;
  EXPECT_EQ(client.Get("/www/a.txt").body, "a");
}

// A file that gets shorter while it is sent: what is missing can't be made up, so the connection
// ends; the process does not.
TEST_P(Directories, FileThatIsTruncatedEndsTheConnection) {
  daemon_.Write("www/big.bin", std::string(kBig, 'b'));
  Client client = endpoint_.Connect(65536);
  client.Send(GetRequest("/www/big.bin"));
  ASSERT_EQ(client.WaitEnd(), End::kBytes);
  EXPECT_EQ(truncate(File("www/big.bin").c_str(), 1000), 0);
  EXPECT_LT(client.ReadToEnd().size(), kBig);
  EXPECT_NE(client.WaitEnd(), End::kOpen);
  EXPECT_EQ(endpoint_.Connect().Get("/www/a.txt").body, "a");
}

// One that is replaced is sent to its end as it was.
TEST_P(Directories, FileThatIsReplacedIsSentAsItWas) {
  daemon_.Write("www/big.bin", std::string(kBig, 'b'));
  Client client = endpoint_.Connect(65536);
  client.Send(GetRequest("/www/big.bin"));
  ASSERT_EQ(client.WaitEnd(), End::kBytes);
  daemon_.Write("www/big.bin", "other");
  EXPECT_EQ(client.Read().body, std::string(kBig, 'b'));
  EXPECT_EQ(client.Get("/www/big.bin").body, "other");
}

// Many large files at once take no memory.
TEST_P(Directories, LargeFilesAreNotHeldInMemory) {
  daemon_.Write("www/big.bin", std::string(kBig, 'b'));
  EXPECT_EQ(endpoint_.Connect().Get("/www/a.txt").body, "a");
  const size_t before = daemon_.ResidentBytes();
  std::vector<Client> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(endpoint_.Connect(65536));
    clients.back().Send(GetRequest("/www/big.bin"));
    ASSERT_EQ(clients.back().WaitEnd(), End::kBytes);
  }
  EXPECT_LT(daemon_.ResidentBytes(), before + kMemorySlack);
  EXPECT_EQ(clients.back().Read().body.size(), kBig);
}

std::string Encoded(const std::string& name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

// Names of any bytes are found, listed without harm, and linked to where they are.
TEST_P(Directories, NamesOfAnyBytes) {
  const std::string names[] = {
      "with blank.txt", "quote\".txt",   "apos'trophe.txt", "per%cent.txt",  "%41.txt",
      "<script>.txt",   "amp&.txt",      "caf\xC3\xA9.txt", "new\nline.txt", "back\\slash.txt",
      "\xff\xfe.txt",   "que?stion.txt", "ha#sh.txt",       "co:lon.txt",    "javascript:alert(1)",
      "semi;colon.txt", "plus+.txt",     "-dash.txt",       "{{x}}.txt"};
  for (const std::string& name : names) {
    std::ofstream(File("www/" + name)) << "<" << name << ">";
  }
  Client client = endpoint_.Connect();
  const Response listing = client.Get("/www/");
  EXPECT_EQ(listing.status, 200) << listing.fault;
  EXPECT_THAT(listing.body, Not(HasSubstr("<script>")));
  EXPECT_THAT(listing.body, Not(HasSubstr("href=\"javascript:")));
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    EXPECT_EQ(client.Get("/www/" + Encoded(name)).body, "<" + name + ">");
  }
  // Each link of the listing leads to a file.
  size_t links = 0;
  constexpr std::string_view kLink = "href=\"";
  for (size_t at = listing.body.find(kLink); at != listing.body.npos;
       at = listing.body.find(kLink, at + 1)) {
    const size_t from = at + kLink.size();
    std::string link = listing.body.substr(from, listing.body.find('"', from) - from);
    if (link.starts_with("./")) {
      link.erase(0, 2);
    }
    if (link.starts_with("../") || link.empty()) {
      continue;
    }
    for (size_t mark = link.find("&amp;"); mark != link.npos; mark = link.find("&amp;")) {
      link.replace(mark, 5, "&");
    }
    EXPECT_EQ(client.Get("/www/" + link).status, 200) << link;
    ++links;
  }
  EXPECT_EQ(links, std::size(names) + 1);  // and a.txt
}

TEST(DirectoryRules, TypesOfTheConfiguration) {
  Daemon daemon(DaemonSetup{.config = std::string("listen: 127.0.0.1:0\n") +
                                      "types: {txt: text/x-mine, foo: application/x-foo}\n"
                                      "routes:\n  - GET / dir: www\n",
                            .files = {{"www/a.txt", "a"},
                                      {"www/b.foo", "b"},
                                      {"www/c.woff2", "c"},
                                      {"www/d.wasm", "d"},
                                      {"www/e.mjs", "e"},
                                      {"www/f.webmanifest", "f"},
                                      {"www/g.unknown-one", "g"}}});
  ASSERT_TRUE(daemon.ready());
  Client client = daemon.Connect();
  const std::pair<const char*, const char*> rows[] = {
      {"a.txt", "text/x-mine"},
      {"b.foo", "application/x-foo"},
      {"c.woff2", "font/woff2"},
      {"d.wasm", "application/wasm"},
      {"e.mjs", "text/javascript; charset=utf-8"},
      {"f.webmanifest", "application/manifest+json"},
      {"g.unknown-one", "application/octet-stream"}};
  for (const auto& [name, type] : rows) {
    EXPECT_EQ(client.Get("/" + std::string(name)).Value("Content-Type"), type) << name;
  }
}

// What can be known at load is told at load.
TEST(DirectoryRules, FaultsAreToldAtLoad) {
  TempFolder folder;
  folder.Write("file.txt", "x");
  folder.Write("www/a.txt", "a");
  const std::pair<const char*, const char*> rows[] = {
      {"GET /a/ dir: missing", "missing"},
      {"GET /a/ dir: file.txt", "file.txt"},
      {"GET /a dir: www", "/"},
      {"POST /a/ dir: www", "GET"},
      {"GET /a/ dir: www\n    fallback: ../file.txt", "fallback"},
      {"GET /a file: www", "www"},
  };
  for (const auto& [rule, named] : rows) {
    SCOPED_TRACE(rule);
    folder.Write("quipd.yaml", std::string("routes:\n  - ") + rule + "\n");
    const Outcome outcome = RunQuipd({"check", "-c", folder.File("quipd.yaml")});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.errors + outcome.output, HasSubstr("/quipd.yaml:"));
    EXPECT_THAT(outcome.errors + outcome.output, HasSubstr(named));
  }
}

}  // namespace
}  // namespace quipd::test
