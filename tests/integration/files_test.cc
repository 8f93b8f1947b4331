// SPDX-License-Identifier: MIT
// Directories and large files as clients see them: live, contained, in order, whole or ended, and
// with memory that doesn't grow with what is sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "integration/daemon.h"

namespace quipd::test {
namespace {

using testing::HasSubstr;

constexpr size_t kMiB = 1024 * 1024;

constexpr char kConfig[] =
    "listen: 127.0.0.1:0\n"
    "workers: 1\n"
    "limits: {inline_file: 1KiB}\n"
    "routes:\n"
    "  - GET / echo: root\n"
    "  - GET /w/ dir: www\n"
    "  - GET /list/ dir: www\n"
    "    listing: on\n"
    "  - GET /app/ dir: www\n"
    "    fallback: a.txt\n"
    "  - ANY /live file: www/large.txt\n";

// More than sockets take by themselves; no two parts of it are equal.
const std::string& LargeText() {
  static const std::string text = [] {
    std::string bytes;
    for (size_t i = 0; bytes.size() < 12 * kMiB; ++i) bytes += std::to_string(i * i) + '\n';
    return bytes;
  }();
  return text;
}

class Files : public testing::Test {
 protected:
  Files()
      : daemon_(DaemonSetup{.config = kConfig,
                            .files = {{"www/a.txt", "a"},
                                      {"www/sub/index.html", "index"},
                                      {"www/.hidden", "no"},
                                      {"www/large.txt", LargeText()}},
                            .obeys_modes = true}) {}
  void SetUp() override { ASSERT_TRUE(daemon_.ready()); }

  [[nodiscard]] std::string At(std::string_view name) const { return daemon_.folder().File(name); }

  // Waits for the first bytes of an answer, which stay where they are.
  static void AwaitAnswer(const Client& client) {
    pollfd wait{client.fd(), POLLIN, 0};
    ASSERT_EQ(poll(&wait, 1, static_cast<int>(kPatience.count())), 1);
  }

  const std::string& large_ = LargeText();
  Daemon daemon_;
};

TEST_F(Files, AreLive) {
  Client client = daemon_.Connect();
  EXPECT_EQ(client.Get("/w/a.txt").body, "a");
  EXPECT_EQ(client.Get("/w/sub/").body, "index");
  EXPECT_EQ(client.Get("/w/sub").Value("Location"), "/w/sub/");
  EXPECT_EQ(client.Get("/w/.hidden").status, 404);
  EXPECT_EQ(client.Get("/app/nowhere/at/all").body, "a");
  EXPECT_EQ(client.Get("/w/new").status, 404);
  daemon_.Write("www/new", "new");
  EXPECT_EQ(client.Get("/w/new").body, "new");
  daemon_.Write("www/new", "newer");
  const Response newer = client.Get("/w/new");
  EXPECT_EQ(newer.body, "newer");
  EXPECT_EQ(client.Get("/w/new", "If-None-Match: " + newer.Value("ETag") + "\r\n").status, 304);
  std::filesystem::remove(At("www/new"));
  EXPECT_EQ(client.Get("/w/new").status, 404);
  std::filesystem::create_directory(At("www/new"));
  EXPECT_EQ(client.Get("/w/new").status, 301);
  EXPECT_EQ(client.Get("/w/new/").status, 404);
  EXPECT_EQ(client.Get("/list/new/").status, 200);
}

TEST_F(Files, FollowADirectoryThatIsSwapped) {
  Client client = daemon_.Connect();
  EXPECT_EQ(client.Get("/w/a.txt").body, "a");
  daemon_.Write("next/a.txt", "b");
  ASSERT_EQ(rename(At("www").c_str(), At("was").c_str()), 0);
  EXPECT_EQ(client.Get("/w/a.txt").status, 404);
  ASSERT_EQ(rename(At("next").c_str(), At("www").c_str()), 0);
  EXPECT_EQ(client.Get("/w/a.txt").body, "b");
  EXPECT_EQ(client.Get("/w/large.txt").status, 404);
  EXPECT_EQ(client.Get("/live").status, 404);
}

TEST_F(Files, AreOpenOnlyWhileTheyAreSent) {
  Client client = daemon_.Connect();
  EXPECT_EQ(client.Get("/w/a.txt").status, 200);
  EXPECT_EQ(client.Get("/live").body, large_);
  const size_t before = daemon_.OpenFiles();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.Get("/live").body, large_);
    EXPECT_EQ(client.Get("/w/large.txt").body, large_);
    EXPECT_EQ(client.Get("/w/large.txt", "Range: bytes=0-0,9-9\r\n").status, 206);
    EXPECT_EQ(client.Get("/w/large.txt", "If-Match: \"x\"\r\n").status, 412);
    EXPECT_EQ(client.Get("/w/large.txt", "Range: bytes=99999999-\r\n").status, 416);
    EXPECT_EQ(client.Get("/w/large.txt", "Accept-Encoding: identity;q=0\r\n").status, 406);
    EXPECT_EQ(client.Get("/list/").status, 200);
    client.Send("HEAD /live HTTP/1.1\r\nHost: a\r\n\r\n");
    const Response head = client.Read(true);
    EXPECT_EQ(head.Value("Content-Length"), std::to_string(large_.size()));
  }
  EXPECT_EQ(daemon_.OpenFiles(), before);
  client.Send(GetRequest("/live"));
  AwaitAnswer(client);
  EXPECT_EQ(daemon_.OpenFiles(), before + 1);
  client.Reset();
  EXPECT_TRUE(Eventually([&] { return daemon_.OpenFiles() == before - 1; }));
}

