// SPDX-License-Identifier: MIT
// bench_load: loads one HTTP server from one core and judges every answer. Prints one JSON object.
//
//   bench_load --port P --head FILE --body TEXT [--body TEXT ...] [--status N] [--connections N]
//              [--depth N] [--close] [--numbers N] [--seed N] [--warmup MS] [--time MS]
//              [--requests N] [--pids P,P,...]
//
// Each connection sends `depth` requests in one write, waits for their answers, and again. FILE is
// a request, byte for byte; where it and TEXT hold NNNNNN, a random number below --numbers stands.
// With --close, each request has its own connection, which the server must end. The processor time
// of --pids is read while nothing is in flight, so it belongs to the requests counted, exactly.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer_check.h"
#include "latency_histogram.h"
#include "server_cpu.h"

namespace quipd::bench {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kDrainNs = 3'000 * kMillisecond;

struct Settings {
  uint16_t port = 0;
  std::string head;
  std::vector<std::string> bodies;
  int status = 200;
  size_t connections = 64;
  size_t depth = 1;
  bool close = false;
  uint64_t numbers = 0;
  uint64_t seed = 1;
  uint64_t warmup_ms = 100;
  uint64_t time_ms = 1000;
  uint64_t requests = UINT64_MAX;
  std::vector<pid_t> pids;
};

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
  int fd = -1;
  size_t sent = 0;      // requests of this batch
  size_t answered = 0;  // of them
  uint64_t sent_at = 0;
  std::string rest;  // of an answer that came in part
  std::array<std::array<char, kDigits>, kMaxDepth> numbers{};
};

class Load {
 public:
  explicit Load(const Settings& settings)
      : settings_(settings),
        check_(settings.status, settings.bodies),
        random_(settings.seed),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        connections_(settings.connections) {
    for (size_t i = 0; i < settings.depth; ++i) batch_ += settings.head;
    number_offset_ = settings.head.find(kNumberMark);
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
    connection->rest.clear();
    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(settings_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = connection;
    if (connect(connection->fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
        epoll_ctl(epoll_, EPOLL_CTL_ADD, connection->fd, &event) == 0) {
      return true;
    }
    ++counts_.failed;
    Shut(connection);
    return false;
  }

  static void Shut(Connection* connection) {
    if (connection->fd >= 0) close(connection->fd);
    connection->fd = -1;
    connection->rest.clear();
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
    if (connection->fd < 0 && !Open(connection)) return;
    const size_t count = static_cast<size_t>(std::min<uint64_t>(settings_.depth, left_));
    if (settings_.numbers > 0 && number_offset_ != std::string::npos) Number(connection, count);
    connection->sent = count;
    connection->answered = 0;
    connection->sent_at = Now();
    in_flight_ += count;
    left_ -= count;
    if (!Write(connection->fd, std::string_view(batch_).substr(0, count * settings_.head.size()))) {
      Fail(connection);
    }
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

  static bool Write(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
        continue;
      }
      if (errno != EAGAIN) return false;
      pollfd wait{fd, POLLOUT, 0};
      if (poll(&wait, 1, 3000) <= 0) return false;
    }
    return true;
  }

  void Receive(Connection* connection) {
    const ssize_t got = recv(connection->fd, scratch_->data(), scratch_->size(), MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    const bool at_end = got <= 0;
    const size_t size = at_end ? 0 : static_cast<size_t>(got);
    counts_.bytes += size;
    const std::string_view fresh(scratch_->data(), size);
    if (settings_.close) {
      connection->rest += fresh;
      if (at_end) EndOfConnection(connection, got == 0);
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
      if (!counts_.bodies.empty()) ++counts_.bodies[verdict.body];
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
    std::printf("], \"answer_bytes\": %zu}\n", check_.sample().size());
  }

  static unsigned long long Long(uint64_t value) { return value; }
  static double Micro(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

  const Settings& settings_;
  AnswerCheck check_;
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

std::string ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<pid_t> ParsePids(const char* text) {
  std::vector<pid_t> pids;
  for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    pids.push_back(static_cast<pid_t>(std::strtol(text, &end, 10)));
    if (end == text) break;
  }
  return pids;
}

// False where the option is unknown.
bool TakeOption(std::string_view name, const char* value, Settings* settings) {
  const auto number = [&] { return std::strtoull(value, nullptr, 10); };
  if (name == "--port")
    settings->port = static_cast<uint16_t>(number());
  else if (name == "--head")
    settings->head = ReadFile(value);
  else if (name == "--body")
    settings->bodies.emplace_back(value);
  else if (name == "--status")
    settings->status = static_cast<int>(number());
  else if (name == "--connections")
    settings->connections = number();
  else if (name == "--depth")
    settings->depth = std::min<size_t>(number(), kMaxDepth);
  else if (name == "--numbers")
    settings->numbers = number();
  else if (name == "--seed")
    settings->seed = number();
  else if (name == "--warmup")
    settings->warmup_ms = number();
  else if (name == "--time")
    settings->time_ms = number();
  else if (name == "--requests")
    settings->requests = number();
  else if (name == "--pids")
    settings->pids = ParsePids(value);
  else
    return false;
  return true;
}

bool ParseArguments(int argc, char** argv, Settings* settings) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--close") {
      settings->close = true;
    } else if (i + 1 == argc || !TakeOption(argv[i], argv[i + 1], settings)) {
      std::fprintf(stderr, "bench_load: unknown or incomplete option %s\n", argv[i]);
      return false;
    } else {
      ++i;
    }
  }
  if (settings->close) settings->depth = 1;
  return settings->port != 0 && !settings->head.empty() && !settings->bodies.empty() &&
         settings->depth > 0;
}

}  // namespace
}  // namespace quipd::bench

int main(int argc, char** argv) {
  quipd::bench::Settings settings;
  if (!quipd::bench::ParseArguments(argc, argv, &settings)) {
    std::fprintf(stderr, "usage: bench_load --port P --head FILE --body TEXT [...]\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  quipd::bench::Load(settings).Run();
}
