// SPDX-License-Identifier: MIT
// The address a connection came from, kept small: text is made when it is asked for.
// Plain data; thread-safe as such.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sockaddr;

namespace quipd::server {

class Peer {
 public:
  Peer() = default;
  explicit Peer(const sockaddr* address);
  // The bytes of an address of AF_INET (4) or AF_INET6 (16); AF_UNIX has none.
  [[nodiscard]] static Peer OfBytes(int family, std::string_view bytes);
  // An address in text, without port; none where it is no address of that family.
  [[nodiscard]] static std::optional<Peer> Parse(std::string_view text, int family);

  // Without port: "192.0.2.1", "2001:db8::1"; an IPv4 address that came in by IPv6 as IPv4; of a
  // unix socket "unix".
  [[nodiscard]] std::string Text() const;
  // The same, quickly, where there are kLongestText bytes; where it ends.
  [[nodiscard]] char* WriteTo(char* out) const;
  static constexpr size_t kLongestText = 46;

  // AF_INET, AF_INET6 or AF_UNIX; an IPv4 address that came in by IPv6 is one of AF_INET.
  [[nodiscard]] int family() const { return family_; }
  // In the order of the network; of AF_INET the first four.
  [[nodiscard]] const std::array<unsigned char, 16>& bytes() const { return bytes_; }

  bool operator==(const Peer&) const = default;

 private:
  std::array<unsigned char, 16> bytes_{};
  uint16_t family_ = 0;  // AF_*
};

}  // namespace quipd::server
