// SPDX-License-Identifier: MIT
// Sends every case of the data files to one running quipd, each three ways: in one write, byte by
// byte, and split behind each CRLF. Behind the request stands another, for /canary: it must be
// answered where the connection is to stay open, and must never be read as a request where not.
// What is answered must be the same, byte for byte but for Date, all three ways.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "client/client.h"
#include "conformance/case_file.h"
#include "integration/daemon.h"

namespace quipd::test {
namespace {

constexpr std::string_view kCanary =
    "GET /canary HTTP/1.1\r\nHost: canary\r\nConnection: close\r\n\r\n";

enum class Way { kWhole, kBytewise, kByLine };
constexpr std::array<Way, 3> kWays{Way::kWhole, Way::kBytewise, Way::kByLine};
constexpr std::array<const char*, 3> kWayNames{"in one write", "byte by byte",
                                               "split behind each CRLF"};

std::string DataFolder() { return QUIPD_SOURCE_DIR "/tests/conformance/data/"; }

// The one daemon of this program; its end is checked when the program ends.
class ConformanceEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    std::ifstream file(DataFolder() + "quipd.yaml");
    daemon_ = std::make_unique<Daemon>(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  void TearDown() override { daemon_.reset(); }

  static std::string Address() { return daemon_->ready() ? daemon_->address() : ""; }

 private:
  static inline std::unique_ptr<Daemon> daemon_;
};

[[maybe_unused]] const testing::Environment* const kEnvironment =
    testing::AddGlobalTestEnvironment(new ConformanceEnvironment);

// Long requests are sent byte by byte at both ends only.
void SendBytewise(std::string_view bytes, Client* client) {
  constexpr size_t kEdge = 600;
  constexpr size_t kTurn = 16;  // so often the daemon is let go first
  for (size_t at = 0; at < bytes.size();) {
    const bool edge = at < kEdge || at + kEdge > bytes.size();
    const size_t size = edge ? 1 : std::min<size_t>(977, bytes.size() - kEdge - at + 1);
    if (!client->Send(bytes.substr(at, size))) {
      return;
    }
    at += size;
    if (at % kTurn == 0) {
      sched_yield();
    }
  }
}

void SendByLine(std::string_view bytes, Client* client) {
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find("\r\n"), bytes.size() - 2) + 2;
    if (!client->Send(bytes.substr(0, end))) {
      return;
    }
    bytes.remove_prefix(std::min(end, bytes.size()));
    sched_yield();
  }
}

void SendAs(Way way, std::string_view bytes, Client* client) {
  switch (way) {
    case Way::kWhole:
      client->Send(bytes);
      break;
    case Way::kBytewise:
      SendBytewise(bytes, client);
      break;
    case Way::kByLine:
      SendByLine(bytes, client);
      break;
  }
}

// What one way of one case brought: the faults, and what must be equal for all ways.
struct Result {
  std::string faults;
  std::string transcript;
};

std::string CheckStatus(const ExpectedResponse& expected, const Response& got) {
  if (std::find(expected.statuses.begin(), expected.statuses.end(), got.status) !=
      expected.statuses.end()) {
    return "";
  }
  std::string wanted;
  for (const int status : expected.statuses) {
    wanted += (wanted.empty() ? "" : " or ") + std::to_string(status);
  }
  return "status " + std::to_string(got.status) + " instead of " + wanted + " " + got.fault + "\n" +
         got.raw + "\n";
}

std::string CheckResponse(const ExpectedResponse& expected, const Response& got) {
  std::string faults = CheckStatus(expected, got);
  for (const auto& [name, value] : expected.fields) {
    if (!got.Find(name) || (value != "*" && got.Value(name) != value)) {
      faults += name + " is \"" + got.Find(name).value_or("(missing)") + "\"\n";
    }
  }
  for (const std::string& name : expected.forbidden) {
    faults += got.Find(name) ? name + " is there\n" : "";
  }
  if (expected.has_body && got.body != expected.body) {
    faults += "body is \"" + got.body.substr(0, 500) + "\"\n";
  }
  for (const std::string& text : expected.holds) {
    faults += got.body.find(text) == std::string::npos
                  ? "\"" + text + "\" is not in the body: " + got.body.substr(0, 500) + "\n"
                  : "";
  }
  for (const std::string& text : expected.lacks) {
    faults += got.body.find(text) != std::string::npos
                  ? "\"" + text + "\" is in the body: " + got.body.substr(0, 500) + "\n"
                  : "";
  }
  return faults;
}

// RFC 9112 9.6: who closes says so in the last answer. To HTTP/1.0 it goes without saying.
bool MustSayClose(const Case& wanted) {
  return wanted.end == Case::End::kClose && wanted.request.find("HTTP/1.0") == std::string::npos;
}

