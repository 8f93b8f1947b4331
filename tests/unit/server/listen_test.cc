// SPDX-License-Identifier: MIT
#include "server/listen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace quipd::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Family = config::ListenAddress::Family;

config::Listener Inet(const std::string& host, uint16_t port) {
  config::Listener listener;
  listener.address = {Family::kInet, host, port, {}, {}};
  listener.written = host + ':' + std::to_string(port);
  return listener;
}

class UnixListener : public testing::Test {
 protected:
  UnixListener() {
    char name[] = "/tmp/quipd-listen-XXXXXX";
    folder_ = mkdtemp(name);
    listener_.address = {Family::kUnix, {}, 0, folder_ + "/s.sock", {}};
    listener_.written = "unix:" + folder_ + "/s.sock";
  }
  ~UnixListener() override { std::filesystem::remove_all(folder_); }

  const std::string& path() const { return listener_.address.path; }

  std::string folder_;
  config::Listener listener_;
};

TEST(Listen, PortZeroGivesOneSocketForEachWorkerOnOnePort) {
  const Result<OpenListener> open = Open(Inet("127.0.0.1", 0), 3);
  ASSERT_TRUE(open) << ToText(open.error());
  ASSERT_EQ(open->addresses.size(), 1u);
  EXPECT_THAT(open->addresses[0].shown, StartsWith("127.0.0.1:"));
  EXPECT_EQ(open->addresses[0].sockets.size(), 3u);
}

TEST(Listen, AnAddressInUseIsRefusedThoughItsSocketsShareIt) {
  const Result<OpenListener> first = Open(Inet("127.0.0.1", 0), 2);
  ASSERT_TRUE(first);
  const std::string& shown = first->addresses[0].shown;
  const auto port = static_cast<uint16_t>(std::stoi(shown.substr(shown.find(':') + 1)));
  const Result<OpenListener> second = Open(Inet("127.0.0.1", port), 2);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error()[0].message,
            "listening on 127.0.0.1:" + std::to_string(port) + ": the address is in use");
}

TEST(Listen, ABarePortTakesBothFamilies) {
  config::Listener listener;
  listener.written = "0";
  const Result<OpenListener> open = Open(listener, 1);
  ASSERT_TRUE(open) << ToText(open.error());
  EXPECT_EQ(open->addresses.size(), 1u);
}

TEST(Listen, ANameThatDoesNotResolveIsNamed) {
  const Result<OpenListener> open = Open(Inet("no-such-host.invalid", 80), 1);
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error()[0].message,
              HasSubstr("listening on no-such-host.invalid:80: resolving no-such-host.invalid: "));
}

TEST_F(UnixListener, HasItsModeAndGoesWithItsOwner) {
  listener_.mode = 0620;
  {
    const Result<OpenListener> open = Open(listener_, 2);
    ASSERT_TRUE(open) << ToText(open.error());
    EXPECT_EQ(open->addresses[0].shown, "unix:" + path());
    struct stat status;
    ASSERT_EQ(stat(path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0620u);
  }
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(UnixListener, AStaleSocketIsReplaced) {
  {
    const FileDescriptor stale(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    ASSERT_EQ(bind(stale.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ASSERT_TRUE(std::filesystem::exists(path()));
  EXPECT_TRUE(Open(listener_, 1));
}

TEST_F(UnixListener, ALiveSocketIsRefused) {
  const Result<OpenListener> first = Open(listener_, 1);
  ASSERT_TRUE(first);
  const Result<OpenListener> second = Open(listener_, 1);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error()[0].message, HasSubstr("the address is in use"));
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(UnixListener, ARegularFileIsNeverRemoved) {
  std::ofstream(path()) << "precious";
  const Result<OpenListener> open = Open(listener_, 1);
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error()[0].message, HasSubstr("a file that is no socket stands there"));
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(UnixListener, ATooLongPathIsRefused) {
  listener_.address.path = folder_ + '/' + std::string(120, 'x');
  const Result<OpenListener> open = Open(listener_, 1);
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error()[0].message, HasSubstr("the path is longer than 107 bytes"));
}

TEST_F(UnixListener, AFolderThatIsNotThereIsNamed) {
  listener_.address.path = folder_ + "/none/s.sock";
  const Result<OpenListener> open = Open(listener_, 1);
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error()[0].message, HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace quipd::server
