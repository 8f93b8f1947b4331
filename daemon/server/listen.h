// SPDX-License-Identifier: MIT
// Opening the sockets of one entry of `listen`: one for each worker and address, so that the kernel
// spreads the connections (SO_REUSEPORT), after the address was bound once without sharing, so that
// a second daemon on it is refused. Of a unix socket, and of one that was passed, the workers share
// the one there is. Called by the supervisor's thread alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/file_descriptor.h"
#include "config/config.h"
#include "server/passed_sockets.h"

namespace quipd::server {

// One bound address.
struct BoundAddress {
  std::string shown;                    // "127.0.0.1:8080", "[::]:8080", "unix:/run/x.sock"
  std::vector<FileDescriptor> sockets;  // one for each worker, listening; taken by the workers
};

// The path of a unix socket that we made; removed with it, unless it is another's by now.
class SocketFile {
 public:
  SocketFile() = default;
  explicit SocketFile(std::string path);
  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&& other) noexcept;
  ~SocketFile();

  // Changes who may connect; nothing where it isn't ours (any more), or there is none.
  Result<void> SetMode(uint32_t mode) const;

 private:
  [[nodiscard]] bool IsOurs() const;
  void Remove();

  std::string path_;  // empty: none
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
};

struct OpenListener {
  std::vector<BoundAddress> addresses;  // several where a name resolves to several
  SocketFile file;
};

// Binds and listens, or takes every socket of that name out of `passed`, which stays open. The
// error names the address as written and the reason.
[[nodiscard]] Result<OpenListener> Open(const config::Listener& listener, size_t workers,
                                        const PassedSockets& passed = {});

// What tells one listener from another: listeners with equal keys share their sockets over a
// reload.
[[nodiscard]] std::string KeyOf(const config::Listener& listener);
// The same of a listener at passed sockets.
[[nodiscard]] std::string KeyOfPassed(std::string_view name);

}  // namespace quipd::server
