// SPDX-License-Identifier: MIT
// Sends every case of the data files to a running quipd, each three ways: in one write, byte by
// byte, and split behind each CRLF; and each way plain and over TLS. Behind the request stands
// another, for /canary: it must be answered where the connection is to stay open, and must never be
// read as a request where not. What is answered must be the same, byte for byte but for Date and
// boundaries, all three ways.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "conformance/case_file.h"
#include "conformance/endpoints.h"
#include "conformance/run_case.h"

namespace quipd::test {
namespace {

// The files of data/, and the configuration that each is asked against.
const std::map<std::string, std::string> kFiles{
    {"bodies.txt", "quipd.yaml"},       {"chunked.txt", "quipd.yaml"},
    {"codings.txt", "quipd.yaml"},      {"conditions.txt", "quipd.yaml"},
    {"connection.txt", "quipd.yaml"},   {"content_length.txt", "quipd.yaml"},
    {"directories.txt", "quipd.yaml"},  {"errors.txt", "errors.yaml"},
    {"expect.txt", "quipd.yaml"},       {"fields.txt", "quipd.yaml"},
    {"host.txt", "quipd.yaml"},         {"limits.txt", "quipd.yaml"},
    {"ranges.txt", "quipd.yaml"},       {"redirects.txt", "quipd.yaml"},
    {"request_line.txt", "quipd.yaml"}, {"responses.txt", "quipd.yaml"},
    {"routing.txt", "quipd.yaml"},      {"smuggling.txt", "quipd.yaml"},
    {"target.txt", "quipd.yaml"},       {"transfer_encoding.txt", "quipd.yaml"},
};

constexpr size_t kEndpoints = 2;
constexpr size_t kRuns = kEndpoints * kWays.size();  // of a case

std::vector<Case> CasesOf(const std::string& name) {
  return ReadCases(QUIPD_SOURCE_DIR "/tests/conformance/data/" + name);
}

// The daemons of this program; their end is checked when the program ends.
class Daemons : public testing::Environment {
 public:
  void TearDown() override { all_.clear(); }

  static Endpoints& Of(const std::string& config) {
    std::unique_ptr<Endpoints>& endpoints = all_[config];
    if (endpoints == nullptr) {
      endpoints = std::make_unique<Endpoints>(config);
    }
    return *endpoints;
  }

 private:
  static inline std::map<std::string, std::unique_ptr<Endpoints>> all_;
};

[[maybe_unused]] const testing::Environment* const kDaemons =
    testing::AddGlobalTestEnvironment(new Daemons);

// Runs all cases all ways, several at a time.
std::vector<std::array<Result, kRuns>> RunAll(const std::vector<ReadyCase>& cases,
                                              const Endpoints& endpoints) {
  constexpr size_t kThreads = 4;
  std::vector<std::array<Result, kRuns>> results(cases.size());
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (size_t at = next++; at < cases.size() * kRuns; at = next++) {
        const size_t run = at % kRuns;
        const Endpoint& to = run < kWays.size() ? endpoints.plain() : endpoints.tls();
        results[at / kRuns][run] = Run(cases[at / kRuns], kWays[run % kWays.size()], to);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return results;
}

// What one case brought; `results` of one endpoint, in the order of kWays.
void Judge(const std::string& endpoint, const Result* results) {
  for (size_t way = 0; way < kWays.size(); ++way) {
    if (!results[way].faults.empty()) {
      ADD_FAILURE() << endpoint << ", sent " << kWayNames[way] << ": " << results[way].faults;
    } else if (results[0].faults.empty()) {
      EXPECT_EQ(results[way].transcript, results[0].transcript)
          << endpoint << ", sent " << kWayNames[way] << ", against " << kWayNames[0];
    }
  }
}

void RunFile(const std::string& name) {
  Endpoints& endpoints = Daemons::Of(kFiles.at(name));
  ASSERT_TRUE(endpoints.ready());
  std::vector<ReadyCase> cases;
  for (Case& one : CasesOf(name)) {
    SCOPED_TRACE(one.file + ":" + std::to_string(one.line));
    cases.push_back(Prepare(std::move(one), &endpoints));
  }
  ASSERT_FALSE(cases.empty());
  const auto results = RunAll(cases, endpoints);
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i].wanted;
    SCOPED_TRACE(one.file + ":" + std::to_string(one.line) + ": " + one.title + " (" +
                 one.reference + ")");
    Judge("plain", results[i].data());
    Judge("TLS", results[i].data() + kWays.size());
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
TEST(Conformance, Smuggling) { RunFile("smuggling.txt"); }
TEST(Conformance, Bodies) { RunFile("bodies.txt"); }
TEST(Conformance, Expect) { RunFile("expect.txt"); }
TEST(Conformance, Connection) { RunFile("connection.txt"); }
TEST(Conformance, Responses) { RunFile("responses.txt"); }
TEST(Conformance, Routing) { RunFile("routing.txt"); }
TEST(Conformance, Redirects) { RunFile("redirects.txt"); }
TEST(Conformance, Conditions) { RunFile("conditions.txt"); }
TEST(Conformance, Ranges) { RunFile("ranges.txt"); }
TEST(Conformance, Codings) { RunFile("codings.txt"); }
TEST(Conformance, Directories) { RunFile("directories.txt"); }
TEST(Conformance, Errors) { RunFile("errors.txt"); }

// Rows that no bytes of one request can show; the integration tests do.
const std::set<int> kElsewhere{56};
constexpr int kLastRow = 77;

TEST(Conformance, EveryRowHasACase) {
  std::set<int> rows = kElsewhere;
  size_t count = 0;
  std::set<std::string> titles;
  for (const auto& [name, config] : kFiles) {
    for (const Case& one : CasesOf(name)) {
      rows.insert(one.rows.begin(), one.rows.end());
      EXPECT_TRUE(titles.insert(one.title).second) << "two cases are called " << one.title;
      EXPECT_TRUE(one.reference.find("RFC ") != std::string::npos ||
                  one.reference.find("quipd.yaml(5)") != std::string::npos)
          << one.title << " names no source";
      ++count;
    }
  }
  for (int row = 1; row <= kLastRow; ++row) {
    EXPECT_EQ(rows.count(row), 1u) << "row " << row << " has no case";
  }
  std::cout << count << " cases, each " << kWays.size()
            << " ways, plain and over TLS: " << count * kRuns << " runs\n";
  EXPECT_GE(count, 600u);
}

TEST(Conformance, EveryFileIsSent) {
  for (const auto& entry :
       std::filesystem::directory_iterator(QUIPD_SOURCE_DIR "/tests/conformance/data")) {
    if (entry.path().extension() == ".txt") {
      EXPECT_EQ(kFiles.count(entry.path().filename()), 1u) << entry.path();
    }
  }
}

}  // namespace
}  // namespace quipd::test
