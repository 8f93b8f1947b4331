// SPDX-License-Identifier: MIT
// TLS over a pair of sockets, both ends in one thread, so that every order of reads and writes can
// be made to happen.
#include "server/tls_stream.h"

#include <event2/buffer.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "base/file_descriptor.h"
#include "base/handle.h"
#include "client/tls_stream.h"
#include "server/tls_files.h"

namespace quipd::server {
namespace {

using Buffer = Handle<evbuffer, evbuffer_free>;
using ClientStatus = test::TlsStream::Status;

std::string Pattern(size_t size) {
  std::string out;
  for (uint32_t state = 1; out.size() < size; state = state * 1664525 + 1013904223) {
    out += static_cast<char>(state >> 24);
  }
  return out;
}

class Stream : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    const config::TlsPair pair = files_.Add("x", test::CertificateSetup());
    Diagnostics diagnostics;
    context_ =
        TlsContext::Load(config::Config(), test::ListenerWith({pair}), tickets_, &diagnostics);
    ASSERT_NE(context_, nullptr) << ToText(diagnostics);
    options_.trusted = pair.certificate;
    Connect();
  }

  void Connect() {
    client_.reset();
    server_.reset();
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    near_.Reset(ends[0]);
    far_.Reset(ends[1]);
    server_ = std::make_unique<TlsStream>(context_, near_.get());
    client_ = std::make_unique<test::TlsStream>(far_.get(), options_);
  }

  // Both sides' turns until the client is through and has its tickets.
  void ShakeHands() {
    for (int i = 0; i < 10; ++i) {
      const ClientStatus status = client_->Handshake();
      ASSERT_NE(status, ClientStatus::kFailed) << client_->fault();
      EXPECT_EQ(Read(), "");
      if (status == ClientStatus::kDone && !server_->in_handshake()) return;
    }
    FAIL() << "the handshake does not end";
  }

  std::string Read(size_t size = 64 * 1024) {
    std::string out(size, ' ');
    result_ = server_->Read(out.data(), out.size());
    out.resize(result_ > 0 ? static_cast<size_t>(result_) : 0);
    return out;
  }

  void Send(std::string_view bytes) {
    size_t sent = 0;
    ASSERT_EQ(client_->Write(bytes, &sent), ClientStatus::kDone);
    ASSERT_EQ(sent, bytes.size());
  }

