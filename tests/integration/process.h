// SPDX-License-Identifier: MIT
// A child process of a test, its output captured while it runs. Every wait has a deadline, and the
// child is killed with its owner, so that no test hangs or leaves one behind.
//
// A thread of its own reads the output; all functions may be called from one thread at a time.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "client/client.h"

namespace quipd::test {

// A descriptor that the child gets as the service manager would pass it (sd_listen_fds(3)).
struct PassedDescriptor {
  std::string name;
  int fd = -1;  // stays the test's
};

// Laid over a path for the child alone.
struct Mount {
  std::string path;
  std::string folder = {};   // another place of the file system; empty: memory (tmpfs)
  std::string options = {};  // of tmpfs, such as "size=64k"
  bool read_only = false;
};

// Whether this process may mount for a child. A test that does begins with
// `if (!MayMount()) GTEST_SKIP() << kMayNotMount;`.
[[nodiscard]] bool MayMount();
inline constexpr const char* kMayNotMount = "a mount namespace needs CAP_SYS_ADMIN";

struct ProcessSetup {
  std::vector<std::string> arguments;                            // the program's path first
  std::vector<std::pair<std::string, std::string>> environment;  // laid over the test's
  std::string input;                                             // on standard input
  std::string folder;                                            // to work in; empty: the test's
  rlim_t open_files = 0;                                         // RLIMIT_NOFILE; 0: the test's
  bool obeys_modes = false;  // root's right to read every file is taken from it
  bool own_network = false;  // in a network of its own, loopback alone; fails where not permitted
  std::vector<Mount> mounts = {};  // in a mount namespace of its own
  bool stderr_is_journal = false;  // JOURNAL_STREAM names its standard error
  // LISTEN_FDS, LISTEN_FDNAMES and LISTEN_PID speak of them where `environment` doesn't.
  std::vector<PassedDescriptor> passed = {};
};

class Process {
 public:
  explicit Process(const ProcessSetup& setup);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Readable once the child has ended.
  [[nodiscard]] int end_fd() const { return end_.get(); }

  void Signal(int signal) const;
  // The exit status, 128 + N where a signal N ended it; none where it runs on after that time.
  std::optional<int> Wait(std::chrono::milliseconds patience = kPatience);

  // What it has written so far; all of it after Wait.
  [[nodiscard]] std::string Output();
  [[nodiscard]] std::string Errors();
  // Waits until its standard error holds that text from byte `from` on.
  [[nodiscard]] bool WaitForError(std::string_view text, size_t from = 0,
                                  std::chrono::milliseconds patience = kPatience);

 private:
  void Capture(int output, int errors);

  pid_t pid_ = -1;
  FileDescriptor end_;
  std::optional<int> status_;
  std::thread reader_;
  std::mutex mutex_;
  std::condition_variable grown_;
  std::string output_;    // protected by mutex_
  std::string errors_;    // protected by mutex_
  bool drained_ = false;  // protected by mutex_
};

struct Outcome {
  int status = -1;  // -1: killed, as it took too long
  std::string output;
  std::string errors;
};

// Runs quipd with these arguments to its end.
[[nodiscard]] Outcome RunQuipd(const std::vector<std::string>& arguments, ProcessSetup setup = {});

// A folder that is removed, with all in it, with its owner.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string File(std::string_view name) const;
  // The text with the folder's path for each "@DIR@".
  [[nodiscard]] std::string Placed(std::string_view text) const;
  // Writes a file as an editor does: whole under another name, then renamed. "@DIR@" in the text
  // stands for the folder's path.
  void Write(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
};

// A whole file; empty where it can't be read.
[[nodiscard]] std::string ReadWhole(const std::string& path);
[[nodiscard]] bool Exists(const std::string& path);

}  // namespace quipd::test
