// SPDX-License-Identifier: MIT
// The whole Gate: a stream of bytes, sent over a socketpair to a worker's parts and a small Site.
// What is answered does not depend on how the stream is cut, nor on when it is read, and is what
// its requests are answered when each comes on a connection of its own.
//
// An input is the number of cuts, so many bytes that say where, and the stream.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/file_descriptor.h"
#include "config/loader.h"
#include "http/request_head.h"
#include "server/body_reader.h"
#include "server/connection.h"
#include "server/connection_set.h"
#include "server/context.h"
#include "server/event_handles.h"
#include "server/gate.h"
#include "server/relay.h"
#include "site/site.h"

namespace quipd::server {
namespace {

constexpr std::string_view kConfig = R"(
limits: {head: 1KiB, target: 256B, header_count: 12, body: 300B, inline_file: 1KiB}
errors: {400: {echo: own bad}}
routes:
  - GET / echo: root
  - GET /a echo: abcdefghijklmnopqrstuvwxyz
  - POST /p echo: posted
  - ANY /any status: 204
  - ANY /r reflect: json
  - GET /t/{x} html: "{{x}} {{query.q}}"
    template: on
  - GET /long echo: @LONG@
  - GET /go/{rest...} redirect: /{{rest}}
  - GET /d/ dir: @DIR@
    listing: on
  - GET /f file: @DIR@/large.txt
  - host: b.test
    routes:
      - GET / echo: b
)";

// A folder with a few files for as long as the process runs.
class Files {
 public:
  Files() {
    std::string path = std::filesystem::temp_directory_path() / "quipd-gate-fuzz-XXXXXX";
    Check(mkdtemp(path.data()) != nullptr);
    path_ = path;
    Write("small.txt", "0123456789");
    Write("large.txt", std::string(5000, 'l'));
    std::filesystem::create_directory(path_ / "sub");
    Write("sub/index.html", "<p>sub</p>");
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  [[nodiscard]] std::string path() const { return path_; }

 private:
  void Write(const char* name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

  std::filesystem::path path_;
};

std::string Replaced(std::string text, std::string_view mark, std::string_view with) {
  for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + with.size())) {
    text.replace(at, mark.size(), with);
  }
  return text;
}

std::shared_ptr<const site::Site> MakeSite(const std::string& folder) {
  const std::string text =
      Replaced(Replaced(std::string(kConfig), "@DIR@", folder), "@LONG@", std::string(20'000, 'x'));
  const FileDescriptor file(memfd_create("quipd-fuzz", MFD_CLOEXEC));
  Check(write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  config::LoadRequest request;
  request.environment = [](const char*) -> const char* { return nullptr; };
  request.file = "/proc/self/fd/" + std::to_string(file.get());
  config::Loaded loaded = config::Load(request);
  Check(loaded.config.has_value());
  site::Compiled compiled = site::Compile(std::move(*loaded.config));
  Check(compiled.site != nullptr);
  return compiled.site;
}

// A worker without its thread: its loop is turned by hand.
class Worker {
 public:
  Worker() : base_(event_base_new()), context_(base_.get()), gate_(&context_) {
    std::signal(SIGPIPE, SIG_IGN);
    context_.Adopt(MakeSite(files_.path()));
    auto relay = Relay::Create(base_.get(), 16, context_.body_limit);
    Check(relay.has_value());
    context_.relay = std::move(*relay);
    slot_->number = 0;
  }
  ~Worker() { connections_.CloseAll(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Open(FileDescriptor socket) {
    Check(connections_.TakePlace());
    Connection::Open(&context_, &gate_, &connections_, std::move(socket), slot_, Peer());
    Turn();
  }
  // Runs what is ready.
  void Turn() { event_base_loop(base_.get(), EVLOOP_NONBLOCK); }
  [[nodiscard]] bool is_idle() const { return connections_.size() == 0; }

 private:
  Files files_;
  EventBase base_;
  Context context_;
  Gate gate_;
  ConnectionCap cap_;
  ConnectionSet connections_{&cap_, &context_};
  std::shared_ptr<ListenerSlot> slot_ = std::make_shared<ListenerSlot>();
};

// The client's side of one connection.
class Conversation {
 public:
  explicit Conversation(Worker* worker) : worker_(*worker) {
    std::array<int, 2> ends{};
    Check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0);
    socket_.Reset(ends[0]);
    worker_.Open(FileDescriptor(ends[1]));
  }

  // Sends a piece and lets the worker see it before the next. With `late`, what is answered is read
  // only where the worker takes no more.
  void Send(std::string_view piece, bool late) {
    for (int turns = 0; !piece.empty() && !refused_; ++turns) {
      Check(turns < kManyTurns);
      const ssize_t sent = send(socket_.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        piece.remove_prefix(static_cast<size_t>(sent));
      } else {
        refused_ = errno != EAGAIN;
        Read();
      }
      worker_.Turn();
    }
    if (!late) Read();
  }

  // True where the worker has ended the connection by itself, once it has answered all.
  [[nodiscard]] bool WasEnded() {
    for (int quiet = 0; quiet < 3 && !ended_; ++quiet) {
      const size_t before = answers_.size();
      worker_.Turn();
      Read();
      if (answers_.size() != before) quiet = 0;
    }
    return ended_;
  }

  // Says that no more comes, and returns all that was answered.
  [[nodiscard]] std::string Finish() {
    shutdown(socket_.get(), SHUT_WR);
    for (int turns = 0; !ended_ || !worker_.is_idle(); ++turns) {
      Check(turns < kManyTurns);
      worker_.Turn();
      Read();
    }
    return std::move(answers_);
  }

 private:
  static constexpr int kManyTurns = 100'000;

  void Read() {
    std::array<char, 65536> part{};
    while (!ended_) {
      const ssize_t size = recv(socket_.get(), part.data(), part.size(), 0);
      if (size < 0 && errno == EAGAIN) return;
      ended_ = size <= 0;
      if (size > 0) answers_.append(part.data(), static_cast<size_t>(size));
    }
  }

  Worker& worker_;
  FileDescriptor socket_;
  std::string answers_;
  bool refused_ = false;  // it takes no more
  bool ended_ = false;
};

// What may differ between equal answers: the time, a boundary, and 100, which is not sent to who
// has sent his body already.
std::string Canonical(std::string answers) {
  constexpr std::string_view kDate = "\r\nDate: ";
  for (size_t at = answers.find(kDate); at != answers.npos; at = answers.find(kDate, at + 1)) {
    const size_t value = at + kDate.size();
    if (value + http::kDateLength <= answers.size()) {
      answers.replace(value, http::kDateLength, http::kDateLength, '*');
    }
  }
  constexpr std::string_view kBoundary = "\r\nContent-Type: multipart/byteranges; boundary=";
  for (size_t at = answers.find(kBoundary); at != answers.npos; at = answers.find(kBoundary, at)) {
    const size_t value = at + kBoundary.size();
    const std::string boundary = answers.substr(value, answers.find("\r\n", value) - value);
    if (!boundary.empty()) answers = Replaced(std::move(answers), boundary, "*");
    at = value;
  }
  return Replaced(std::move(answers), "HTTP/1.1 100 Continue\r\n\r\n", "");
}

// Where the first request of a stream ends; its size where that can't be told.
size_t EndOfRequest(std::string_view stream, const http::HeadLimits& limits, uint64_t body_limit) {
  http::RequestHead head;
  const http::HeadResult result = http::ParseRequestHead(stream, limits, &head);
  if (result.state != http::HeadState::kComplete) return stream.size();
  BodyReader body(head, body_limit);
  size_t taken = 0;
  const BodyReader::State state = body.Read(stream.substr(result.length), nullptr, &taken);
  return state == BodyReader::State::kDone ? result.length + taken : stream.size();
}

std::string AnswersOf(std::string_view stream, const std::vector<size_t>& cuts, bool late,
                      Worker* worker) {
  Conversation conversation(worker);
  size_t from = 0;
  for (const size_t cut : cuts) {
    conversation.Send(stream.substr(from, cut - from), late);
    from = cut;
  }
  conversation.Send(stream.substr(from), late);
  return Canonical(conversation.Finish());
}

std::string AnswersOneByOne(std::string_view stream, Worker* worker) {
  const http::HeadLimits limits{.head = 1024, .target = 256, .header_count = 12};
  std::string answers;
  bool ended = false;
  while (!stream.empty() && !ended) {
    const size_t end = EndOfRequest(stream, limits, 300);
    Conversation conversation(worker);
    conversation.Send(stream.substr(0, end), false);
    stream.remove_prefix(end);
    ended = conversation.WasEnded();
    answers += Canonical(conversation.Finish());
  }
  return answers;
}

void CheckStream(std::string_view stream, const std::vector<size_t>& cuts) {
  static Worker worker;
  const std::string whole = AnswersOf(stream, {}, false, &worker);
  Check(AnswersOf(stream, cuts, false, &worker) == whole);
  Check(AnswersOf(stream, cuts, true, &worker) == whole);
  Check(AnswersOneByOne(stream, &worker) == whole);
}

}  // namespace
}  // namespace quipd::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kLongest = 64 * 1024;
  if (size == 0 || size > kLongest) return 0;
  const size_t count = std::min<size_t>(data[0] % 9, size - 1);
  const std::string stream(data + 1 + count, data + size);
  std::vector<size_t> cuts;
  for (size_t i = 0; i < count; ++i) cuts.push_back(data[1 + i] * stream.size() / 256);
  std::sort(cuts.begin(), cuts.end());
  quipd::server::CheckStream(stream, cuts);
  return 0;
}
