// SPDX-License-Identifier: MIT
#include "server/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/handle.h"

namespace quipd::server {
namespace {

using AddressList = Handle<addrinfo, freeaddrinfo>;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] int family() const { return storage.ss_family; }
};

tl::unexpected<Diagnostics> CannotListen(const config::Listener& listener,
                                         const std::string& reason, std::string hint = {}) {
  return Fail("listening on " + listener.written + ": " + reason, std::move(hint));
}

std::string Reason(int error) {
  if (error == EADDRINUSE) return "the address is in use";
  if (error == EACCES) return "permission denied";
  return std::strerror(error);
}

std::string HintFor(int error, const config::Listener& listener) {
  if (error == EADDRINUSE)
    return "another process listens there, or quipd by another entry of listen";
  if (error == EACCES && listener.address.family != config::ListenAddress::Family::kUnix) {
    return "a port below 1024 needs the capability CAP_NET_BIND_SERVICE";
  }
  return {};
}

int PortOf(const SocketAddress& address) {
  if (address.family() == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, &address.storage, sizeof in);
    return ntohs(in.sin_port);
  }
  sockaddr_in6 in;
  std::memcpy(&in, &address.storage, sizeof in);
  return ntohs(in.sin6_port);
}

std::string Show(const SocketAddress& address) {
  char host[NI_MAXHOST];
  if (getnameinfo(address.get(), address.size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) !=
      0) {
    return "?";
  }
  const std::string port = std::to_string(PortOf(address));
  return address.family() == AF_INET6 ? '[' + std::string(host) + "]:" + port
                                      : std::string(host) + ':' + port;
}

bool SetOption(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

// A bound socket with the options that its connections inherit; errno says why there is none.
FileDescriptor Bind(const SocketAddress& address, bool both_families, bool shared) {
  FileDescriptor socket_fd(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_fd) return socket_fd;
  bool ok = SetOption(socket_fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  ok = ok && (!shared || SetOption(socket_fd.get(), SOL_SOCKET, SO_REUSEPORT, 1));
  ok = ok && (address.family() != AF_INET6 ||
              SetOption(socket_fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, both_families ? 0 : 1));
  ok = ok && SetOption(socket_fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  ok = ok && bind(socket_fd.get(), address.get(), address.size) == 0;
  if (!ok) socket_fd.Reset();
  return socket_fd;
}

SocketAddress NameOf(int fd) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (getsockname(fd, address.get(), &address.size) != 0) address.size = 0;
  return address;
}

// The address is bound alone first: where another daemon shares it, that fails.
Result<BoundAddress> BindForWorkers(const config::Listener& listener, SocketAddress address,
                                    bool both_families, size_t workers) {
  BoundAddress bound;
  FileDescriptor alone = Bind(address, both_families, false);
  if (!alone || listen(alone.get(), listener.backlog) != 0) {
    return CannotListen(listener, Reason(errno), HintFor(errno, listener));
  }
  address = NameOf(alone.get());
  bound.shown = Show(address);
  if (workers == 1) {
    bound.sockets.push_back(std::move(alone));
    return bound;
  }
  alone.Reset();
  for (size_t i = 0; i < workers; ++i) {
    FileDescriptor shared = Bind(address, both_families, true);
    if (!shared || listen(shared.get(), listener.backlog) != 0) {
      return CannotListen(listener, Reason(errno), HintFor(errno, listener));
    }
    bound.sockets.push_back(std::move(shared));
  }
  return bound;
}

SocketAddress AnyAddress(int family, uint16_t port) {
  SocketAddress address;
  if (family == AF_INET6) {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    address.size = sizeof in;
    std::memcpy(&address.storage, &in, sizeof in);
  } else {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    address.size = sizeof in;
    std::memcpy(&address.storage, &in, sizeof in);
  }
  return address;
}

bool HasIpv6() {
  const FileDescriptor probe = Bind(AnyAddress(AF_INET6, 0), true, false);
  return static_cast<bool>(probe);
}

// A bare port: one socket for IPv6 and IPv4, or IPv4 alone where IPv6 is off.
Result<OpenListener> OpenAny(const config::Listener& listener, size_t workers) {
  const int family = HasIpv6() ? AF_INET6 : AF_INET;
  Result<BoundAddress> bound =
      BindForWorkers(listener, AnyAddress(family, listener.address.port), true, workers);
  if (!bound) return tl::unexpected(std::move(bound.error()));
  OpenListener open;
  open.addresses.push_back(std::move(*bound));
  return open;
}

Result<OpenListener> OpenInet(const config::Listener& listener, size_t workers) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(listener.address.port);
  const int error = getaddrinfo(listener.address.host.c_str(), port.c_str(), &wanted, &found);
  if (error != 0) {
    return CannotListen(listener,
                        "resolving " + listener.address.host + ": " + gai_strerror(error));
  }
  const AddressList list(found);
  OpenListener open;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    SocketAddress address;
    address.size = one->ai_addrlen;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    Result<BoundAddress> bound = BindForWorkers(listener, address, false, workers);
    if (!bound) return tl::unexpected(std::move(bound.error()));
    open.addresses.push_back(std::move(*bound));
  }
  return open;
}

