// SPDX-License-Identifier: MIT
// bench_load: loads one HTTP server from one core and judges every answer. Prints one JSON object.
//
//   bench_load --port P --head FILE (--body TEXT [--body TEXT ...] | --file FILE) [--status N]
//              [--connections N] [--depth N] [--close] [--tls CIPHER [--resume]] [--numbers N]
//              [--seed N] [--warmup MS] [--time MS] [--requests N] [--pids P,P,...]
//
// Each connection sends `depth` requests in one write, waits for their answers, and again. FILE is
// a request, byte for byte; where it and TEXT hold NNNNNN, a random number below --numbers stands.
// With --close, each request has its own connection, which the server must end; with TLS too, each
// has a handshake, full or (--resume) of the ticket that came on the connection before. --file: the
// body is that file's content, of any size, one request at a time. The processor time of --pids is
// read while nothing is in flight, so it belongs to the requests counted, exactly.
#include <signal.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer_check.h"
#include "client.h"
#include "file_check.h"
#include "latency_histogram.h"
#include "load_settings.h"
#include "server_cpu.h"

namespace quipd::bench {
namespace {

constexpr size_t kFirstRead = 16384;  // of an answer with a file, its head in it
constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kDrainNs = 3'000 * kMillisecond;

struct Counts {
  uint64_t answers = 0;
  uint64_t wrong = 0;
  uint64_t failed = 0;      // no answer: refused, reset, or closed too early
  uint64_t reconnects = 0;  // the server ended a connection between answers
  uint64_t bytes = 0;
  std::vector<uint64_t> bodies;
};

uint64_t Now() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

struct Connection {
  Client client;
  size_t sent = 0;      // requests of this batch
  size_t answered = 0;  // of them
  uint64_t sent_at = 0;
  std::string rest;  // of an answer that came in part
  FileCheck::Progress file;
  std::array<std::array<char, kDigits>, kMaxDepth> numbers{};
};

class Load {
 public:
  explicit Load(const Settings& settings)
      : settings_(settings),
        check_(settings.status, settings.bodies),
        file_check_(settings.status, settings.file),
        random_(settings.seed),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        connections_(settings.connections) {
    for (size_t i = 0; i < settings.depth; ++i) batch_ += settings.head;
    number_offset_ = settings.head.find(kNumberMark);
    if (!settings.cipher.empty()) {
      tls_ = std::make_unique<TlsClients>(settings.cipher, settings.resume);
    }
  }

  void Run() {
    if (!settings_.close) {
      for (Connection& connection : connections_) Open(&connection);
    }
    if (settings_.warmup_ms > 0) Phase(settings_.warmup_ms, UINT64_MAX);
    const Counts warmup = std::exchange(counts_, Counts{});
    if (warmup.wrong + warmup.failed > 0) counts_ = warmup;  // also then the run is at fault
    counts_.answers = 0;
    counts_.bytes = 0;
    counts_.bodies.assign(settings_.bodies.size(), 0);
    *latencies_ = LatencyHistogram();
    const ServerCpu before = ReadServerCpu(settings_.pids);
    const uint64_t start = Now();
    Phase(settings_.time_ms, settings_.requests);
    const double seconds = static_cast<double>(Now() - start) / 1e9;
    const ServerCpu after = ReadServerCpu(settings_.pids);
    Print(seconds, after.run_ns - before.run_ns, after.wait_ns - before.wait_ns);
  }

 private:
  // Keeps all connections busy for that time or so many requests, then waits for what is in flight.
  void Phase(uint64_t time_ms, uint64_t requests) {
    const uint64_t end = Now() + time_ms * kMillisecond;
    left_ = requests;
    stopping_ = false;
    in_flight_ = 0;
    for (Connection& connection : connections_) SendBatch(&connection);
    std::array<epoll_event, 256> events;
    while (in_flight_ > 0) {
      const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 100);
      now_ = Now();
      if (now_ >= end) stopping_ = true;
      if (now_ >= end + kDrainNs) break;
      for (int i = 0; i < count; ++i) {
        Receive(static_cast<Connection*>(events[static_cast<size_t>(i)].data.ptr));
      }
    }
    Abandon();
  }

  // What was never answered has failed.
  void Abandon() {
    for (Connection& connection : connections_) {
      if (connection.sent == connection.answered) continue;
      Fail(&connection);
    }
  }

  bool Open(Connection* connection) {
    Shut(connection);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = connection;
    if (connection->client.Open(settings_.port, tls_.get()) &&
        epoll_ctl(epoll_, EPOLL_CTL_ADD, connection->client.fd(), &event) == 0) {
      return true;
    }
    ++counts_.failed;
    Shut(connection);
    return false;
  }

