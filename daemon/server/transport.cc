// SPDX-License-Identifier: MIT
#include "server/transport.h"

#include <event2/buffer.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include <array>

namespace quipd::server {

ssize_t Transport::Write(std::string_view first, std::string_view second) {
  if (tls_ != nullptr) [[unlikely]]
    return tls_->Write(first, second);
  std::array<iovec, 2> parts{{{const_cast<char*>(first.data()), first.size()},
                              {const_cast<char*>(second.data()), second.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
}

ssize_t Transport::Write(evbuffer* buffer) {
  if (tls_ != nullptr) [[unlikely]]
    return tls_->Write(buffer);
  return evbuffer_write(buffer, socket_.get());
}

ssize_t Transport::WriteFile(int file, uint64_t offset, size_t size) {
  if (tls_ != nullptr) [[unlikely]]
    return tls_->WriteFile(file, offset, size);
  auto position = static_cast<off_t>(offset);
  return sendfile(socket_.get(), file, &position, size);
}

void Transport::DropUntaken() {
  const linger none{1, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

}  // namespace quipd::server
