// SPDX-License-Identifier: MIT
#include "server/proxy_header.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proxy_samples.h"

namespace quipd::server {
namespace {

using State = ProxyHeader::State;

std::string Client(const ProxyHeader& header) {
  return header.client ? header.client->Text() : "the socket's";
}

struct Good {
  std::string header;
  const char* client;
};

std::vector<Good> GoodHeaders() {
  constexpr const char* kSocket = "the socket's";
  return {
      {"PROXY TCP4 192.0.2.7 198.51.100.1 1234 443\r\n", "192.0.2.7"},
      {"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255"},
      {"PROXY TCP4 0.0.0.0 0.0.0.0 0 0\r\n", "0.0.0.0"},
      {"PROXY TCP6 2001:db8::7 2001:db8::1 1234 443\r\n", "2001:db8::7"},
      {"PROXY TCP6 ::ffff:203.0.113.9 ::1 1 2\r\n", "203.0.113.9"},
      {"PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
       "65535 65535\r\n",
       "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
      {"PROXY UNKNOWN\r\n", kSocket},
      {"PROXY UNKNOWN anything at all \x01\xFF\r\n", kSocket},
      // The longest line that the protocol knows: 107 bytes.
      {"PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
       "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
       kSocket},
      {Binary(0x21, 0x11, kInetAddresses), "192.0.2.7"},
      {Binary(0x21, 0x12, kInetAddresses), "192.0.2.7"},
      {Binary(0x21, 0x21, kInet6Addresses), "2001:db8::7"},
      {Binary(0x21, 0x21, kMappedAddresses), "203.0.113.9"},
      {Binary(0x21, 0x31, std::string(216, 'p')), "unix"},
      {Binary(0x21, 0x11, kInetAddresses + Bytes({3, 0, 4, 1, 2, 3, 4})), "192.0.2.7"},
      {Binary(0x21, 0x11, kInetAddresses + std::string(65535 - 12, '\xFF')), "192.0.2.7"},
      {Binary(0x20, 0x00, ""), kSocket},
      {Binary(0x20, 0x11, kInetAddresses), kSocket},
      {Binary(0x20, 0xFF, "whatever"), kSocket},
      {Binary(0x21, 0x00, ""), kSocket},
      {Binary(0x21, 0x01, "tlvs"), kSocket},
      {Binary(0x21, 0x10, kInetAddresses), kSocket},
  };
}

// Whatever stands behind it, a header says the same; before what it says is here, it is incomplete.
TEST(ProxyHeader, IsReadExactly) {
  for (const auto& [header, client] : GoodHeaders()) {
    SCOPED_TRACE(header.substr(0, 120));
    for (const char* behind : {"", "GET / HTTP/1.1\r\n", "\n", "PROXY UNKNOWN\r\n"}) {
      const std::string input = header + behind;
      const ProxyHeader whole = ParseProxyHeader(input);
      ASSERT_EQ(whole.state, State::kKnown);
      EXPECT_EQ(whole.length, header.size());
      EXPECT_EQ(Client(whole), client);
    }
    bool known = false;
    for (size_t size = 0; size < std::min(header.size(), kProxyHeaderStart + 8); ++size) {
      const std::vector<char> exact(header.begin(), header.begin() + static_cast<ptrdiff_t>(size));
      const ProxyHeader part = ParseProxyHeader({exact.data(), exact.size()});
      if (part.state == State::kMore) {
        EXPECT_FALSE(known) << size;
        EXPECT_LT(size, kProxyHeaderStart);
        continue;
      }
      known = true;
      ASSERT_EQ(part.state, State::kKnown) << size;
      EXPECT_EQ(part.length, header.size());
      EXPECT_EQ(Client(part), client);
    }
  }
}

TEST(ProxyHeader, IsRefused) {
  const std::string bad[] = {
      "GET / HTTP/1.1\r\n",
      std::string("\x16\x03\x01\x02", 4),
      "proxy TCP4 192.0.2.7 198.51.100.1 1234 443\r\n",
      "PROXY\r\n",
      "PROXY \r\n",
      "PROXYTCP4",
      "PROXY TCP4\r\n",
      "PROXY TCP5 192.0.2.7 198.51.100.1 1234 443\r\n",
      "PROXY UDP4 192.0.2.7 198.51.100.1 1234 443\r\n",
      "PROXY UNKNOWNED\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1234 443\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1234 443\r \n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 12\r34 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1234\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1234 443 \r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1234 443 1\r\n",
      "PROXY TCP4  192.0.2.7 198.51.100.1 1234 443\r\n",
      "PROXY TCP4\t192.0.2.7 198.51.100.1 1234 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 -1 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 01 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1 x\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1 \r\n",
      "PROXY TCP4 192.0.2.256 198.51.100.1 1 2\r\n",
      "PROXY TCP4 192.0.2.07 198.51.100.1 1 2\r\n",
      "PROXY TCP4 192.0.2.7 localhost 1 2\r\n",
      "PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n",
      "PROXY TCP6 192.0.2.7 198.51.100.1 1 2\r\n",
      "PROXY TCP6 2001:db8::7%eth0 2001:db8::1 1 2\r\n",
      std::string("PROXY TCP4 192.0.2.7\0 198.51.100.1 1 2\r\n", 40),
      "PROXY UNKNOWN " + std::string(107 - 14 - 1, 'x') + "\r\n",
      "PROXY UNKNOWN " + std::string(107 - 14, 'x'),
      "\r\n\r\n" + std::string(1, '\0') + "\r\nQUIP\n",
      "\r\nGET",
      Binary(0x11, 0x11, kInetAddresses),
      Binary(0x31, 0x11, kInetAddresses),
      Binary(0x22, 0x11, kInetAddresses),
      Binary(0x21, 0x13, kInetAddresses),
      Binary(0x21, 0x41, kInetAddresses),
      Binary(0x21, 0x11, 11, kInetAddresses),
      Binary(0x21, 0x21, 35, kInet6Addresses),
      Binary(0x21, 0x31, 215, std::string(216, 'p')),
      Binary(0x21, 0x11, 0, ""),
  };
  for (const std::string& one : bad) {
    SCOPED_TRACE(one);
    EXPECT_EQ(ParseProxyHeader(one).state, State::kMalformed);
    // No part of it is taken for a header.
    for (size_t size = 0; size < one.size(); ++size) {
      EXPECT_NE(ParseProxyHeader(one.substr(0, size)).state, State::kKnown) << size;
    }
  }
}

}  // namespace
}  // namespace quipd::server