  static void Shut(Connection* connection) {
    connection->client.Close();
    connection->rest.clear();
    connection->file = {};
  }

  void Fail(Connection* connection) {
    const size_t lost = connection->sent - connection->answered;
    counts_.failed += lost;
    Settle(connection, lost);
    connection->sent = connection->answered = 0;
    Shut(connection);
  }

  void Settle(Connection* connection, size_t answers) {
    connection->answered += answers;
    in_flight_ -= std::min(in_flight_, answers);
  }

  void SendBatch(Connection* connection) {
    if (stopping_ || left_ == 0) return;
    if (connection->client.fd() < 0 && !Open(connection)) return;
    const size_t count = static_cast<size_t>(std::min<uint64_t>(settings_.depth, left_));
    if (settings_.numbers > 0 && number_offset_ != std::string::npos) Number(connection, count);
    connection->sent = count;
    connection->answered = 0;
    connection->sent_at = Now();
    in_flight_ += count;
    left_ -= count;
    if (connection->client.ready()) Write(connection);
  }

  void Write(Connection* connection) {
    const size_t size = connection->sent * settings_.head.size();
    if (!connection->client.Write(std::string_view(batch_).substr(0, size))) Fail(connection);
  }

  // Random numbers for the next requests, drawn from the seed (splitmix64).
  void Number(Connection* connection, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      uint64_t mixed = random_ += 0x9e3779b97f4a7c15;
      mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
      uint64_t number = (mixed ^ (mixed >> 31)) % settings_.numbers;
      auto& digits = connection->numbers[i];
      for (size_t j = kDigits; j-- > 0; number /= 10) {
        digits[j] = static_cast<char>('0' + number % 10);
      }
      std::memcpy(batch_.data() + i * settings_.head.size() + number_offset_, digits.data(),
                  kDigits);
    }
  }

  void Receive(Connection* connection) {
    Client& client = connection->client;
    if (!client.ready()) {
      Handshake(connection);
      return;
    }
    do {
      if (settings_.file.empty()) {
        ReceiveAnswers(connection);
      } else {
        ReceiveFile(connection);
      }
    } while (client.ready() && client.pending());
  }

  // The requests wait until it is done.
  void Handshake(Connection* connection) {
    Client& client = connection->client;
    const Client::State state = client.Handshake();
    if (state == Client::State::kAgain) return;
    if (state == Client::State::kBroken) {
      Fail(connection);
      SendBatch(connection);
      return;
    }
    // The first of a connection has nothing to resume.
    const bool resumes = settings_.resume && client.handshakes() > 1;
    if (client.reused() != resumes) ++counts_.wrong;
    if (protocol_.empty()) protocol_ = client.protocol();
    Write(connection);
  }

  void ReceiveAnswers(Connection* connection) {
    const Client::Got got = connection->client.Read(scratch_->data(), scratch_->size());
    if (got.state == Client::State::kAgain) return;
    const bool at_end = got.state != Client::State::kDone;
    counts_.bytes += got.bytes;
    const std::string_view fresh(scratch_->data(), got.bytes);
    if (settings_.close) {
      connection->rest += fresh;
      if (at_end) EndOfConnection(connection, got.state == Client::State::kEnd);
      return;
    }
    if (at_end) {
      HungUp(connection);
    } else if (connection->rest.empty()) {
      Judge(connection, fresh);
    } else {
      connection->rest += fresh;
      const std::string whole = std::move(connection->rest);
      connection->rest.clear();
      Judge(connection, whole);
    }
  }

  // With --file: a piece of the one answer.
  void ReceiveFile(Connection* connection) {
    FileCheck::Progress* const file = &connection->file;
    const bool skips = FileCheck::MaySkip(*file);
    char* const scratch = scratch_->data();
    const size_t most = file->in_body ? std::min(file->left, scratch_->size()) : kFirstRead;
    const Client::Got got = skips
                                ? connection->client.Discard(scratch, scratch_->size(), file->left)
                                : connection->client.Read(scratch, most);
    if (got.state == Client::State::kAgain) return;
    if (got.state != Client::State::kDone) {
      HungUp(connection);
      return;
    }
    counts_.bytes += got.bytes;
    if (skips) {
      FileCheck::Skip(file, got.bytes);
    } else {
      file_check_.Take(file, std::string_view(scratch, got.bytes));
    }
    connection->client.AwaitAtLeast(file->in_body ? file->left : 1);
    if (file->unframed) {
      HungUp(connection);
    } else if (FileCheck::Whole(*file)) {
      EndOfFile(connection);
    }
  }