TEST_F(Files, LargeOnesKeepTheirPlaceAmongAnswers) {
  Client client = daemon_.Connect(4096);
  client.Send(GetRequest("/w/a.txt") + GetRequest("/w/large.txt") + GetRequest("/w/a.txt") +
              "HEAD /w/large.txt HTTP/1.1\r\nHost: a\r\n\r\n" + GetRequest("/") +
              GetRequest("/w/large.txt", "Range: bytes=100000-299999,-1\r\n") +
              PostRequest("/live", "body") + GetRequest("/w/a.txt", "Connection: close\r\n"));
  EXPECT_EQ(client.Read().body, "a");
  EXPECT_EQ(client.Read().body, large_);
  EXPECT_EQ(client.Read().body, "a");
  EXPECT_EQ(client.Read(true).status, 200);
  EXPECT_EQ(client.Read().body, "root");
  const Response parts = client.Read();
  EXPECT_EQ(parts.status, 206);
  EXPECT_THAT(parts.body, HasSubstr("\r\n\r\n" + large_.substr(100'000, 200'000) + "\r\n--"));
  EXPECT_THAT(parts.body, HasSubstr("\r\n\r\n" + large_.substr(large_.size() - 1) + "\r\n--"));
  EXPECT_EQ(client.Read().body, large_);
  EXPECT_EQ(client.Read().body, "a");
  EXPECT_EQ(client.WaitEnd(), End::kClosed);
}

