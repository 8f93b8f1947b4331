// SPDX-License-Identifier: MIT
// The address a connection came from, kept small: text is made when it is asked for.
// Plain data; thread-safe as such.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

struct sockaddr;

namespace quipd::server {

class Peer {
 public:
  Peer() = default;
  explicit Peer(const sockaddr* address);

  // Without port: "192.0.2.1", "2001:db8::1"; an IPv4 address that came in by IPv6 as IPv4; of a
  // unix socket "unix".
  [[nodiscard]] std::string Text() const;
  // The same, quickly, where there are kLongestText bytes; where it ends.
  [[nodiscard]] char* WriteTo(char* out) const;
  static constexpr size_t kLongestText = 46;

 private:
  std::array<unsigned char, 16> bytes_{};
  uint16_t family_ = 0;  // AF_*
};

}  // namespace quipd::server