// Adds that many descriptors of the socket; false where there are no more, and errno says why.
bool Share(int fd, size_t count, BoundAddress* address) {
  for (size_t i = 0; i < count; ++i) {
    address->sockets.emplace_back(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!address->sockets.back()) return false;
  }
  return true;
}

// --- Unix sockets ---

bool IsAnswered(const SocketAddress& address) {
  const FileDescriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!probe) return true;
  return connect(probe.get(), address.get(), address.size) == 0 || errno == EAGAIN;
}

// Removes a socket file that nobody answers; what else may stand there stays and is an error.
Result<void> ClearPath(const config::Listener& listener, const SocketAddress& address) {
  struct stat status;
  if (lstat(listener.address.path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return CannotListen(listener, Reason(errno));
  }
  if (!S_ISSOCK(status.st_mode)) {
    return CannotListen(listener, "a file that is no socket stands there", "it is never removed");
  }
  if (IsAnswered(address)) {
    return CannotListen(listener, "the address is in use", HintFor(EADDRINUSE, listener));
  }
  if (unlink(listener.address.path.c_str()) != 0) {
    return CannotListen(listener, "removing the stale socket: " + Reason(errno));
  }
  return {};
}

Result<OpenListener> OpenUnix(const config::Listener& listener, size_t workers) {
  const std::string& path = listener.address.path;
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  if (path.size() >= sizeof un.sun_path) {
    return CannotListen(
        listener, "the path is longer than " + std::to_string(sizeof un.sun_path - 1) + " bytes");
  }
  std::memcpy(un.sun_path, path.data(), path.size());
  SocketAddress address;
  address.size = sizeof un;
  std::memcpy(&address.storage, &un, sizeof un);
  if (Result<void> cleared = ClearPath(listener, address); !cleared) {
    return tl::unexpected(std::move(cleared.error()));
  }
  FileDescriptor bound(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!bound || bind(bound.get(), address.get(), address.size) != 0) {
    return CannotListen(listener, Reason(errno));
  }
  OpenListener open;
  open.file = SocketFile(path);
  // Nobody can connect before listen(), so the mode holds from the first connection.
  if (chmod(path.c_str(), listener.mode) != 0 || listen(bound.get(), listener.backlog) != 0) {
    return CannotListen(listener, Reason(errno));
  }
  BoundAddress where;
  where.shown = "unix:" + path;
  if (!Share(bound.get(), workers - 1, &where)) return CannotListen(listener, Reason(errno));
  where.sockets.push_back(std::move(bound));
  open.addresses.push_back(std::move(where));
  return open;
}

// --- Sockets that were passed ---

std::string ShowUnix(const SocketAddress& address) {
  constexpr size_t kPath = offsetof(sockaddr_un, sun_path);
  sockaddr_un un;
  std::memcpy(&un, &address.storage, sizeof un);
  const size_t length = address.size > kPath ? address.size - kPath : 0;
  if (length == 0) return "unix:";
  if (un.sun_path[0] == '\0') return "unix:@" + std::string(un.sun_path + 1, length - 1);
  return "unix:" + std::string(un.sun_path, strnlen(un.sun_path, length));
}

// Makes the socket as one of ours is, for all who share it.
bool MakeOurs(int fd, int family) {
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
         fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
         (family == AF_UNIX || SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1));
}