  void EndOfFile(Connection* connection) {
    const FileCheck::Progress file = std::exchange(connection->file, {});
    const auto state = file.right ? AnswerCheck::State::kRight : AnswerCheck::State::kWrong;
    Answered(connection, {state, 0, 0, file.closes});
    if (file.closes) {
      HungUp(connection);
    } else {
      SendBatch(connection);
    }
  }

  // With --close: all of the one answer is there.
  void EndOfConnection(Connection* connection, bool orderly) {
    const AnswerCheck::Verdict verdict = check_.Judge(connection->rest, Digits(*connection), true);
    if (!orderly) {
      Fail(connection);
    } else {
      if (verdict.size != connection->rest.size()) ++counts_.wrong;
      Answered(connection, verdict);
      Shut(connection);
    }
    SendBatch(connection);
  }

  // The server has closed a connection that was to stay.
  void HungUp(Connection* connection) {
    if (connection->sent > connection->answered) {
      Fail(connection);
    } else {
      ++counts_.reconnects;
      Shut(connection);
    }
    SendBatch(connection);
  }

  void Judge(Connection* connection, std::string_view input) {
    bool closes = false;
    while (!input.empty() && !closes && connection->answered < connection->sent) {
      const AnswerCheck::Verdict verdict = check_.Judge(input, Digits(*connection), false);
      if (verdict.state == AnswerCheck::State::kPartial) {
        connection->rest = input;
        return;
      }
      input.remove_prefix(verdict.size);
      Answered(connection, verdict);
      closes = verdict.closes;
    }
    if (!input.empty() && !closes) ++counts_.wrong;  // bytes that nobody asked for
    if (closes) {
      HungUp(connection);
    } else if (connection->answered == connection->sent) {
      SendBatch(connection);
    }
  }

  void Answered(Connection* connection, const AnswerCheck::Verdict& verdict) {
    ++counts_.answers;
    if (verdict.state == AnswerCheck::State::kRight) {
      if (verdict.body < counts_.bodies.size()) ++counts_.bodies[verdict.body];
    } else {
      ++counts_.wrong;
    }
    Settle(connection, 1);
    latencies_->Add(now_ - connection->sent_at, 1);
  }

  static const char* Digits(const Connection& connection) {
    return connection.numbers[std::min(connection.answered, kMaxDepth - 1)].data();
  }

  void Print(double seconds, uint64_t cpu_ns, uint64_t wait_ns) const {
    std::printf("{\"requests\": %llu, \"wrong\": %llu, \"failed\": %llu, \"reconnects\": %llu, ",
                Long(counts_.answers), Long(counts_.wrong), Long(counts_.failed),
                Long(counts_.reconnects));
    std::printf("\"bytes\": %llu, \"seconds\": %.6f, \"cpu_ns\": %llu, \"wait_ns\": %llu, ",
                Long(counts_.bytes), seconds, Long(cpu_ns), Long(wait_ns));
    for (const auto& [name, share] :
         {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}}) {
      std::printf("\"%s_us\": %.1f, ", name, Micro(latencies_->Quantile(share)));
    }
    std::printf("\"max_us\": %.1f, \"bodies\": [", Micro(latencies_->max()));
    for (size_t i = 0; i < counts_.bodies.size(); ++i) {
      std::printf("%s%llu", i == 0 ? "" : ", ", Long(counts_.bodies[i]));
    }
    const size_t size =
        settings_.file.empty() ? check_.sample().size() : file_check_.answer_bytes();
    std::printf("], \"answer_bytes\": %zu, \"protocol\": \"%s\"}\n", size, protocol_.c_str());
  }

  static unsigned long long Long(uint64_t value) { return value; }
  static double Micro(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

  const Settings& settings_;
  AnswerCheck check_;
  FileCheck file_check_;
  std::unique_ptr<TlsClients> tls_;
  std::string protocol_;
  uint64_t random_;
  int epoll_;
  std::vector<Connection> connections_;
  std::string batch_;
  size_t number_offset_ = std::string::npos;
  Counts counts_;
  std::unique_ptr<LatencyHistogram> latencies_ = std::make_unique<LatencyHistogram>();
  std::unique_ptr<std::array<char, 262144>> scratch_ = std::make_unique<std::array<char, 262144>>();
  uint64_t now_ = Now();
  uint64_t left_ = 0;
  size_t in_flight_ = 0;
  bool stopping_ = false;
};

}  // namespace
}  // namespace quipd::bench

int main(int argc, char** argv) {
  quipd::bench::Settings settings;
  if (!quipd::bench::ParseArguments(argc, argv, &settings)) {
    std::fprintf(stderr,
                 "usage: bench_load --port P --head FILE (--body TEXT | --file FILE) [...]\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  quipd::bench::Load(settings).Run();
}
