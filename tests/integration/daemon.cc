// SPDX-License-Identifier: MIT
#include "integration/daemon.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "client/certificate.h"

namespace quipd::test {
namespace {

using Clock = std::chrono::steady_clock;

FileDescriptor BindNotifySocket(const std::string& path) {
  FileDescriptor socket_fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  EXPECT_LT(path.size(), sizeof(name.sun_path));
  std::memcpy(name.sun_path, path.data(), std::min(path.size(), sizeof(name.sun_path) - 1));
  EXPECT_EQ(bind(socket_fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0)
      << path << ": " << std::strerror(errno);
  return socket_fd;
}

Notice ParseNotice(std::string text) {
  Notice notice;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    const std::string name = line.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : line.substr(equals + 1);
    notice.ready = notice.ready || line == "READY=1";
    notice.reloading = notice.reloading || line == "RELOADING=1";
    notice.stopping = notice.stopping || line == "STOPPING=1";
    if (name == "STATUS") {
      notice.status = value;
    } else if (name == "QUIPD_LISTENING") {
      notice.listening.push_back(value);
    } else if (name == "QUIPD_GENERATION") {
      notice.generation = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "QUIPD_RELOAD") {
      notice.reload = value;
    }
  }
  notice.text = std::move(text);
  return notice;
}

std::string Proc(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> CertificateFiles() {
  const Certificate pair = MakeCertificate();
  return {{"certificate.pem", pair.certificate}, {"key.pem", pair.key}};
}

Daemon::Daemon(const DaemonSetup& setup) {
  for (const auto& [name, text] : setup.files) {
    folder_.Write(name, text);
  }
  ProcessSetup process;
  process.arguments = {QUIPD_BINARY, "run"};
  if (!setup.config.empty()) {
    Configure(setup.config);
    process.arguments.insert(process.arguments.end(), {"-c", folder_.File("quipd.yaml")});
  }
  process.arguments.insert(process.arguments.end(), setup.arguments.begin(), setup.arguments.end());
  notify_ = BindNotifySocket(folder_.File("notify"));
  process.environment = setup.environment;
  process.environment.emplace_back("NOTIFY_SOCKET", folder_.File("notify"));
  process.obeys_modes = setup.obeys_modes;
  process.own_network = setup.own_network;
  if (setup.journal) {
    std::filesystem::create_directories(folder_.File("run/systemd/journal"));
    journal_ = BindJournal(folder_.File("run/systemd/journal/socket"));
    process.mounts.push_back({.path = "/run", .folder = folder_.File("run")});
  }
  process.stderr_is_journal = setup.stderr_is_journal;
  process.passed = setup.passed;
  for (Mount mount : setup.mounts) {
    mount.path = folder_.Placed(mount.path);
    mount.folder = folder_.Placed(mount.folder);
    process.mounts.push_back(std::move(mount));
  }
  process_ = std::make_unique<Process>(process);
  while (!ready_) {
    std::optional<Notice> notice = NextNotice();
    if (!notice) {
      ADD_FAILURE() << "quipd does not become ready:\n" << Log();
      return;
    }
    ready_ = notice->ready;
  }
}

Daemon::~Daemon() {
  if (ready_ && !ended_) {
    EXPECT_EQ(Stop(), 0) << Log();
  }
}

std::string Daemon::address(size_t index) const {
  if (index < listening_.size()) {
    return listening_[index];
  }
  ADD_FAILURE() << "quipd does not listen on an address number " << index;
  return "";
}

std::optional<Notice> Daemon::NextNotice(std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  std::array<char, 16384> text{};
  while (true) {
    std::array<pollfd, 2> entries{pollfd{notify_.get(), POLLIN, 0},
                                  pollfd{process_->end_fd(), POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int ready =
        poll(entries.data(), entries.size(), static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (entries[0].revents == 0) {
      return std::nullopt;
    }
    const ssize_t size = recv(notify_.get(), text.data(), text.size(), 0);
    Notice notice = ParseNotice(std::string(text.data(), size > 0 ? static_cast<size_t>(size) : 0));
    if (!notice.listening.empty()) {
      listening_ = notice.listening;
    }
    return notice;
  }
}

std::optional<JournalFields> Daemon::NextEntryWith(std::string_view text) {
  while (std::optional<JournalFields> entry = NextEntry()) {
    if ((*entry)["MESSAGE"].find(text) != std::string::npos) {
      return entry;
    }
  }
  return std::nullopt;
}

Notice Daemon::Reload() {
  Signal(SIGHUP);
  return AwaitReload();
}

Notice Daemon::AwaitReload() {
  while (std::optional<Notice> notice = NextNotice()) {
    if (notice->ready) {
      return *notice;
    }
  }
  ADD_FAILURE() << "no outcome of a reload comes:\n" << Log();
  return {};
}

int Daemon::Wait(std::chrono::milliseconds patience) {
  // A service manager reads what it is told to the end; who does not would hold the daemon up.
  const Clock::time_point deadline = Clock::now() + patience;
  while (
      NextNotice(std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()))) {
  }
  const std::optional<int> status = process_->Wait(std::chrono::milliseconds(100));
  ended_ = true;
  if (!status) {
    process_->Signal(SIGKILL);
    ADD_FAILURE() << "quipd does not end:\n" << Log();
  }
  return status.value_or(-1);
}

int Daemon::Stop(int signal) {
  Signal(signal);
  return Wait();
}

std::chrono::milliseconds Daemon::CpuTime() const {
  // Fields 14 and 15, behind the name in parentheses, which is field 2.
  const std::string text = ReadWhole(Proc(pid(), "stat"));
  const size_t behind_name = text.rfind(')');
  std::istringstream fields(behind_name == std::string::npos ? "" : text.substr(behind_name + 2));
  std::string skipped;
  for (int i = 3; i < 14; ++i) {
    fields >> skipped;
  }
  int64_t user = 0;
  int64_t system = 0;
  fields >> user >> system;
  return std::chrono::milliseconds((user + system) * 1000 / sysconf(_SC_CLK_TCK));
}

size_t Daemon::ResidentBytes() const {
  std::istringstream fields(ReadWhole(Proc(pid(), "statm")));
  size_t total = 0;
  size_t resident = 0;
  fields >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

size_t Daemon::OpenFiles() const {
  std::error_code ignored;
  const std::filesystem::directory_iterator files(Proc(pid(), "fd"), ignored);
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

size_t Daemon::Connections(size_t index) const {
  const std::string address_text = address(index);
  const int port = std::atoi(address_text.c_str() + address_text.rfind(':') + 1);
  std::array<char, 16> local{};
  std::snprintf(local.data(), local.size(), ":%04X", static_cast<unsigned>(port));
  constexpr std::string_view kEstablished = "01";
  std::istringstream table(ReadWhole(Proc(pid(), "net/tcp")));
  size_t count = 0;
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string number;
    std::string from;
    std::string to;
    std::string state;
    fields >> number >> from >> to >> state;
    count += from.ends_with(local.data()) && state == kEstablished ? 1 : 0;
  }
  return count;
}

}  // namespace quipd::test
