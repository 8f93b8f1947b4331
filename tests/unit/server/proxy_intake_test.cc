// SPDX-License-Identifier: MIT
#include "server/proxy_intake.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/file_descriptor.h"
#include "proxy_samples.h"

namespace quipd::server {
namespace {

using State = ProxyIntake::State;

class Intake : public testing::Test {
 protected:
  Intake() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_.Reset(ends[0]);
    theirs_.Reset(ends[1]);
  }

  void Send(std::string_view bytes) {
    EXPECT_EQ(send(theirs_.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  State Read() { return intake_.Read(ours_.get()); }
  // What is left on the socket.
  std::string Rest() {
    std::string rest(1000, '\0');
    const ssize_t size = recv(ours_.get(), rest.data(), rest.size(), MSG_DONTWAIT);
    return rest.substr(0, size < 0 ? 0 : static_cast<size_t>(size));
  }

  FileDescriptor ours_;
  FileDescriptor theirs_;
  ProxyIntake intake_;
};

// Nothing behind the header is taken, and of a part of it nothing is left, so that the socket isn't
// readable without end.
TEST(ProxyIntake, TakesTheHeaderExactlyHoweverItIsCut) {
  const struct {
    std::string header;
    const char* client;
  } rows[] = {
      {"PROXY TCP4 192.0.2.7 198.51.100.1 1234 443\r\n", "192.0.2.7"},
      {"PROXY UNKNOWN\r\n", ""},
      {Binary(0x21, 0x21, kInet6Addresses + Bytes({3, 0, 4, 1, 2, 3, 4})), "2001:db8::7"},
      {Binary(0x21, 0x31, std::string(220, 'p')), "unix"},
      {Binary(0x20, 0, "x"), ""},
  };
  for (const auto& row : rows) {
    for (size_t cut = 0; cut <= row.header.size(); ++cut) {
      SCOPED_TRACE(row.header.substr(0, 60) + " cut at " + std::to_string(cut));
      std::array<int, 2> ends{};
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
      const FileDescriptor ours(ends[0]);
      const FileDescriptor theirs(ends[1]);
      ProxyIntake intake;
      ASSERT_EQ(write(theirs.get(), row.header.data(), cut), static_cast<ssize_t>(cut));
      if (cut < row.header.size()) {
        ASSERT_EQ(intake.Read(ours.get()), State::kWaiting);
        char byte = 0;
        ASSERT_EQ(recv(ours.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT), -1);
      }
      const std::string more = row.header.substr(cut) + "GET";
      ASSERT_EQ(write(theirs.get(), more.data(), more.size()), static_cast<ssize_t>(more.size()));
      ASSERT_EQ(intake.Read(ours.get()), State::kDone);
      EXPECT_EQ(intake.client() ? intake.client()->Text() : "", row.client);
      std::array<char, 8> rest{};
      ASSERT_EQ(recv(ours.get(), rest.data(), rest.size(), MSG_DONTWAIT), 3);
      EXPECT_EQ(std::string(rest.data(), 3), "GET");
    }
  }
}

TEST_F(Intake, SkipsALongHeaderThatComesInPieces) {
  const std::string header =
      Binary(0x21, 0x11, kInetAddresses + std::string(65535 - kInetAddresses.size(), 't'));
  for (size_t at = 0; at < header.size(); at += 1000) {
    ASSERT_EQ(Read(), State::kWaiting);
    Send(std::string_view(header).substr(at, 1000));
  }
  Send("behind");
  EXPECT_EQ(Read(), State::kDone);
  EXPECT_EQ(intake_.client()->Text(), "192.0.2.7");
  EXPECT_EQ(Rest(), "behind");
}

TEST_F(Intake, EndsBeforeTheFirstByte) {
  EXPECT_EQ(Read(), State::kWaiting);
  theirs_.Reset();
  EXPECT_EQ(Read(), State::kEnded);
}

TEST_F(Intake, FailsWithAPart) {
  Send("PROXY TCP4");
  EXPECT_EQ(Read(), State::kWaiting);
  theirs_.Reset();
  EXPECT_EQ(Read(), State::kFailed);
}

TEST_F(Intake, FailsWithAPartOfWhatIsSkipped) {
  Send(Binary(0x21, 0x11, 100, kInetAddresses));
  EXPECT_EQ(Read(), State::kWaiting);
  theirs_.Reset();
  EXPECT_EQ(Read(), State::kFailed);
}

TEST_F(Intake, FailsAtOnceWithWhatIsNone) {
  Send("G");
  EXPECT_EQ(Read(), State::kFailed);
}

}  // namespace
}  // namespace quipd::server