tl::unexpected<Diagnostics> NonePassed(const config::Listener& listener,
                                       const PassedSockets& passed) {
  if (!passed.fault.empty()) return CannotListen(listener, passed.fault);
  if (passed.sockets.empty()) {
    return CannotListen(listener, "no socket was passed to quipd",
                        "its socket unit must be started first: systemctl start quipd.socket");
  }
  return CannotListen(listener, "no socket of that name was passed; passed are: " + NamesOf(passed),
                      "the name is FileDescriptorName= of the socket unit");
}

Result<OpenListener> OpenPassed(const config::Listener& listener, size_t workers,
                                const PassedSockets& passed) {
  OpenListener open;
  for (const PassedSocket& one : passed.sockets) {
    if (one.name != listener.address.name) continue;
    const int fd = one.socket.get();
    const std::string why = WhyNotServed(fd);
    if (!why.empty()) {
      return CannotListen(
          listener, why,
          "the socket unit needs ListenStream= and Accept=no; passed are: " + NamesOf(passed));
    }
    const SocketAddress address = NameOf(fd);
    BoundAddress where;
    where.shown = address.family() == AF_UNIX ? ShowUnix(address) : Show(address);
    if (!MakeOurs(fd, address.family()) || !Share(fd, workers, &where)) {
      return CannotListen(listener, Reason(errno));
    }
    open.addresses.push_back(std::move(where));
  }
  if (open.addresses.empty()) return NonePassed(listener, passed);
  return open;
}

}  // namespace

SocketFile::SocketFile(std::string path) : path_(std::move(path)) {
  struct stat status;
  if (stat(path_.c_str(), &status) != 0) {
    path_.clear();
    return;
  }
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

SocketFile::SocketFile(SocketFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), device_(other.device_), inode_(other.inode_) {}

SocketFile& SocketFile::operator=(SocketFile&& other) noexcept {
  Remove();
  path_ = std::exchange(other.path_, {});
  device_ = other.device_;
  inode_ = other.inode_;
  return *this;
}

SocketFile::~SocketFile() { Remove(); }

bool SocketFile::IsOurs() const {
  struct stat status;
  return !path_.empty() && lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ &&
         status.st_ino == inode_;
}

Result<void> SocketFile::SetMode(uint32_t mode) const {
  if (!IsOurs() || chmod(path_.c_str(), mode) == 0) return {};
  return Fail("changing the mode of " + path_ + ": " + Reason(errno));
}

void SocketFile::Remove() {
  if (IsOurs()) unlink(path_.c_str());
}

Result<OpenListener> Open(const config::Listener& listener, size_t workers,
                          const PassedSockets& passed) {
  switch (listener.address.family) {
    case config::ListenAddress::Family::kAny:
      return OpenAny(listener, workers);
    case config::ListenAddress::Family::kInet:
      return OpenInet(listener, workers);
    case config::ListenAddress::Family::kUnix:
      return OpenUnix(listener, workers);
    case config::ListenAddress::Family::kSystemd:
      return OpenPassed(listener, workers, passed);
  }
  return CannotListen(listener, "unknown kind of address");
}

std::string KeyOf(const config::Listener& listener) {
  const config::ListenAddress& address = listener.address;
  switch (address.family) {
    case config::ListenAddress::Family::kAny:
      return "port " + std::to_string(address.port);
    case config::ListenAddress::Family::kInet:
      return "inet " + address.host + ' ' + std::to_string(address.port);
    case config::ListenAddress::Family::kUnix:
      return "unix " + address.path;
    case config::ListenAddress::Family::kSystemd:
      return KeyOfPassed(address.name);
  }
  return {};
}

std::string KeyOfPassed(std::string_view name) { return std::string("systemd ").append(name); }

}  // namespace quipd::server
