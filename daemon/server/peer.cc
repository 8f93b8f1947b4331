// SPDX-License-Identifier: MIT
#include "server/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <cstddef>
#include <cstring>

namespace quipd::server {

Peer::Peer(const sockaddr* address) : family_(address->sa_family) {
  if (family_ == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    std::memcpy(bytes_.data(), &in.sin_addr, sizeof in.sin_addr);
  } else if (family_ == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, address, sizeof in);
    if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
      family_ = AF_INET;
      std::memcpy(bytes_.data(), &in.sin6_addr.s6_addr[12], 4);
    } else {
      std::memcpy(bytes_.data(), &in.sin6_addr, sizeof in.sin6_addr);
    }
  }
}

Peer Peer::OfBytes(int family, std::string_view bytes) {
  sockaddr_storage address{};
  address.ss_family = static_cast<sa_family_t>(family);
  char* const out = reinterpret_cast<char*>(&address);
  if (family == AF_INET) bytes.copy(out + offsetof(sockaddr_in, sin_addr), 4);
  if (family == AF_INET6) bytes.copy(out + offsetof(sockaddr_in6, sin6_addr), 16);
  return Peer(reinterpret_cast<const sockaddr*>(&address));
}

std::optional<Peer> Peer::Parse(std::string_view text, int family) {
  std::array<char, kLongestText> copy{};
  std::array<char, 16> bytes{};
  if (text.size() >= copy.size() || text.find('\0') != text.npos) return std::nullopt;
  text.copy(copy.data(), text.size());
  if (inet_pton(family, copy.data(), bytes.data()) != 1) return std::nullopt;
  return OfBytes(family, {bytes.data(), bytes.size()});
}

std::string Peer::Text() const {
  char text[kLongestText];
  const auto length = static_cast<size_t>(WriteTo(text) - text);
  return {text, length};
}

char* Peer::WriteTo(char* out) const {
  static_assert(kLongestText >= INET6_ADDRSTRLEN);
  if (family_ == AF_INET) {
    for (size_t i = 0; i < 4; ++i) {
      if (i > 0) *out++ = '.';
      out = std::to_chars(out, out + 3, bytes_[i]).ptr;
    }
    return out;
  }
  if (family_ == AF_INET6) {
    return inet_ntop(AF_INET6, bytes_.data(), out, kLongestText) != nullptr ? out + std::strlen(out)
                                                                            : out;
  }
  std::memcpy(out, "unix", 4);
  return out + 4;
}

}  // namespace quipd::server