TEST_F(Files, ComeWholeToAClientThatHasSentAllItWill) {
  Client client = daemon_.Connect(4096);
  client.Send(GetRequest("/w/large.txt") + GetRequest("/live"));
  client.HalfClose();
  EXPECT_EQ(client.Read().body, large_);
  EXPECT_EQ(client.Read().body, large_);
  EXPECT_EQ(client.WaitEnd(), End::kClosed);

  Client old = daemon_.Connect();
  old.Send("GET /live HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.Read().body, large_);
  EXPECT_EQ(old.WaitEnd(), End::kClosed);
}

TEST_F(Files, ComeWholeWhileTheDaemonDrains) {
  Client client = daemon_.Connect(4096);
  client.Send(GetRequest("/w/large.txt"));
  AwaitAnswer(client);
  daemon_.Signal(SIGTERM);
  EXPECT_EQ(client.Read().body, large_);
  EXPECT_EQ(client.WaitEnd(), End::kClosed);
  EXPECT_EQ(daemon_.Wait(), 0);
}

// 64 readers of a large file that take nothing cost neither memory nor the time of others.
TEST_F(Files, SlowReadersCostNoMemory) {
  Client canary = daemon_.Connect();
  EXPECT_EQ(canary.Get("/w/large.txt").status, 200);
  const size_t before = daemon_.ResidentBytes();
  std::vector<Client> readers;
  for (int i = 0; i < 64; ++i) {
    readers.push_back(daemon_.Connect(4096));
    readers.back().Send(GetRequest("/w/large.txt") + GetRequest("/w/a.txt"));
  }
  for (const Client& reader : readers) AwaitAnswer(reader);
  EXPECT_EQ(canary.Get("/w/a.txt").body, "a");
  if (!kSanitized) {
    EXPECT_LT(daemon_.ResidentBytes(), before + 4 * kMiB);
  }
  EXPECT_EQ(readers.front().Read().body, large_);
  EXPECT_EQ(readers.front().Read().body, "a");
  EXPECT_EQ(readers.back().Read().body, large_);
}

TEST_F(Files, OneThatIsCutWhileItIsSentEndsTheConnection) {
  Client client = daemon_.Connect(4096);
  client.Send(GetRequest("/w/large.txt") + GetRequest("/w/a.txt"));
  AwaitAnswer(client);
  std::filesystem::resize_file(At("www/large.txt"), 100);
  const std::string all = client.ReadToEnd();
  EXPECT_LT(all.size(), large_.size());
  EXPECT_THAT(all, HasSubstr("Content-Length: " + std::to_string(large_.size())));
  Client other = daemon_.Connect();
  EXPECT_EQ(other.Get("/w/large.txt").body, large_.substr(0, 100));
}

TEST_F(Files, OneThatGrowsWhileItIsSentEndsAsAnnounced) {
  Client client = daemon_.Connect(4096);
  client.Send(GetRequest("/w/large.txt") + GetRequest("/w/a.txt"));
  AwaitAnswer(client);
  std::ofstream(At("www/large.txt"), std::ios::app) << "more";
  EXPECT_EQ(client.Read().body, large_);
  EXPECT_EQ(client.Read().body, "a");
  EXPECT_EQ(client.Get("/w/large.txt").body, large_ + "more");
}

TEST_F(Files, ThatMayNotBeReadAre500AndLoggedOnce) {
  Client client = daemon_.Connect();
  ASSERT_EQ(chmod(At("www/a.txt").c_str(), 0), 0);
  const size_t from = daemon_.Log().size();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Get("/w/a.txt").status, 500);
  EXPECT_EQ(client.Get("/").body, "root");
  ASSERT_TRUE(daemon_.WaitForLog("www/a.txt\": Permission denied", from));
  const std::string log = daemon_.Log().substr(from);
  EXPECT_EQ(log.find("www/a.txt"), log.rfind("www/a.txt"));
  ASSERT_EQ(chmod(At("www/a.txt").c_str(), 0644), 0);
  EXPECT_EQ(client.Get("/w/a.txt").body, "a");
}

TEST_F(Files, NamesOfAnyBytesListLinkAndServe) {
  const std::set<std::string> names = {"a b",      "\"q\" '", "100%25", "<b>&amp;",
                                       "\xC3\xA4", "l\nf\r",  "\xFF",   "back\\slash",
                                       "?q#f",     "x:y",     "+",      "~"};
  for (const std::string& name : names) daemon_.Write("www/odd/" + name, "text of " + name);
  Client client = daemon_.Connect();
  const Response listing = client.Get("/list/odd/");
  EXPECT_EQ(listing.Value("Content-Type"), "text/html; charset=utf-8");
  std::set<std::string> served;
  const std::string mark = "<td><a href=\"";
  for (size_t at = listing.body.find(mark); at != std::string::npos;
       at = listing.body.find(mark, at)) {
    at += mark.size();
    const std::string link = listing.body.substr(at, listing.body.find('"', at) - at);
    if (link == "../") continue;
    const Response response = client.Get("/list/odd/" + link);
    EXPECT_EQ(response.status, 200) << link;
    served.insert(response.body.substr(8));
  }
  EXPECT_EQ(served, names);
  const Response json = client.Get("/list/odd/", "Accept: application/json\r\n");
  EXPECT_EQ(nlohmann::json::parse(json.body).size(), names.size());
}

}  // namespace
}  // namespace quipd::test
