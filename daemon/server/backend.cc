// SPDX-License-Identifier: MIT
#include "server/backend.h"

#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/handle.h"
#include "server/event_handles.h"
#include "server/reflect.h"
#include "server/reply.h"

namespace quipd::server {
namespace {

constexpr int kBacklog = 4096;
constexpr uint64_t kLeastHeadLimit = 64 * 1024;
constexpr uint64_t kMostLimit = INT64_MAX;  // of what evhttp can be told
constexpr timeval kAcceptPause = {0, 100'000};

// All that evhttp 2.1 knows by name. Others are refused by it, and go over the relay as POST.
constexpr ev_uint16_t kKnownMethods = EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD |
                                      EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS |
                                      EVHTTP_REQ_TRACE | EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH;

struct Address {
  sockaddr_un name{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

// An abstract address: it has no file, and ends with its socket.
Address AbstractAddress(const std::string& text) {
  Address address;
  address.name.sun_family = AF_UNIX;
  text.copy(address.name.sun_path + 1, sizeof(address.name.sun_path) - 1);
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return address;
}

FileDescriptor StreamSocket() {
  return FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

Result<FileDescriptor> ListenOn(const Address& address) {
  FileDescriptor socket = StreamSocket();
  if (!socket || bind(socket.get(), address.get(), address.length) != 0 ||
      listen(socket.get(), kBacklog) != 0) {
    const int error = errno;
    return Fail(std::string("listening on the relay's socket: ") + std::strerror(error));
  }
  return socket;
}

// Whether the other end of an AF_UNIX connection was opened by this process.
bool IsOfThisProcess(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.pid == getpid() && peer.uid == geteuid();
}

ev_ssize_t ToLimit(uint64_t bytes) { return static_cast<ev_ssize_t>(std::min(bytes, kMostLimit)); }

}  // namespace

Handler BuiltInHandler(config::Action action) {
  switch (action) {
    case config::Action::kReflect:
      return Reflect;
    default:
      return nullptr;
  }
}

struct Backend::Impl {
  Impl(event_base* loop, const Exchanges* under_way, HandlerOf handlers)
      : base(loop), exchanges(under_way), handler_of(handlers) {}
  ~Impl() {
    http.reset();
    *alive = false;
    for (bufferevent* accepted : unchecked) bufferevent_decref(accepted);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] bool Listen(uint64_t body);
  void Configure();
  void Dispatch(evhttp_request* request) const;
  void CutForeign();

  static void OnRequest(evhttp_request* request, void* self) noexcept;
  static bufferevent* OnAccept(event_base* base, void* self) noexcept;
  static void OnCheck(evutil_socket_t fd, short what, void* self) noexcept;
  static void OnAcceptError(evconnlistener* listener, void* self) noexcept;
  static void OnResume(evutil_socket_t fd, short what, void* self) noexcept;

  event_base* base;
  const Exchanges* exchanges;
  HandlerOf handler_of;
  Address address;
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  uint64_t head_limit = kLeastHeadLimit;
  uint64_t body_limit = 0;
  Event check;                           // looks at the connections in `unchecked`
  Event resume;                          // of accepting, after the system had no descriptor left
  std::vector<bufferevent*> unchecked;   // accepted in this turn of the loop; a reference of each
  evhttp_bound_socket* bound = nullptr;  // evhttp's
  Handle<evhttp, evhttp_free> http;
};

void Backend::Impl::Configure() {
  evhttp_set_allowed_methods(http.get(), kKnownMethods);
  evhttp_set_default_content_type(http.get(), nullptr);
  evhttp_set_max_headers_size(http.get(), ToLimit(head_limit));
  evhttp_set_max_body_size(http.get(), ToLimit(body_limit));
}

// evhttp tells of a new connection before it has the descriptor, so the look at its other end
// follows in the same turn of the loop, before a byte was read.
bufferevent* Backend::Impl::OnAccept(event_base* base, void* self) noexcept {
  auto* const impl = static_cast<Impl*>(self);
  bufferevent* const connection = bufferevent_socket_new(base, -1, 0);
  if (connection == nullptr) return nullptr;
  try {
    impl->unchecked.push_back(connection);
    bufferevent_incref(connection);
    event_active(impl->check.get(), EV_TIMEOUT, 0);
  } catch (...) {
    // Out of memory: the handler still checks each request.
  }
  return connection;
}

void Backend::Impl::CutForeign() {
  for (bufferevent* connection : unchecked) {
    const evutil_socket_t fd = bufferevent_getfd(connection);
    // evhttp reads the end and frees the connection.
    if (fd >= 0 && !IsOfThisProcess(fd)) shutdown(fd, SHUT_RDWR);
    bufferevent_decref(connection);
  }
  unchecked.clear();
}

void Backend::Impl::OnCheck(evutil_socket_t /*fd*/, short /*what*/, void* self) noexcept {
  static_cast<Impl*>(self)->CutForeign();
}

// Without a free descriptor the listening socket stays readable: wait, rather than spin.
void Backend::Impl::OnAcceptError(evconnlistener* listener, void* self) noexcept {
  evconnlistener_disable(listener);
  event_add(static_cast<Impl*>(self)->resume.get(), &kAcceptPause);
}

void Backend::Impl::OnResume(evutil_socket_t /*fd*/, short /*what*/, void* self) noexcept {
  evconnlistener_enable(evhttp_bound_socket_get_listener(static_cast<Impl*>(self)->bound));
}

void Backend::Impl::OnRequest(evhttp_request* request, void* self) noexcept {
  try {
    static_cast<Impl*>(self)->Dispatch(request);
  } catch (...) {
    // The Reply that the exception has dropped answered 500.
  }
}

void Backend::Impl::Dispatch(evhttp_request* request) const {
  evhttp_connection* const connection = evhttp_request_get_connection(request);
  const evutil_socket_t fd = bufferevent_getfd(evhttp_connection_get_bufferevent(connection));
  const char* const id =
      evhttp_find_header(evhttp_request_get_input_headers(request), kExchangeField.data());
  std::shared_ptr<const Exchange> exchange =
      id != nullptr && IsOfThisProcess(fd) ? exchanges->Find(id) : nullptr;
  Reply reply(request, exchange, alive);
  if (exchange == nullptr) return reply.Send(403, {}, {});
  const config::Rule& rule = exchange->site->config().rules.at(exchange->rule);
  const Handler handler = handler_of(rule.answer.action);
  if (handler == nullptr) return reply.SendFault(500);
  handler(std::move(reply));
}

bool Backend::Impl::Listen(uint64_t body) {
  body_limit = body;
  check.reset(event_new(base, -1, 0, OnCheck, this));
  resume.reset(event_new(base, -1, 0, OnResume, this));
  http.reset(evhttp_new(base));
  if (check == nullptr || resume == nullptr || http == nullptr) return false;
  Configure();
  evhttp_set_gencb(http.get(), OnRequest, this);
  evhttp_set_bevcb(http.get(), OnAccept, this);
  return true;
}

Result<std::unique_ptr<Backend>> Backend::Create(event_base* base, const Exchanges* exchanges,
                                                 HandlerOf handler_of, uint64_t body_limit) {
  auto impl = std::make_unique<Impl>(base, exchanges, handler_of);
  Result<std::string> token = RandomToken();
  if (!token) return tl::unexpected(std::move(token.error()));
  impl->address = AbstractAddress("quipd-relay-" + *token);
  Result<FileDescriptor> socket = ListenOn(impl->address);
  if (!socket) return tl::unexpected(std::move(socket.error()));
  if (!impl->Listen(body_limit)) return Fail("creating the relay's server: out of memory");
  impl->bound = evhttp_accept_socket_with_handle(impl->http.get(), socket->get());
  if (impl->bound == nullptr) return Fail("creating the relay's listener: out of memory");
  (void)socket->Release();
  evconnlistener_set_error_cb(evhttp_bound_socket_get_listener(impl->bound), Impl::OnAcceptError);
  return std::unique_ptr<Backend>(new Backend(std::move(impl)));
}

Backend::Backend(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Backend::~Backend() = default;

FileDescriptor Backend::Connect() const {
  FileDescriptor socket = StreamSocket();
  if (socket && connect(socket.get(), impl_->address.get(), impl_->address.length) != 0) {
    socket.Reset();
  }
  return socket;
}

bool Backend::MakeRoom(uint64_t head_bytes, uint64_t body_bytes) {
  if (head_bytes <= impl_->head_limit && body_bytes <= impl_->body_limit) return false;
  impl_->head_limit = std::max(head_bytes, impl_->head_limit);
  impl_->body_limit = std::max(body_bytes, impl_->body_limit);
  impl_->Configure();
  return true;
}

}  // namespace quipd::server
