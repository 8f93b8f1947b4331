// SPDX-License-Identifier: MIT
// The relay on a real loop with a real evhttp: exchanges go in, events come out.
#include "server/relay.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/handle.h"
#include "exchange_of.h"
#include "server/event_handles.h"
#include "server/reflect.h"
#include "server/relay_link.h"
#include "server/reply.h"

namespace quipd::server {
namespace {

constexpr size_t kMebibyte = 1024 * 1024;
constexpr timeval kPatience = {20, 0};

// What the handlers of a test have kept back, to be answered later.
std::vector<Reply>& HeldReplies() {
  static std::vector<Reply> held;
  return held;
}

// Answers by the path: a site's handler for each oddity.
void Oddity(Reply reply) {
  const std::string path(reply.exchange().head.path);
  const size_t size = reply.exchange().body.size();
  if (path == "/throw") throw std::runtime_error("thrown by the handler");
  if (path == "/hold") return HeldReplies().push_back(std::move(reply));
  if (path == "/drop") return;
  if (path == "/204") return reply.Send(204, "X-Empty: yes\r\n", "not sent");
  if (path == "/304") return reply.Send(304, {}, "not sent");
  if (path == "/205") return reply.Send(205, {}, "not sent");
  if (path == "/close") return reply.Send(200, "Connection: close\r\n", "bye");
  if (path == "/double") return reply.Send(200, {}, std::string(2 * size, 'd'));
  Reflect(std::move(reply));
}

Handler OddityOf(config::Action action) {
  return action == config::Action::kReflect ? Oddity : nullptr;
}

// The descriptors that this process has open.
int OpenDescriptors() {
  int count = 0;
  const Handle<DIR, closedir> folder(opendir("/proc/self/fd"));
  while (readdir(folder.get()) != nullptr) ++count;
  return count;
}

// What the events of one exchange told.
struct Recorder {
  uint64_t id = 0;
  RelayedHead head;
  std::string body;
  int heads = 0;
  int parts = 0;
  int ends = 0;
  bool ok = false;
  std::function<void()> on_head;  // run within the event
  std::function<void()> on_body;
  std::function<void()> on_end;

  [[nodiscard]] std::string Told() const {
    return std::to_string(heads) + " heads, " + std::to_string(parts) + " parts, " +
           std::to_string(ends) + " ends";
  }
  [[nodiscard]] ExchangeEvents Events() { return {this, OnHead, OnBody, OnEnd}; }

  static void OnHead(void* owner, RelayedHead&& head) {
    auto* const self = static_cast<Recorder*>(owner);
    EXPECT_EQ(self->ends, 0);
    EXPECT_EQ(self->parts, 0);
    self->head = std::move(head);
    ++self->heads;
    if (self->on_head) self->on_head();
  }
  static void OnBody(void* owner, std::string_view part) {
    auto* const self = static_cast<Recorder*>(owner);
    EXPECT_EQ(self->heads, 1);
    EXPECT_EQ(self->ends, 0);
    self->body += part;
    ++self->parts;
    if (self->on_body) self->on_body();
  }
  static void OnEnd(void* owner, bool ok) {
    auto* const self = static_cast<Recorder*>(owner);
    self->ok = ok;
    ++self->ends;
    if (self->on_end) self->on_end();
  }
};

class RelayTest : public testing::Test {
 protected:
  RelayTest() {
    std::signal(SIGPIPE, SIG_IGN);
    settings_.handler_of = OddityOf;
    Restart();
  }
  ~RelayTest() override {
    relay_.reset();
    HeldReplies().clear();
  }

  void Restart(size_t max_active = 64, uint64_t body_limit = 4 * kMebibyte) {
    relay_.reset();
    relay_ = Relay::Create(base_.get(), max_active, body_limit, settings_).value();
  }

  uint64_t Start(std::string_view head, std::string body, Recorder* recorder) {
    recorder->id = relay_->Start(ExchangeOf(site_, head, std::move(body)), recorder->Events());
    return recorder->id;
  }