  // All that the client can have now.
  std::string Receive() {
    std::string out;
    while (true) {
      char part[20'000];
      size_t got = 0;
      status_ = client_->Read(part, sizeof part, &got);
      if (status_ != ClientStatus::kDone) return out;
      out.append(part, got);
    }
  }

  // Sends little by little what `write` sends from an offset, as a slow client takes it.
  template <typename Write>
  std::string SendAll(size_t size, Write write) {
    std::string received;
    size_t sent = 0;
    size_t blocked = 0;
    while (sent < size) {
      const ssize_t count = write(sent);
      if (count < 0) {
        EXPECT_EQ(errno, EAGAIN);
        if (errno != EAGAIN) break;
        ++blocked;
        received += Receive();
        continue;
      }
      sent += static_cast<size_t>(count);
    }
    EXPECT_GT(blocked, 0u);
    return received + Receive();
  }

  const test::TlsFiles files_;
  const std::shared_ptr<TicketKeys> tickets_ = std::make_shared<TicketKeys>();
  std::shared_ptr<const TlsContext> context_;
  test::TlsOptions options_;
  FileDescriptor near_;
  FileDescriptor far_;
  std::unique_ptr<TlsStream> server_;
  std::unique_ptr<test::TlsStream> client_;
  ssize_t result_ = 0;
  ClientStatus status_ = ClientStatus::kDone;
};

TEST_F(Stream, SpeaksBothVersions) {
  for (const bool old : {false, true}) {
    options_.only_tls12 = old;
    Connect();
    ShakeHands();
    EXPECT_EQ(client_->version(), old ? "TLSv1.2" : "TLSv1.3");
    EXPECT_EQ(client_->alpn(), "http/1.1");
    Send("ping");
    EXPECT_EQ(Read(), "ping");
    EXPECT_EQ(server_->Write("pong"), 4);
    EXPECT_EQ(Receive(), "pong");
  }
}

TEST_F(Stream, WithoutAlpnNoneIsChosen) {
  options_.alpn = "";
  Connect();
  ShakeHands();
  EXPECT_EQ(client_->alpn(), "");
}

TEST_F(Stream, OtherProtocolIsRefused) {
  options_.alpn = "h2";
  Connect();
  EXPECT_EQ(client_->Handshake(), ClientStatus::kWantsRead);
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(errno, EPROTO);
  EXPECT_EQ(client_->Handshake(), ClientStatus::kFailed);
  EXPECT_NE(client_->fault().find("no application protocol"), std::string::npos)
      << client_->fault();
}

TEST_F(Stream, ResumesByTicket) {
  for (const bool old : {false, true}) {
    SCOPED_TRACE(old);
    options_.only_tls12 = old;
    options_.session = nullptr;
    Connect();
    ShakeHands();
    Receive();
    EXPECT_FALSE(client_->resumed());
    options_.session = client_->session();
    ASSERT_NE(options_.session, nullptr);
    client_->Close();  // else OpenSSL holds the session for spoilt
    // Another context of the same certificate, as after a reload.
    Diagnostics diagnostics;
    context_ =
        TlsContext::Load(config::Config(),
                         test::ListenerWith({{files_.Path("x.pem"), files_.Path("x.key"), {}, {}}}),
                         tickets_, &diagnostics);
    Connect();
    ShakeHands();
    EXPECT_TRUE(client_->resumed());
    client_->Close();
    // One of another certificate for the same name doesn't know it.
    const config::TlsPair other = files_.Add("y", test::CertificateSetup());
    options_.trusted = other.certificate;
    const auto before = std::exchange(
        context_,
        TlsContext::Load(config::Config(), test::ListenerWith({other}), tickets_, &diagnostics));
    Connect();
    ShakeHands();
    EXPECT_FALSE(client_->resumed());
    context_ = before;
    options_.trusted = files_.Path("x.pem");
  }
}

// A client may use a ticket once only (RFC 8446 C.4).
TEST_F(Stream, ResumedSessionBringsTheNextTicket) {
  const auto ticket_of = [](const test::TlsSession& session) {
    const unsigned char* bytes = nullptr;
    size_t size = 0;
    SSL_SESSION_get0_ticket(session.get(), &bytes, &size);
    return std::string(reinterpret_cast<const char*>(bytes), size);
  };
  std::string last;
  for (int i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    Connect();
    ShakeHands();
    Receive();
    EXPECT_EQ(client_->resumed(), i > 0);
    options_.session = client_->session();
    ASSERT_NE(options_.session, nullptr);
    const std::string before = std::exchange(last, ticket_of(options_.session));
    EXPECT_NE(last, before);
    client_->Close();
  }
}

TEST_F(Stream, TicketOutlivesItsKeysPeriod) {
  TicketKeys::Clock::time_point now{};
  Diagnostics diagnostics;
  context_ = TlsContext::Load(
      config::Config(), test::ListenerWith({{files_.Path("x.pem"), files_.Path("x.key"), {}, {}}}),
      std::make_shared<TicketKeys>([&now] { return now; }), &diagnostics);
  for (const bool old : {false, true}) {
    SCOPED_TRACE(old);
    options_.only_tls12 = old;
    options_.session = nullptr;
    Connect();
    ShakeHands();
    Receive();
    options_.session = client_->session();
    ASSERT_NE(options_.session, nullptr);
    client_->Close();
    for (const bool resumed : {true, true, false}) {
      Connect();
      ShakeHands();
      EXPECT_EQ(client_->resumed(), resumed);
      client_->Close();
      now += TicketKeys::kPeriod * 3 / 2;
    }
  }
}

TEST_F(Stream, ReadsRecordsThatCameTogether) {
  ShakeHands();
  for (const char* part : {"a", "b", "c"}) Send(part);
  EXPECT_EQ(Read(), "abc");
  EXPECT_FALSE(server_->has_pending());
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(Stream, TellsOfInputThatNoEventTellsOf) {
  ShakeHands();
  Send("abc");
  Send("def");
  EXPECT_EQ(Read(2), "ab");
  EXPECT_TRUE(server_->has_pending());
  EXPECT_EQ(Read(2), "cd");
  EXPECT_TRUE(server_->has_pending());
  EXPECT_EQ(Read(), "ef");
  EXPECT_FALSE(server_->has_pending());
  // The end behind a record is told with it.
  Send("x");
  client_->Close();
  EXPECT_EQ(Read(), "x");
  if (server_->has_pending()) {
    EXPECT_EQ(Read(), "");
    EXPECT_EQ(result_, 0);
  }
}

TEST_F(Stream, RecordThatIsNotWholeWaitsForTheSocket) {
  ShakeHands();
  // The bytes of a record, cut by hand.
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  const FileDescriptor own(ends[0]);
  const FileDescriptor other(ends[1]);
  const FileDescriptor kept(dup(far_.get()));
  ASSERT_GE(dup2(own.get(), far_.get()), 0);
  Send("whole");
  Send("divided");
  char bytes[4096];
  const ssize_t size = read(other.get(), bytes, sizeof bytes);
  ASSERT_GT(size, 10);
  ASSERT_EQ(write(kept.get(), bytes, static_cast<size_t>(size - 10)), size - 10);
  EXPECT_EQ(Read(), "whole");
  EXPECT_FALSE(server_->has_pending());
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_FALSE(server_->has_pending());
  ASSERT_EQ(write(kept.get(), bytes + size - 10, 10), 10);
  EXPECT_EQ(Read(), "divided");
}

TEST_F(Stream, HandshakeGoesOnWhenTheSocketTakesBytes) {
  EXPECT_EQ(client_->Handshake(), ClientStatus::kWantsRead);
  const std::string filling(4096, 'x');
  size_t filled = 0;
  while (write(near_.get(), filling.data(), filling.size()) > 0) filled += filling.size();
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_TRUE(server_->wants_write());
  std::string drained(filled, ' ');
  for (size_t got = 0; got < filled;) {
    const ssize_t size = read(far_.get(), drained.data(), filled - got);
    ASSERT_GT(size, 0);
    got += static_cast<size_t>(size);
  }
  EXPECT_EQ(Read(), "");
  EXPECT_FALSE(server_->wants_write());
  ShakeHands();
}

TEST_F(Stream, SlowReaderGetsEveryByte) {
  ShakeHands();
  const std::string bytes = Pattern(3'000'001);
  EXPECT_EQ(
      SendAll(bytes.size(),
              [&](size_t from) { return server_->Write(std::string_view(bytes).substr(from)); }),
      bytes);
}

TEST_F(Stream, TwoPartsGoAsOne) {
  ShakeHands();
  for (const size_t first_size : {0u, 1u, 200u, 16'383u, 16'384u, 40'000u}) {
    for (const size_t second_size : {0u, 1u, 16'384u, 1'000'000u}) {
      SCOPED_TRACE(std::to_string(first_size) + " " + std::to_string(second_size));
      const std::string bytes = Pattern(first_size + second_size);
      const std::string_view all = bytes;
      // What is refused is queued, as a connection does.
      const Buffer queue(evbuffer_new());
      const ssize_t count = server_->Write(all.substr(0, first_size), all.substr(first_size));
      EXPECT_TRUE(count >= 0 || errno == EAGAIN) << errno;
      const size_t sent = count > 0 ? static_cast<size_t>(count) : 0;
      if (sent < first_size) {
        evbuffer_add(queue.get(), bytes.data() + sent, first_size - sent);
      }
      const size_t behind = std::max(sent, first_size);
      if (behind < bytes.size()) {
        evbuffer_add_reference(queue.get(), bytes.data() + behind, bytes.size() - behind, nullptr,
                               nullptr);
      }
      std::string received = Receive();
      while (evbuffer_get_length(queue.get()) > 0) {
        const ssize_t more = server_->Write(queue.get());
        ASSERT_TRUE(more >= 0 || errno == EAGAIN) << errno;
        received += Receive();
      }
      EXPECT_EQ(received + Receive(), bytes);
    }
  }
}

TEST_F(Stream, SmallFirstPartMakesNoRecordOfItsOwn) {
  ShakeHands();
  EXPECT_EQ(server_->Write("head", std::string(1000, 'b')), 1004);
  char part[20'000];
  size_t got = 0;
  ASSERT_EQ(client_->Read(part, sizeof part, &got), ClientStatus::kDone);
  EXPECT_EQ(got, 1004u);
}

TEST_F(Stream, FileIsReadAgainWhereTheSocketWasFull) {
  ShakeHands();
  const std::string bytes = Pattern(2'000'003);
  const FileDescriptor file(open(files_.Write("big", bytes).c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(SendAll(bytes.size(),
                    [&](size_t from) {
                      return server_->WriteFile(file.get(), from, bytes.size() - from);
                    }),
            bytes);
  EXPECT_EQ(server_->WriteFile(file.get(), bytes.size(), 10), 0);
}

// What was promised can't be sent: the connection is over, and nothing else may be taken for it.
TEST_F(Stream, FileThatWasCutEndsTheConnection) {
  ShakeHands();
  const std::string bytes = Pattern(2'000'003);
  const std::string path = files_.Write("big", bytes);
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  size_t sent = 0;
  ssize_t count = 0;
  while ((count = server_->WriteFile(file.get(), sent, bytes.size() - sent)) > 0) {
    sent += static_cast<size_t>(count);
  }
  ASSERT_EQ(count, -1);
  ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(sent) + 5), 0);
  std::string received = Receive();
  count = server_->WriteFile(file.get(), sent, bytes.size() - sent);
  EXPECT_TRUE(count == -1 && errno == EPROTO) << count;
  EXPECT_TRUE(server_->CloseNotify());
  near_.Reset();
  received += Receive();
  EXPECT_NE(status_, ClientStatus::kClosed);
  EXPECT_EQ(received, bytes.substr(0, received.size()));
}

TEST_F(Stream, SaysThatNoMoreComes) {
  ShakeHands();
  EXPECT_EQ(server_->Write("last"), 4);
  EXPECT_TRUE(server_->CloseNotify());
  EXPECT_TRUE(server_->CloseNotify());
  EXPECT_EQ(Receive(), "last");
  EXPECT_EQ(status_, ClientStatus::kClosed);
  // The client's way is open yet.
  Send("more");
  EXPECT_EQ(Read(), "more");
}

TEST_F(Stream, SaysItWhenTheSocketTakesIt) {
  ShakeHands();
  const std::string bytes = Pattern(1'000'000);
  size_t sent = 0;
  ssize_t count = 0;
  while ((count = server_->Write(std::string_view(bytes).substr(sent))) > 0) {
    sent += static_cast<size_t>(count);
  }
  std::string received = Receive();
  while (sent < bytes.size()) {
    count = server_->Write(std::string_view(bytes).substr(sent));
    if (count < 0) {
      received += Receive();
    } else {
      sent += static_cast<size_t>(count);
    }
  }
  int rounds = 0;
  while (!server_->CloseNotify() && ++rounds < 10) received += Receive();
  received += Receive();
  EXPECT_EQ(received, bytes);
  EXPECT_EQ(status_, ClientStatus::kClosed);
}

TEST_F(Stream, ClientThatSaysNoMoreMayRead) {
  ShakeHands();
  client_->Close();
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(result_, 0);
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(result_, 0);
  EXPECT_EQ(server_->Write("late"), 4);
  EXPECT_TRUE(server_->CloseNotify());
  near_.Reset();
  EXPECT_EQ(Receive(), "late");
}

TEST_F(Stream, EndWithoutNoticeIsAnEnd) {
  ShakeHands();
  Receive();
  far_.Reset();
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(result_, 0);
}

TEST_F(Stream, AbandonedClientHearsNothing) {
  ShakeHands();
  EXPECT_EQ(server_->Write("part"), 4);
  server_->Abandon();
  EXPECT_TRUE(server_->CloseNotify());
  near_.Reset();
  EXPECT_EQ(Receive(), "part");
  EXPECT_EQ(status_, ClientStatus::kCut);
}

TEST_F(Stream, KnowsWhatIsNotTls) {
  const struct {
    std::string_view bytes;
    bool plain_http;
  } rows[] = {{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", true},
              {"POST / HTTP/1.1\r\n\r\n", true},
              {{"\x16\x03\x01\x00\x05hello", 10}, false},
              {"garbage of some length, and no TLS at all\r\n", false}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.bytes);
    Connect();
    ASSERT_GT(write(far_.get(), row.bytes.data(), row.bytes.size()), 0);
    EXPECT_EQ(Read(), "");
    EXPECT_EQ(result_, -1);
    EXPECT_EQ(errno, EPROTO);
    EXPECT_EQ(server_->heard_plain_http(), row.plain_http);
    EXPECT_TRUE(server_->CloseNotify());
  }
}

}  // namespace
}  // namespace quipd::server
