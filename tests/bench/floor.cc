// SPDX-License-Identifier: MIT
// bench_floor: the least that a server can do. One epoll loop that counts blank lines and sends
// that many ready answers, without parsing: the physical limit of this kernel.
//
//   bench_floor PORT ANSWER_FILE [close] [defer]
//
// close: one answer, then the connection ends. defer: TCP_DEFER_ACCEPT, and a recv() right after
// accept. Ends by SIGTERM, like any process.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr size_t kTail = 3;  // bytes of one read that a blank line ending in the next may need
constexpr size_t kMaxBatch = 64;

struct Settings {
  uint16_t port = 0;
  std::string answer;
  bool close = false;
  bool defer = false;
};

[[noreturn]] void Die(const char* operation) {
  std::fprintf(stderr, "bench_floor: %s: %s\n", operation, std::strerror(errno));
  std::exit(1);
}

class Floor {
 public:
  explicit Floor(const Settings& settings) : settings_(settings) {
    for (size_t i = 0; i < kMaxBatch; ++i) answers_ += settings.answer;
    Listen();
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    Add(listener_);
  }

  [[noreturn]] void Run() {
    std::array<epoll_event, 512> events;
    for (;;) {
      const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<size_t>(i)].data.fd;
        if (fd == listener_) {
          Accept();
        } else {
          Serve(fd);
        }
      }
    }
  }

 private:
  void Listen() {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(listener_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (settings_.defer) setsockopt(listener_, IPPROTO_TCP, TCP_DEFER_ACCEPT, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(settings_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) Die("bind");
    if (listen(listener_, 4096) != 0) Die("listen");
  }

  void Add(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) Die("epoll_ctl");
  }

  void Accept() {
    for (int i = 0; i < 64; ++i) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      if (tails_.size() <= static_cast<size_t>(fd)) tails_.resize(static_cast<size_t>(fd) + 1);
      tails_[static_cast<size_t>(fd)].fill(0);
      if (settings_.defer && Serve(fd) && settings_.close) continue;
      Add(fd);
    }
  }

  // Whether the connection was closed.
  bool Serve(int fd) {
    char* const fresh = buffer_.data() + kTail;
    const ssize_t got = recv(fd, fresh, buffer_.size() - kTail, 0);
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) return Close(fd);
    auto& tail = tails_[static_cast<size_t>(fd)];
    std::memcpy(buffer_.data(), tail.data(), kTail);
    size_t blank_lines = CountBlankLines(static_cast<size_t>(got));
    std::memcpy(tail.data(), fresh + got - kTail, kTail);
    while (blank_lines > 0) {
      const size_t batch = blank_lines < kMaxBatch ? blank_lines : kMaxBatch;
      if (!Send(fd, std::string_view(answers_).substr(0, batch * settings_.answer.size()))) {
        return Close(fd);
      }
      if (settings_.close) return Close(fd);
      blank_lines -= batch;
    }
    return false;
  }

  // CRLF CRLFs that end within the `got` bytes behind the tail.
  size_t CountBlankLines(size_t got) const {
    size_t count = 0;
    const char* at = buffer_.data() + kTail;
    const char* const end = at + got;
    while ((at = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)))) !=
           nullptr) {
      count += at[-1] == '\r' && at[-2] == '\n' && at[-3] == '\r';
      ++at;
    }
    return count;
  }

  static bool Send(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
        continue;
      }
      if (errno != EAGAIN) return false;
      pollfd wait{fd, POLLOUT, 0};
      poll(&wait, 1, 1000);
    }
    return true;
  }

  static bool Close(int fd) {
    close(fd);
    return true;
  }

  Settings settings_;
  std::string answers_;
  int listener_ = -1;
  int epoll_ = -1;
  std::vector<std::array<char, kTail>> tails_;  // by descriptor
  std::array<char, 65536 + kTail> buffer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_floor PORT ANSWER_FILE [close] [defer]\n");
    return 2;
  }
  Settings settings;
  settings.port = static_cast<uint16_t>(std::atoi(argv[1]));
  std::ifstream file(argv[2], std::ios::binary);
  settings.answer.assign(std::istreambuf_iterator<char>(file), {});
  for (int i = 3; i < argc; ++i) {
    settings.close |= std::string_view(argv[i]) == "close";
    settings.defer |= std::string_view(argv[i]) == "defer";
  }
  if (settings.answer.empty()) Die("read the answer");
  static Floor floor(settings);
  floor.Run();
}