// Reads the answers that the case wants; false where one is missing, so that reading on is of no
// use.
bool ReadAnswers(const Case& wanted, Client* client, Result* result) {
  std::optional<Response> ahead;
  for (const ExpectedResponse& expected : wanted.responses) {
    Response got = ahead ? std::move(*ahead) : client->Read(expected.to_head);
    ahead.reset();
    if (expected.optional_interim) {
      if (got.status != 100) {
        ahead = std::move(got);
      }
      continue;
    }
    const bool none = got.status == 0 && got.fault == "closed without a response";
    if (none && expected.may_be_missing) {
      return false;
    }
    result->faults += CheckResponse(expected, got);
    result->transcript += got.WithoutDate();
    if (&expected == &wanted.responses.back() && MustSayClose(wanted) && got.status >= 200 &&
        got.Value("Connection") != "close") {
      result->faults += "the connection is closed without saying so\n";
    }
    if (got.status == 0) {
      return false;
    }
  }
  return true;
}

void CheckEnd(const Case& wanted, Client* client, Result* result) {
  if (wanted.end == Case::End::kOpen) {
    const Response canary = client->Read();
    if (canary.status != 200 || canary.body != "canary") {
      result->faults += "the request behind is not answered: " + canary.fault + canary.raw + "\n";
    }
  }
  const End end = client->WaitEnd();
  if (end == End::kBytes) {
    result->faults += "stray bytes: " + client->ReadToEnd().substr(0, 500) + "\n";
  } else if (end == End::kOpen) {
    result->faults += "the connection stays open\n";
  }
}

Result Run(const Case& wanted, Way way, const std::string& address) {
  Result result;
  Client client(address);
  if (!client.connected()) {
    result.faults = client.fault() + "\n";
    return result;
  }
  if (wanted.end == Case::End::kHalfClose) {
    SendAs(way, wanted.request, &client);
    client.HalfClose();
  } else {
    SendAs(way, wanted.request + std::string(kCanary), &client);
  }
  const bool whole = ReadAnswers(wanted, &client, &result);
  if (whole || result.faults.empty()) {
    CheckEnd(wanted, &client, &result);
  }
  return result;
}

// Runs all cases all ways, several at a time.
std::vector<std::array<Result, kWays.size()>> RunAll(const std::vector<Case>& cases) {
  constexpr size_t kThreads = 4;
  const std::string address = ConformanceEnvironment::Address();
  std::vector<std::array<Result, kWays.size()>> results(cases.size());
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (size_t at = next++; at < cases.size() * kWays.size(); at = next++) {
        const size_t way = at % kWays.size();
        results[at / kWays.size()][way] = Run(cases[at / kWays.size()], kWays[way], address);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return results;
}

void RunFile(const std::string& name) {
  const std::vector<Case> cases = ReadCases(DataFolder() + name);
  ASSERT_FALSE(cases.empty());
  const auto results = RunAll(cases);
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].file + ":" + std::to_string(cases[i].line) + ": " + cases[i].title +
                 " (" + cases[i].reference + ")");
    for (size_t way = 0; way < kWays.size(); ++way) {
      const Result& result = results[i][way];
      if (!result.faults.empty()) {
        ADD_FAILURE() << "sent " << kWayNames[way] << ": " << result.faults;
      } else {
        EXPECT_EQ(result.transcript, results[i][0].transcript)
            << "sent " << kWayNames[way] << ", against " << kWayNames[0];
      }
    }
  }
}

TEST(Conformance, RequestLine) { RunFile("request_line.txt"); }
TEST(Conformance, Target) { RunFile("target.txt"); }
TEST(Conformance, Host) { RunFile("host.txt"); }
TEST(Conformance, Fields) { RunFile("fields.txt"); }
TEST(Conformance, Limits) { RunFile("limits.txt"); }
TEST(Conformance, ContentLength) { RunFile("content_length.txt"); }
TEST(Conformance, TransferEncoding) { RunFile("transfer_encoding.txt"); }
TEST(Conformance, Chunked) { RunFile("chunked.txt"); }
TEST(Conformance, Bodies) { RunFile("bodies.txt"); }
TEST(Conformance, Expect) { RunFile("expect.txt"); }
TEST(Conformance, Connection) { RunFile("connection.txt"); }
TEST(Conformance, Responses) { RunFile("responses.txt"); }
TEST(Conformance, Routing) { RunFile("routing.txt"); }
TEST(Conformance, Redirects) { RunFile("redirects.txt"); }

// Rows that no bytes of one request can show; the integration tests do.
const std::set<int> kElsewhere{56};
constexpr int kLastRow = 59;  // what follows is of conditions, ranges and codings

TEST(Conformance, EveryRowHasACase) {
  std::set<int> rows = kElsewhere;
  size_t count = 0;
  std::set<std::string> titles;
  for (const auto& entry : std::filesystem::directory_iterator(DataFolder())) {
    if (entry.path().extension() != ".txt") {
      continue;
    }
    for (const Case& one : ReadCases(entry.path())) {
      rows.insert(one.rows.begin(), one.rows.end());
      EXPECT_TRUE(titles.insert(one.title).second) << "two cases are called " << one.title;
      ++count;
    }
  }
  for (int row = 1; row <= kLastRow; ++row) {
    EXPECT_EQ(rows.count(row), 1u) << "row " << row << " has no case";
  }
  EXPECT_GE(count, 200u);
}

}  // namespace
}  // namespace quipd::test