  // Runs the loop until `done`, or fails.
  void RunUntil(const std::function<bool()>& done) {
    bool late = false;
    const Event patience(event_new(
        base_.get(), -1, 0,
        [](evutil_socket_t, short, void* flag) { *static_cast<bool*>(flag) = true; }, &late));
    event_add(patience.get(), &kPatience);
    while (!done() && !late) event_base_loop(base_.get(), EVLOOP_ONCE);
    EXPECT_FALSE(late);
  }

  // Has the loop turn when `fd` is readable.
  Event WakeOn(int fd) {
    Event wake(event_new(
        base_.get(), fd, EV_READ | EV_PERSIST, [](evutil_socket_t, short, void*) {}, nullptr));
    event_add(wake.get(), nullptr);
    return wake;
  }

  void Turn(int turns) {
    for (int i = 0; i < turns; ++i) event_base_loop(base_.get(), EVLOOP_NONBLOCK);
  }

  Recorder Exchanged(std::string_view head, std::string body = {}) {
    Recorder recorder;
    EXPECT_NE(Start(head, std::move(body), &recorder), 0u);
    EXPECT_EQ(recorder.heads + recorder.ends, 0);  // never from within Start
    RunUntil([&] { return recorder.ends > 0; });
    return recorder;
  }

  // That pooled connections are in step.
  void ExpectStillWorks() {
    const Recorder recorder = Exchanged("GET /greet/a/ HTTP/1.1\nHost: still.works");
    EXPECT_TRUE(recorder.ok);
    EXPECT_EQ(recorder.head.status, 200);
    EXPECT_NE(recorder.body.find("still.works"), std::string::npos);
  }

  // Whether this process holds the socket of that inode; other tests have relays of their own.
  static bool IsOurs(const std::string& inode) {
    std::error_code gone;  // a descriptor may be closed while the folder is read
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      if (std::filesystem::read_symlink(entry, gone) == "socket:[" + inode + ']') return true;
    }
    return false;
  }

  // The abstract address, without its leading NUL.
  static std::string Address() {
    std::ifstream sockets("/proc/net/unix");
    for (std::string line; std::getline(sockets, line);) {
      std::istringstream columns(line);
      std::string number, references, protocol, flags, type, state, inode, path;
      columns >> number >> references >> protocol >> flags >> type >> state >> inode >> path;
      const bool listens = flags == "00010000";
      if (listens && path.starts_with("@quipd-relay-") && IsOurs(inode)) return path.substr(1);
    }
    return {};
  }

  // A blocking connection to it.
  static FileDescriptor ConnectTo(const std::string& address) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    address.copy(name.sun_path + 1, sizeof(name.sun_path) - 1);
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto length =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + address.size());
    if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), length) != 0) {
      socket.Reset();
    }
    return socket;
  }

  std::shared_ptr<const site::Site> site_ = ReflectSite();
  EventBase base_{event_base_new()};
  RelaySettings settings_;
  std::unique_ptr<Relay> relay_;
};

TEST_F(RelayTest, AnswersOneExchangeAfterAnother) {
  for (int i = 0; i < 20; ++i) {
    const Recorder recorder =
        Exchanged("POST /greet/Ada/x HTTP/1.1\nHost: h\nX-A: 1", "body " + std::to_string(i));
    ASSERT_TRUE(recorder.ok);
    EXPECT_EQ(recorder.heads, 1);
    EXPECT_EQ(recorder.ends, 1);
    EXPECT_EQ(recorder.head.status, 200);
    EXPECT_TRUE(recorder.head.has_length);
    EXPECT_FALSE(recorder.head.no_content);
    EXPECT_EQ(recorder.head.content_length, recorder.body.size());
    EXPECT_EQ(recorder.head.fields,
              std::string(site_->RelayFields(0)) + "Content-Type: application/json\r\n");
    EXPECT_NE(recorder.body.find("\"body\":\"body " + std::to_string(i) + "\""), std::string::npos);
    EXPECT_EQ(recorder.body.find("Quipd-Exchange"), std::string::npos);
    EXPECT_EQ(relay_->active(), 0u);
  }
}

