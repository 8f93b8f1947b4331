// SPDX-License-Identifier: MIT
// The PROXY protocol's header: once something is known of the beginning of an input, nothing that
// follows changes it; a line says what its words say, read slowly, and a binary header what its
// bytes say; who is incomplete is short.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "server/proxy_header.h"

namespace quipd::server {
namespace {

using State = ProxyHeader::State;

bool Same(const ProxyHeader& a, const ProxyHeader& b) {
  return a.state == b.state && a.length == b.length && a.client == b.client;
}

void CheckLine(std::string_view header, const ProxyHeader& parsed) {
  Check(header.size() <= 107 && header.ends_with("\r\n") && header.find('\n') + 1 == header.size());
  std::vector<std::string> words;
  std::istringstream line(std::string(header.substr(0, header.size() - 2)));
  for (std::string word; std::getline(line, word, ' ');) words.push_back(word);
  Check(words.size() >= 2 && words[0] == "PROXY");
  if (words[1] == "UNKNOWN") return Check(!parsed.client);
  Check(words.size() == 6 && (words[1] == "TCP4" || words[1] == "TCP6"));
  const int family = words[1] == "TCP4" ? AF_INET : AF_INET6;
  for (const size_t port : {size_t{4}, size_t{5}}) {
    Check(std::to_string(std::stoul(words[port])) == words[port] &&
          std::stoul(words[port]) < 65536);
  }
  std::array<char, 16> bytes{};
  Check(inet_pton(family, words[3].c_str(), bytes.data()) == 1);
  Check(inet_pton(family, words[2].c_str(), bytes.data()) == 1);
  Check(parsed.client == Peer::OfBytes(family, {bytes.data(), bytes.size()}));
}

void CheckBinary(std::string_view bytes, const ProxyHeader& parsed) {
  const auto at = [bytes](size_t index) { return static_cast<unsigned char>(bytes[index]); };
  Check(at(12) == 0x20 || at(12) == 0x21);
  Check(parsed.length == 16U + at(14) * 256U + at(15));
  const bool names = at(12) == 0x21 && at(13) >> 4 != 0 && (at(13) & 0xF) != 0;
  Check(parsed.client.has_value() == names);
  if (!names) return;
  const int families[] = {AF_UNSPEC, AF_INET, AF_INET6, AF_UNIX};
  const size_t sizes[] = {0, 4, 16, 0};
  const size_t family = at(13) >> 4;
  Check(parsed.client == Peer::OfBytes(families[family], bytes.substr(16, sizes[family])));
}

}  // namespace
}  // namespace quipd::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using quipd::Check;
  using quipd::server::ParseProxyHeader;
  using quipd::server::ProxyHeader;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  ProxyHeader last = ParseProxyHeader({});
  Check(last.state == ProxyHeader::State::kMore);
  for (size_t length = 1; length <= std::min<size_t>(size, 300); ++length) {
    const std::vector<char> exact(input.begin(), input.begin() + static_cast<ptrdiff_t>(length));
    const ProxyHeader part = ParseProxyHeader({exact.data(), exact.size()});
    Check(last.state == ProxyHeader::State::kMore || quipd::server::Same(part, last));
    Check(part.state != ProxyHeader::State::kMore || length < quipd::server::kProxyHeaderStart);
    last = part;
  }
  const ProxyHeader whole = ParseProxyHeader(input);
  Check(quipd::server::Same(whole, last));
  if (whole.state != ProxyHeader::State::kKnown) return 0;
  if (input.front() == 'P') {
    quipd::server::CheckLine(input.substr(0, whole.length), whole);
  } else {
    quipd::server::CheckBinary(input, whole);
  }
  return 0;
}
