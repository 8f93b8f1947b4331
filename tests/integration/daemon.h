// SPDX-License-Identifier: MIT
// The real binary with a configuration of the test's, in a folder of its own. It listens on ports
// that the system chose; when it is ready, where it listens and how a reload ended it tells by its
// service notifications, for which the test plays the service manager. So no test sleeps.
//
// The daemon must end with status 0: the destructor stops it and fails the test otherwise, also
// where a sanitizer found something. One thread.
#pragma once

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/client.h"
#include "client/journal_socket.h"
#include "integration/process.h"

namespace quipd::test {

// One datagram of sd_notify(3).
struct Notice {
  bool ready = false;
  bool reloading = false;
  bool stopping = false;
  std::string status;
  std::vector<std::string> listening;  // QUIPD_LISTENING: the bound addresses, in order
  uint64_t generation = 0;             // QUIPD_GENERATION
  std::string reload;                  // QUIPD_RELOAD: "ok", "failed"
  std::string text;                    // as it came
};

struct DaemonSetup {
  // quipd.yaml, with "@DIR@" for the folder; empty: none is written, and no -c is given.
  std::string config = {};
  std::vector<std::pair<std::string, std::string>> files = {};  // beside it: name, text
  std::vector<std::string> arguments = {};                      // behind "run -c .../quipd.yaml"
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool obeys_modes = false;
  bool own_network = false;
  std::vector<Mount> mounts = {};  // "@DIR@" for the folder
  bool stderr_is_journal = false;
  std::vector<PassedDescriptor> passed = {};
  bool journal = false;  // /run is the test's, with a journal that the test hears; wants MayMount
};

// A plain listener, then one over TLS.
inline constexpr const char* kPlainAndTls =
    "listen:\n"
    "  - 127.0.0.1:0\n"
    "  - {address: 127.0.0.1:0, name: secure,"
    " tls: {certificate: certificate.pem, key: key.pem}}\n";
// The certificate that kPlainAndTls speaks of, new each time.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> CertificateFiles();

class Daemon {
 public:
  // Starts it and waits until it is ready; a failure of the test where it does not become so.
  explicit Daemon(const DaemonSetup& setup);
  explicit Daemon(std::string config) : Daemon(DaemonSetup{.config = std::move(config)}) {}
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] pid_t pid() const { return process_->pid(); }
  [[nodiscard]] const TempFolder& folder() const { return folder_; }
  [[nodiscard]] const std::vector<std::string>& listening() const { return listening_; }
  [[nodiscard]] std::string address(size_t index = 0) const;
  [[nodiscard]] Client Connect(int receive_buffer = 0) const {
    return Client(address(), receive_buffer);
  }

  // Of one that listens as kPlainAndTls says.
  [[nodiscard]] Endpoint PlainEndpoint() const { return {"plain", address(0), std::nullopt}; }
  [[nodiscard]] Endpoint TlsEndpoint() const {
    return {"TLS", address(1), TlsOptions{.trusted = folder_.File("certificate.pem")}};
  }

  // Replaces quipd.yaml, or another file beside it.
  void Configure(std::string_view text) { folder_.Write("quipd.yaml", text); }
  void Write(std::string_view name, std::string_view text) { folder_.Write(name, text); }

  // SIGHUP, and how the reload ended.
  Notice Reload();
  // The next notification that a reload has ended.
  Notice AwaitReload();
  // The next notification of any kind; none where none comes in time or the daemon has ended.
  std::optional<Notice> NextNotice(std::chrono::milliseconds patience = kPatience);

  void Signal(int signal) const { process_->Signal(signal); }
  // Waits for its end; the exit status, -1 where it runs on (it is killed then).
  int Wait(std::chrono::milliseconds patience = kPatience);
  // The signal, then Wait.
  int Stop(int signal = SIGTERM);

  // The next entry of the journal, and the next one that holds that text in its message.
  std::optional<JournalFields> NextEntry(std::chrono::milliseconds patience = kPatience) {
    return NextJournalEntry(journal_, patience);
  }
  std::optional<JournalFields> NextEntryWith(std::string_view text);

  [[nodiscard]] std::string Log() { return process_->Errors(); }
  // A path as the daemon sees it, whatever is mounted there for it.
  [[nodiscard]] std::string Seen(const std::string& path) const {
    return "/proc/" + std::to_string(pid()) + "/root" + path;
  }
  [[nodiscard]] std::string Output() { return process_->Output(); }
  [[nodiscard]] bool WaitForLog(std::string_view text, size_t from = 0) {
    return process_->WaitForError(text, from);
  }

  // Facts of /proc.
  [[nodiscard]] std::chrono::milliseconds CpuTime() const;
  [[nodiscard]] size_t ResidentBytes() const;
  // Descriptors; for a moment behind the start one more than later.
  [[nodiscard]] size_t OpenFiles() const;
  // Established connections to one of its addresses, which is one of IPv4.
  [[nodiscard]] size_t Connections(size_t index = 0) const;

 private:
  TempFolder folder_;
  FileDescriptor notify_;
  FileDescriptor journal_;
  std::unique_ptr<Process> process_;
  std::vector<std::string> listening_;
  bool ready_ = false;
  bool ended_ = false;
};

// True as soon as `holds` does, asked every few milliseconds; false after that time. For what no
// event tells, such as a file of /proc.
template <typename Predicate>
[[nodiscard]] bool Eventually(Predicate holds, std::chrono::milliseconds patience = kPatience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// What the memory of a sanitizer's build says is of no use.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
// What a daemon may grow by and still be said not to have grown: AddressSanitizer keeps 256 MiB of
// what was freed.
inline constexpr size_t kMemorySlack = size_t{kSanitized ? 320 : 8} * 1024 * 1024;

}  // namespace quipd::test
