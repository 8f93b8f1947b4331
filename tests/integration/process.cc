// SPDX-License-Identifier: MIT
#include "integration/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace quipd::test {
namespace {

using Clock = std::chrono::steady_clock;

// All that the child needs between fork and exec, made before: nothing may be allocated there.
struct Image {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::vector<int> passed;
  char* own_pid = nullptr;  // where the child writes its pid; null: nowhere
};

constexpr size_t kLongestPid = 20;
constexpr int kFirstPassed = 3;
constexpr int kBehindPassed = 100;  // no descriptor that is passed becomes one from here on

bool Named(const std::string& entry, std::string_view name) {
  return entry.size() > name.size() && entry.rfind(name, 0) == 0 && entry[name.size()] == '=';
}

std::vector<std::string> Environment(const ProcessSetup& setup) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool kept = true;
    // What tells a daemon that systemd or a user's profile is around must come from the test alone.
    for (const char* name :
         {"NOTIFY_SOCKET", "JOURNAL_STREAM", "INVOCATION_ID", "QUIPD_PROFILE", "LISTEN_FDS",
          "LISTEN_FDNAMES", "LISTEN_PID", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
      kept = kept && !Named(*entry, name);
    }
    for (const auto& [name, value] : setup.environment) {
      kept = kept && !Named(*entry, name);
    }
    if (kept) {
      entries.emplace_back(*entry);
    }
  }
  for (const auto& [name, value] : setup.environment) {
    entries.push_back(name + "=" + value);
  }
  return entries;
}

bool IsSet(const ProcessSetup& setup, std::string_view name) {
  return std::any_of(setup.environment.begin(), setup.environment.end(),
                     [name](const auto& variable) { return variable.first == name; });
}

// The variables that speak of the passed descriptors.
void AddPassed(const ProcessSetup& setup, Image* image) {
  if (setup.passed.empty()) return;
  std::string names;
  for (const PassedDescriptor& one : setup.passed) {
    names += (names.empty() ? "" : ":") + one.name;
    image->passed.push_back(one.fd);
  }
  if (!IsSet(setup, "LISTEN_FDS")) {
    image->environment.push_back("LISTEN_FDS=" + std::to_string(setup.passed.size()));
  }
  if (!IsSet(setup, "LISTEN_FDNAMES")) image->environment.push_back("LISTEN_FDNAMES=" + names);
  if (IsSet(setup, "LISTEN_PID")) return;
  const std::string name = "LISTEN_PID=";
  image->environment.push_back(name + std::string(kLongestPid, '\0'));
  image->own_pid = image->environment.back().data() + name.size();
}

