// SPDX-License-Identifier: MIT
// bench_idle: opens connections one after the other, has one request answered on each, and keeps
// them idle, so that what they cost a server in memory can be seen from /proc.
//
//   bench_idle --port P --head FILE --body TEXT --connections N [--tls CIPHER]
//
// Prints {"connections": N} when all are open, and waits for a line on its standard input; then it
// prints {"closed": N}, how many the server has ended meanwhile, and ends.
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "answer_check.h"
#include "client.h"

namespace quipd::bench {
namespace {

constexpr int kPatienceMs = 5000;

struct Settings {
  uint16_t port = 0;
  std::string head;
  std::string body;
  size_t connections = 0;
  std::string cipher;
};

[[noreturn]] void Die(size_t opened, const char* reason) {
  std::fprintf(stderr, "bench_idle: connection %zu: %s\n", opened + 1, reason);
  std::exit(1);
}

class Idlers {
 public:
  explicit Idlers(const Settings& settings) : settings_(settings), check_(200, {settings.body}) {
    if (!settings.cipher.empty()) tls_ = std::make_unique<TlsClients>(settings.cipher, false);
  }

  void Open() {
    while (clients_.size() < settings_.connections) {
      const size_t opened = clients_.size();
      Client& client = clients_.emplace_back();
      if (!client.Open(settings_.port, tls_.get())) Die(opened, "not accepted");
      while (!client.ready()) {
        Await(client);
        if (client.Handshake() == Client::State::kBroken) Die(opened, "TLS handshake failed");
      }
      if (!client.Write(settings_.head)) Die(opened, "request not taken");
      ReadAnswer(&client);
      client.Rest();
    }
  }

  [[nodiscard]] size_t CountClosed() const {
    size_t closed = 0;
    char byte = 0;
    for (const Client& client : clients_) {
      closed += recv(client.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
    }
    return closed;
  }

 private:
  void Await(const Client& client) const {
    pollfd wait{client.fd(), POLLIN, 0};
    if (poll(&wait, 1, kPatienceMs) <= 0) Die(clients_.size() - 1, "no answer");
  }

  void ReadAnswer(Client* client) {
    std::array<char, 16384> buffer;
    std::string answer;
    for (;;) {
      const Client::Got got = client->Read(buffer.data(), buffer.size());
      if (got.state == Client::State::kAgain) {
        Await(*client);
        continue;
      }
      if (got.state != Client::State::kDone) Die(clients_.size() - 1, "closed");
      answer.append(buffer.data(), got.bytes);
      const AnswerCheck::Verdict verdict = check_.Judge(answer, nullptr, false);
      if (verdict.state == AnswerCheck::State::kPartial) continue;
      if (verdict.state == AnswerCheck::State::kWrong || verdict.closes) {
        Die(clients_.size() - 1, "wrong answer");
      }
      return;
    }
  }

  const Settings& settings_;
  AnswerCheck check_;
  std::unique_ptr<TlsClients> tls_;
  std::deque<Client> clients_;
};

bool TakeOption(std::string_view name, const char* value, Settings* settings) {
  if (name == "--port") {
    settings->port = static_cast<uint16_t>(std::strtoul(value, nullptr, 10));
  } else if (name == "--head") {
    std::ifstream file(value, std::ios::binary);
    settings->head.assign(std::istreambuf_iterator<char>(file), {});
  } else if (name == "--body") {
    settings->body = value;
  } else if (name == "--connections") {
    settings->connections = std::strtoul(value, nullptr, 10);
  } else if (name == "--tls") {
    settings->cipher = value;
  } else {
    return false;
  }
  return true;
}

bool ParseArguments(int argc, char** argv, Settings* settings) {
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!TakeOption(argv[i], argv[i + 1], settings)) return false;
  }
  return argc % 2 == 1 && settings->port != 0 && !settings->head.empty();
}

void RaiseDescriptorLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace
}  // namespace quipd::bench

int main(int argc, char** argv) {
  quipd::bench::Settings settings;
  if (!quipd::bench::ParseArguments(argc, argv, &settings)) {
    std::fprintf(stderr, "usage: bench_idle --port P --head FILE --body TEXT --connections N\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  quipd::bench::RaiseDescriptorLimit();
  quipd::bench::Idlers idlers(settings);
  idlers.Open();
  std::printf("{\"connections\": %zu}\n", settings.connections);
  std::fflush(stdout);
  while (std::getchar() != '\n' && !std::feof(stdin)) {
  }
  std::printf("{\"closed\": %zu}\n", idlers.CountClosed());
}