TEST_F(RelayTest, CarriesTheFieldsOfTheRule) {
  EXPECT_NE(Exchanged("GET /greet/a/ HTTP/1.1\nHost: h").head.fields.find("X-Rule: yes\r\n"),
            std::string::npos);
}

TEST_F(RelayTest, CarriesLargeBodiesBothWays) {
  const Recorder text = Exchanged("PUT /greet/a/ HTTP/1.1\nHost: h", std::string(kMebibyte, 't'));
  EXPECT_TRUE(text.ok);
  EXPECT_NE(text.body.find(std::string(kMebibyte, 't')), std::string::npos);
  const Recorder twice = Exchanged("POST /double HTTP/1.1\nHost: h", std::string(kMebibyte, 't'));
  EXPECT_TRUE(twice.ok);
  EXPECT_EQ(twice.body, std::string(2 * kMebibyte, 'd'));
  EXPECT_GT(twice.parts, 1);
  ExpectStillWorks();
}

TEST_F(RelayTest, CarriesHeadsAndBodiesAboveItsFirstLimits) {
  Restart(8, 1024);
  ExpectStillWorks();
  const Recorder body = Exchanged("PUT /double HTTP/1.1\nHost: h", std::string(10'000, 't'));
  EXPECT_EQ(body.head.status, 200);
  EXPECT_EQ(body.body.size(), 20'000u);
  const Recorder head =
      Exchanged("GET /greet/a/ HTTP/1.1\nHost: h\nX-Long: " + std::string(200'000, 'x'));
  EXPECT_EQ(head.head.status, 200);
  relay_->set_body_limit(2 * kMebibyte);
  EXPECT_EQ(Exchanged("PUT /double HTTP/1.1\nHost: h", std::string(kMebibyte, 't')).head.status,
            200);
  relay_->set_body_limit(10);  // what the Gate admits still goes through
  ExpectStillWorks();
  EXPECT_EQ(Exchanged("PUT /double HTTP/1.1\nHost: h", std::string(kMebibyte, 't')).head.status,
            200);
}

TEST_F(RelayTest, AnswersHeadWithTheLengthOfAGet) {
  const Recorder get = Exchanged("GET /greet/a/ HTTP/1.1\nHost: h");
  for (const std::string& body : {std::string(), std::string("a body beside HEAD")}) {
    SCOPED_TRACE(body);
    const Recorder head = Exchanged("HEAD /greet/a/ HTTP/1.1\nHost: h", body);
    EXPECT_TRUE(head.ok);
    EXPECT_TRUE(head.head.no_content);
    EXPECT_TRUE(head.head.has_length);
    EXPECT_GT(head.head.content_length, get.head.content_length);  // HEAD is a byte longer
    EXPECT_EQ(head.body, "");
    EXPECT_EQ(head.head.fields, get.head.fields);
    ExpectStillWorks();
  }
}

TEST_F(RelayTest, CarriesMethodsThatEvhttpDoesNotKnow) {
  for (const std::string method : {"BREW", "OPTIONS", "PROPFIND", "DELETE", "PATCH", "get"}) {
    SCOPED_TRACE(method);
    const Recorder recorder = Exchanged(method + " /greet/a/ HTTP/1.1\nHost: h", "coffee");
    EXPECT_TRUE(recorder.ok);
    EXPECT_EQ(recorder.head.status, 200);
    EXPECT_TRUE(recorder.body.starts_with("{\"method\":\"" + method + "\"")) << recorder.body;
    EXPECT_NE(recorder.body.find("\"body\":\"coffee\""), std::string::npos);
  }
}

TEST_F(RelayTest, CarriesTargetsThatEvhttpReadsDifferently) {
  for (const std::string target : {"//evil/z", "//[", "//a:b@c:99999/", "/a:b", "/?a=%25&b=%00",
                                   "/%2e%2e/x", "/a?b?c#", "http://h/x"}) {
    SCOPED_TRACE(target);
    const std::string sent = target.substr(0, target.find('#'));
    const Recorder recorder = Exchanged("GET " + sent + " HTTP/1.1\nHost: h");
    EXPECT_EQ(recorder.head.status, 200);
    EXPECT_NE(recorder.body.find("\"target\":\"" + sent + "\""), std::string::npos)
        << recorder.body;
  }
}

TEST_F(RelayTest, StatusesWithoutContentSendNone) {
  for (const int status : {204, 304}) {
    SCOPED_TRACE(status);
    const Recorder recorder = Exchanged("GET /" + std::to_string(status) + " HTTP/1.1\nHost: h");
    EXPECT_TRUE(recorder.ok);
    EXPECT_EQ(recorder.head.status, status);
    EXPECT_TRUE(recorder.head.no_content);
    EXPECT_EQ(recorder.body, "");
    ExpectStillWorks();
  }
  const Recorder reset = Exchanged("GET /205 HTTP/1.1\nHost: h");
  EXPECT_EQ(reset.head.status, 205);
  EXPECT_TRUE(reset.head.has_length);
  EXPECT_EQ(reset.head.content_length, 0u);
  ExpectStillWorks();
}

TEST_F(RelayTest, AHandlerThatFailsIsTheSitesAnswerTo500) {
  const site::Response& fault = site_->FaultResponse(500);
  for (const std::string path : {"/throw", "/drop"}) {
    SCOPED_TRACE(path);
    const Recorder recorder = Exchanged("GET " + path + " HTTP/1.1\nHost: h");
    EXPECT_TRUE(recorder.ok);
    EXPECT_EQ(recorder.head.status, 500);
    EXPECT_EQ(recorder.body, std::string(fault.bytes + fault.head_size, fault.body_size));
    EXPECT_NE(recorder.head.fields.find("Content-Type: "), std::string::npos);
    ExpectStillWorks();
  }
}

TEST_F(RelayTest, AnswerThatClosesIsWholeAndItsConnectionNotPooled) {
  const Recorder recorder = Exchanged("GET /close HTTP/1.1\nHost: h");
  EXPECT_TRUE(recorder.ok);
  EXPECT_EQ(recorder.body, "bye");
  EXPECT_EQ(recorder.head.fields, "");
  ExpectStillWorks();
}

TEST_F(RelayTest, NothingComesWhilePaused) {
  Recorder recorder;
  recorder.on_head = [&] { relay_->Pause(recorder.id, true); };
  Start("POST /double HTTP/1.1\nHost: h", std::string(kMebibyte, 'x'), &recorder);
  RunUntil([&] { return recorder.heads > 0; });
  Turn(50);
  EXPECT_EQ(recorder.parts, 0);
  EXPECT_EQ(recorder.ends, 0);

  recorder.on_body = recorder.on_head;  // one part, then a pause again
  int parts = 0;
  while (recorder.ends == 0) {
    relay_->Pause(recorder.id, false);
    EXPECT_EQ(recorder.parts, parts);  // never from within Pause
    RunUntil([&] { return recorder.parts > parts || recorder.ends > 0; });
    EXPECT_LE(recorder.parts, parts + 1);
    parts = recorder.parts;
    Turn(3);
    EXPECT_EQ(recorder.parts, parts);
  }
  EXPECT_TRUE(recorder.ok);
  EXPECT_EQ(recorder.body.size(), 2 * kMebibyte);
  ExpectStillWorks();
}

TEST_F(RelayTest, PauseBeforeTheAnswerAndTwiceOver) {
  Recorder recorder;
  Start("GET /greet/a/ HTTP/1.1\nHost: h", {}, &recorder);
  relay_->Pause(recorder.id, true);
  relay_->Pause(recorder.id, true);
  Turn(20);
  EXPECT_EQ(recorder.heads, 0);
  relay_->Pause(recorder.id, false);
  relay_->Pause(recorder.id, true);
  Turn(20);
  EXPECT_EQ(recorder.heads, 0);
  relay_->Pause(recorder.id, false);
  relay_->Pause(recorder.id, false);
  RunUntil([&] { return recorder.ends > 0; });
  EXPECT_TRUE(recorder.ok);
  relay_->Pause(recorder.id, true);  // of one that is over: nothing
  ExpectStillWorks();
}

TEST_F(RelayTest, CancelEndsTheEventsInAnyState) {
  enum class When { kAtOnce, kSoon, kInHead, kInBody, kPaused, kInEnd, kAfter };
  for (const When when : {When::kAtOnce, When::kSoon, When::kInHead, When::kInBody, When::kPaused,
                          When::kInEnd, When::kAfter}) {
    SCOPED_TRACE(static_cast<int>(when));
    Recorder recorder;
    std::string told;  // when it was cancelled
    const auto cancel = [&] {
      relay_->Cancel(recorder.id);
      told = recorder.Told();
    };
    if (when == When::kInHead) recorder.on_head = cancel;
    if (when == When::kInBody) recorder.on_body = cancel;
    if (when == When::kInEnd) recorder.on_end = cancel;
    if (when == When::kPaused) recorder.on_body = [&] { relay_->Pause(recorder.id, true); };
    Start("POST /double HTTP/1.1\nHost: h", std::string(kMebibyte, 'x'), &recorder);
    if (when == When::kSoon) Turn(1);
    if (when <= When::kSoon) cancel();
    if (when == When::kPaused) {
      RunUntil([&] { return recorder.parts > 0; });
      cancel();
    }
    RunUntil([&] { return relay_->active() == 0; });
    if (when == When::kAfter) cancel();
    Turn(50);
    EXPECT_EQ(recorder.Told(), told);
    EXPECT_EQ(recorder.ends, when >= When::kInEnd ? 1 : recorder.ends);
    if (when == When::kInHead) {
      EXPECT_EQ(told, "1 heads, 0 parts, 0 ends");
    } else if (when == When::kInBody) {
      EXPECT_EQ(told, "1 heads, 1 parts, 0 ends");
    }
    ExpectStillWorks();
  }
}

TEST_F(RelayTest, AReplyToACancelledExchangeGoesNowhere) {
  Recorder recorder;
  Start("GET /hold HTTP/1.1\nHost: h", {}, &recorder);
  RunUntil([] { return !HeldReplies().empty(); });
  relay_->Cancel(recorder.id);
  Turn(10);
  EXPECT_EQ(HeldReplies().at(0).exchange().head.path, "/hold");  // kept alive
  HeldReplies().at(0).Send(200, {}, std::string(kMebibyte, 'x'));
  HeldReplies().clear();
  Turn(10);
  EXPECT_EQ(recorder.heads + recorder.ends, 0);
  ExpectStillWorks();
}

TEST_F(RelayTest, AReplyMayComeLater) {
  Recorder recorder;
  Start("GET /hold HTTP/1.1\nHost: h", {}, &recorder);
  RunUntil([] { return !HeldReplies().empty(); });
  Turn(10);
  EXPECT_EQ(recorder.heads, 0);
  HeldReplies().at(0).Send(202, "X-Late: yes\r\n", "late");
  HeldReplies().clear();
  RunUntil([&] { return recorder.ends > 0; });
  EXPECT_EQ(recorder.head.status, 202);
  EXPECT_EQ(recorder.body, "late");
}

TEST_F(RelayTest, AReplyMayOutliveTheRelay) {
  Recorder recorder;
  Start("GET /hold HTTP/1.1\nHost: h", {}, &recorder);
  RunUntil([] { return !HeldReplies().empty(); });
  relay_.reset();
  HeldReplies().at(0).Send(200, {}, "to nobody");
  HeldReplies().clear();
  EXPECT_EQ(recorder.heads + recorder.ends, 0);
}

TEST_F(RelayTest, DestroyedInAnyState) {
  for (int turns = 0; turns < 12; ++turns) {
    SCOPED_TRACE(turns);
    Recorder recorders[4];
    for (Recorder& recorder : recorders) {
      Start("POST /double HTTP/1.1\nHost: h", std::string(kMebibyte / 4, 'x'), &recorder);
    }
    Turn(turns);
    relay_->Cancel(recorders[1].id);
    Restart();
    std::vector<std::string> told;
    for (const Recorder& recorder : recorders) told.push_back(recorder.Told());
    Turn(10);
    for (size_t i = 0; i < told.size(); ++i) EXPECT_EQ(recorders[i].Told(), told[i]);
  }
  ExpectStillWorks();
}

TEST_F(RelayTest, ManyAtOnceUpToTheBound) {
  Restart(32);
  std::array<Recorder, 33> recorders;
  for (size_t i = 0; i < 32; ++i) {
    ASSERT_NE(Start("POST /greet/a/ HTTP/1.1\nHost: h", "number " + std::to_string(i) + ".",
                    &recorders[i]),
              0u);
  }
  EXPECT_EQ(relay_->active(), 32u);
  EXPECT_EQ(Start("GET / HTTP/1.1\nHost: h", {}, &recorders[32]), 0u);
  RunUntil([&] { return relay_->active() == 0; });
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_TRUE(recorders[i].ok);
    EXPECT_NE(recorders[i].body.find("number " + std::to_string(i) + "."), std::string::npos);
  }
  EXPECT_EQ(recorders[32].heads + recorders[32].ends, 0);
  ExpectStillWorks();
}

TEST_F(RelayTest, TheNextMayStartFromWithinTheEnd) {
  Restart(1);
  int left = 50;
  Recorder recorder;
  recorder.on_end = [&] {
    EXPECT_TRUE(recorder.ok);
    if (--left == 0) return;
    recorder.heads = recorder.parts = recorder.ends = 0;
    EXPECT_NE(Start("GET /greet/a/ HTTP/1.1\nHost: h", {}, &recorder), 0u);
  };
  const int before = OpenDescriptors();
  Start("GET /greet/a/ HTTP/1.1\nHost: h", {}, &recorder);
  RunUntil([&] { return left == 0; });
  EXPECT_EQ(OpenDescriptors(), before + 2);  // one connection served them all
}

TEST_F(RelayTest, IdleConnectionsAreFewAndEnd) {
  settings_.tick = std::chrono::milliseconds(2);
  settings_.idle_ticks = 2;
  settings_.max_idle = 3;
  Restart(20);
  const int before = OpenDescriptors();
  std::array<Recorder, 20> recorders;
  for (Recorder& recorder : recorders) Start("GET /hold HTTP/1.1\nHost: h", {}, &recorder);
  RunUntil([] { return HeldReplies().size() == 20; });
  EXPECT_EQ(OpenDescriptors(), before + 40);
  for (Reply& reply : HeldReplies()) reply.Send(200, {}, "ok");
  HeldReplies().clear();
  RunUntil([&] { return relay_->active() == 0; });
  RunUntil([&] { return OpenDescriptors() <= before + 6; });
  RunUntil([&] { return OpenDescriptors() == before; });
  ExpectStillWorks();
}

TEST_F(RelayTest, AHandlerThatNeverAnswersIsGivenUp) {
  settings_.tick = std::chrono::milliseconds(2);
  settings_.deadline_ticks = 3;
  Restart();
  Recorder silent;
  Recorder paused;
  Start("GET /hold HTTP/1.1\nHost: h", {}, &silent);
  Start("GET /greet/a/ HTTP/1.1\nHost: h", {}, &paused);
  relay_->Pause(paused.id, true);
  RunUntil([&] { return silent.ends > 0; });
  EXPECT_FALSE(silent.ok);
  EXPECT_EQ(silent.heads, 0);
  EXPECT_EQ(paused.ends, 0);  // its client is slow, not the handler
  relay_->Pause(paused.id, false);
  RunUntil([&] { return paused.ends > 0; });
  EXPECT_TRUE(paused.ok);
  HeldReplies().at(0).Send(200, {}, "too late");
  HeldReplies().clear();
  ExpectStillWorks();
}

TEST_F(RelayTest, ALinkThatGotNoSocketBreaksOffInTheLoop) {
  struct Outcome {
    uint64_t id = 0;
    bool ok = true;
  } outcome;
  const RelayLink::Owner owner{&outcome, [](void* told, RelayLink* link, uint64_t id, bool ok) {
                                 *static_cast<Outcome*>(told) = {id, ok};
                                 EXPECT_FALSE(link->Reusable());
                               }};
  std::array<char, 16> scratch;
  Recorder recorder;
  RelayLink link(base_.get(), FileDescriptor(), scratch, owner);
  link.Begin(7, ExchangeOf(site_, "GET / HTTP/1.1\nHost: h"), "head", recorder.Events());
  link.Pause(true);
  Turn(3);
  EXPECT_EQ(outcome.id, 0u);
  link.Pause(false);
  EXPECT_EQ(outcome.id, 0u);
  RunUntil([&] { return outcome.id == 7; });
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(recorder.Told(), "0 heads, 0 parts, 0 ends");
}

TEST_F(RelayTest, RequestsWithoutTheIdOfAnExchangeAre403) {
  const std::string address = Address();
  ASSERT_FALSE(address.empty());
  for (const std::string field :
       {"", "Quipd-Exchange: 1\r\n", "Quipd-Exchange: 00000000000000000000000000000000-1\r\n"}) {
    SCOPED_TRACE(field);
    Recorder held;  // an exchange that could be guessed
    Start("GET /hold HTTP/1.1\nHost: h", {}, &held);
    const FileDescriptor client = ConnectTo(address);
    ASSERT_TRUE(client);
    const std::string request = "GET / HTTP/1.1\r\nHost: h\r\n" + field + "\r\n";
    ASSERT_EQ(write(client.get(), request.data(), request.size()),
              static_cast<ssize_t>(request.size()));
    const Event wake = WakeOn(client.get());
    std::string answer;
    RunUntil([&] {
      std::array<char, 1024> bytes;
      const ssize_t got = recv(client.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got > 0) answer.append(bytes.data(), static_cast<size_t>(got));
      return answer.find("\r\n\r\n") != std::string::npos;
    });
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << answer;
    relay_->Cancel(held.id);
  }
}

TEST_F(RelayTest, AnotherProcessIsCutOff) {
  const std::string address = Address();
  ASSERT_FALSE(address.empty());
  std::array<int, 2> ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // One connection that says nothing, one that asks.
    alarm(20);
    const FileDescriptor silent = ConnectTo(address);
    const FileDescriptor asking = ConnectTo(address);
    constexpr std::string_view kRequest = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    (void)!send(asking.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL);
    for (const int fd : {silent.get(), asking.get()}) {
      std::array<char, 256> bytes;
      const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
      const char result = got <= 0 ? 'c' : '?';
      (void)!write(write_end.get(), &result, 1);
    }
    _exit(0);
  }
  write_end.Reset();
  int status = -1;
  // The child's exit is no event of this loop; the pipe's end is.
  const Event wake = WakeOn(read_end.get());
  RunUntil([&] { return waitpid(child, &status, WNOHANG) == child; });
  EXPECT_EQ(status, 0);
  std::array<char, 8> results{};
  EXPECT_EQ(read(read_end.get(), results.data(), results.size()), 2);
  EXPECT_EQ(std::string_view(results.data(), 2), "cc");
  ExpectStillWorks();
}

}  // namespace
}  // namespace quipd::server