std::vector<char*> Pointers(std::vector<std::string>* texts) {
  std::vector<char*> pointers;
  for (std::string& text : *texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

FileDescriptor InputOf(const std::string& text) {
  FileDescriptor file(memfd_create("input", MFD_CLOEXEC));
  EXPECT_EQ(write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  EXPECT_EQ(lseek(file.get(), 0, SEEK_SET), 0);
  return file;
}

bool MakeMount(const Mount& mount_setup) {
  const char* const path = mount_setup.path.c_str();
  if (mount_setup.folder.empty()) {
    const unsigned long flags = mount_setup.read_only ? MS_RDONLY : 0;
    return mount("tmpfs", path, "tmpfs", flags, mount_setup.options.c_str()) == 0;
  }
  if (mount(mount_setup.folder.c_str(), path, nullptr, MS_BIND, nullptr) != 0) return false;
  return !mount_setup.read_only ||
         mount(nullptr, path, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
}

bool MakeMounts(const ProcessSetup& setup) {
  if (setup.mounts.empty()) return true;
  if (unshare(CLONE_NEWNS) != 0) return false;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return std::all_of(setup.mounts.begin(), setup.mounts.end(), MakeMount);
}

// JOURNAL_STREAM=DEVICE:INODE, as systemd.exec(5) has it.
std::string JournalStream(int fd) {
  struct stat facts {};
  EXPECT_EQ(fstat(fd, &facts), 0);
  return "JOURNAL_STREAM=" + std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino);
}

// Puts the passed descriptors to 3 and on, none over another that is still to be moved.
void PassDescriptors(Image* image) {
  for (int& fd : image->passed) fd = fcntl(fd, F_DUPFD_CLOEXEC, kBehindPassed);
  int place = kFirstPassed;
  for (const int fd : image->passed) dup2(fd, place++);
  if (image->own_pid != nullptr) {
    *std::to_chars(image->own_pid, image->own_pid + kLongestPid - 1, getpid()).ptr = '\0';
  }
}

[[noreturn]] void Become(const ProcessSetup& setup, Image* image, int in, int out, int err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (setup.open_files != 0) {
    const rlimit limit{setup.open_files, setup.open_files};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (!setup.folder.empty() && chdir(setup.folder.c_str()) != 0) {
    _exit(126);
  }
  if (setup.obeys_modes) {  // fails where there is no such right to drop
    prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
    prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH);
  }
  if (setup.own_network && unshare(CLONE_NEWNET) != 0 &&
      unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
    _exit(126);
  }
  if (!MakeMounts(setup)) {
    _exit(126);
  }
  std::signal(SIGPIPE, SIG_DFL);  // the test may ignore it
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  PassDescriptors(image);
  execve(image->argv[0], image->argv.data(), image->envp.data());
  _exit(127);
}

int Milliseconds(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

}  // namespace

bool MayMount() {
  const pid_t child = fork();
  if (child == 0) {
    _exit(unshare(CLONE_NEWNS) == 0 ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Process::Process(const ProcessSetup& setup) {
  Image image;
  image.arguments = setup.arguments;
  image.environment = Environment(setup);
  const FileDescriptor input = InputOf(setup.input);
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) {
    ADD_FAILURE() << "pipe: " << std::strerror(errno);
    return;
  }
  if (setup.stderr_is_journal) {
    image.environment.push_back(JournalStream(err[1]));
  }
  AddPassed(setup, &image);
  image.argv = Pointers(&image.arguments);
  image.envp = Pointers(&image.environment);
  pid_ = fork();
  if (pid_ == 0) {
    Become(setup, &image, input.get(), out[1], err[1]);
  }
  close(out[1]);
  close(err[1]);
  end_.Reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  EXPECT_TRUE(end_) << "pidfd_open: " << std::strerror(errno);
  reader_ = std::thread([this, from = out[0], errors = err[0]] { Capture(from, errors); });
}

Process::~Process() {
  if (pid_ > 0 && !status_) {
    Signal(SIGKILL);
    Wait();
  }
  if (reader_.joinable()) {
    reader_.join();
  }
}

void Process::Signal(int signal) const { kill(pid_, signal); }

std::optional<int> Process::Wait(std::chrono::milliseconds patience) {
  if (status_) {
    return status_;
  }
  const Clock::time_point deadline = Clock::now() + patience;
  pollfd entry{end_.get(), POLLIN, 0};
  while (poll(&entry, 1, Milliseconds(deadline)) < 0 && errno == EINTR) {
  }
  int status = 0;
  if (entry.revents == 0 || waitpid(pid_, &status, 0) != pid_) {
    return std::nullopt;
  }
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::unique_lock lock(mutex_);
  grown_.wait_for(lock, kPatience, [this] { return drained_; });
  return status_;
}

std::string Process::Output() {
  const std::lock_guard lock(mutex_);
  return output_;
}

std::string Process::Errors() {
  const std::lock_guard lock(mutex_);
  return errors_;
}

bool Process::WaitForError(std::string_view text, size_t from, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto holds = [&] { return errors_.find(text, from) != std::string::npos; };
  grown_.wait_for(lock, patience, [&] { return drained_ || holds(); });
  return holds();
}

void Process::Capture(int output, int errors) {
  std::array<pollfd, 2> entries{pollfd{output, POLLIN, 0}, pollfd{errors, POLLIN, 0}};
  std::array<std::string*, 2> texts{&output_, &errors_};
  std::array<char, 16384> part{};
  while (entries[0].fd >= 0 || entries[1].fd >= 0) {
    if (poll(entries.data(), entries.size(), -1) < 0) {
      continue;
    }
    for (size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].revents == 0) {
        continue;
      }
      const ssize_t got = read(entries[i].fd, part.data(), part.size());
      if (got <= 0) {
        close(entries[i].fd);
        entries[i].fd = -1;
        continue;
      }
      const std::lock_guard lock(mutex_);
      texts[i]->append(part.data(), static_cast<size_t>(got));
      grown_.notify_all();
    }
  }
  const std::lock_guard lock(mutex_);
  drained_ = true;
  grown_.notify_all();
}

Outcome RunQuipd(const std::vector<std::string>& arguments, ProcessSetup setup) {
  setup.arguments = {QUIPD_BINARY};
  setup.arguments.insert(setup.arguments.end(), arguments.begin(), arguments.end());
  Process process(setup);
  const std::optional<int> status = process.Wait();
  return {status.value_or(-1), process.Output(), process.Errors()};
}

TempFolder::TempFolder() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string(base == nullptr ? "/tmp" : base) + "/quipd-test-XXXXXX";
  EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_ << ": " << std::strerror(errno);
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::File(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

std::string TempFolder::Placed(std::string_view text) const {
  std::string placed(text);
  constexpr std::string_view kMark = "@DIR@";
  for (size_t at = placed.find(kMark); at != std::string::npos; at = placed.find(kMark, at)) {
    placed.replace(at, kMark.size(), path_);
  }
  return placed;
}

void TempFolder::Write(std::string_view name, std::string_view text) const {
  const std::string path = File(name);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  const std::string draft = path + ".new~";
  std::ofstream(draft, std::ios::binary) << Placed(text);
  EXPECT_EQ(rename(draft.c_str(), path.c_str()), 0) << path << ": " << std::strerror(errno);
}

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool Exists(const std::string& path) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0;
}

}  // namespace quipd::test
