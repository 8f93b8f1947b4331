// SPDX-License-Identifier: MIT
// Headers of the PROXY protocol, made by hand.
#pragma once

#include <string>
#include <string_view>

namespace quipd::server {

inline std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

// Of version 2: with `length` as it says, and what follows.
inline std::string Binary(int command, int family, size_t length, std::string_view behind) {
  return "\r\n\r\n" + std::string(1, '\0') + "\r\nQUIT\n" +
         Bytes({command, family, static_cast<int>(length >> 8), static_cast<int>(length & 0xFF)}) +
         std::string(behind);
}
inline std::string Binary(int command, int family, std::string_view behind) {
  return Binary(command, family, behind.size(), behind);
}

// 192.0.2.7:1234 to 198.51.100.1:443.
inline const std::string kInetAddresses =
    Bytes({192, 0, 2, 7, 198, 51, 100, 1, 1234 >> 8, 1234 & 0xFF, 443 >> 8, 443 & 0xFF});

// [2001:db8::7]:1234 to [2001:db8::1]:443.
inline const std::string kInet6Addresses =
    Bytes({0x20,      1,           0xD,      0xB8,      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7,  //
           0x20,      1,           0xD,      0xB8,      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,  //
           1234 >> 8, 1234 & 0xFF, 443 >> 8, 443 & 0xFF});

// 203.0.113.9 as IPv6.
inline const std::string kMappedAddresses =
    Bytes({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 203, 0, 113, 9}) + std::string(20, '\x01');

}  // namespace quipd::server
