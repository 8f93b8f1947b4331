// SPDX-License-Identifier: MIT
#include "server/proxy_header.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace quipd::server {
namespace {

using State = ProxyHeader::State;

constexpr std::string_view kLineStart = "PROXY ";
constexpr size_t kLongestLine = 107;  // with its CRLF

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr size_t kFixed = 16;  // of version 2: signature, version and command, family, length
constexpr size_t kUnixAddresses = 216;
static_assert(kProxyHeaderStart == kFixed + kUnixAddresses);

constexpr ProxyHeader kMalformed{};
constexpr ProxyHeader kMore{State::kMore, 0, std::nullopt};

// --- Version 1: a line ---

// A word of the line, and the blank behind it; none where there is no such blank.
std::optional<std::string_view> TakeWord(std::string_view* line) {
  const size_t blank = line->find(' ');
  if (blank == line->npos) return std::nullopt;
  const std::string_view word = line->substr(0, blank);
  line->remove_prefix(blank + 1);
  return word;
}

bool IsPort(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  return error == std::errc() && end == text.data() + text.size() && !leading_zero;
}

// "192.0.2.1 198.51.100.1 56324 443": source and destination, each address of that family.
std::optional<Peer> SourceOf(std::string_view addresses, int family) {
  const auto source = TakeWord(&addresses);
  const auto destination = TakeWord(&addresses);
  const auto source_port = TakeWord(&addresses);
  if (!source || !destination || !source_port) return std::nullopt;
  const std::optional<Peer> client = Peer::Parse(*source, family);
  const bool whole = Peer::Parse(*destination, family) && IsPort(*source_port) && IsPort(addresses);
  return whole ? client : std::nullopt;
}

ProxyHeader ParseLine(std::string_view bytes) {
  const size_t end = bytes.substr(0, kLongestLine).find('\n');
  if (end == bytes.npos) {
    const size_t compared = std::min(bytes.size(), kLineStart.size());
    const bool may_become = bytes.substr(0, compared) == kLineStart.substr(0, compared);
    return may_become && bytes.size() < kLongestLine ? kMore : kMalformed;
  }
  std::string_view line = bytes.substr(0, end);
  if (!line.starts_with(kLineStart) || line.find('\r') != end - 1) return kMalformed;
  line.remove_suffix(1);
  line.remove_prefix(kLineStart.size());
  if (line == "UNKNOWN" || line.starts_with("UNKNOWN ")) return {State::kKnown, end + 1, {}};
  const auto protocol = TakeWord(&line);
  if (!protocol || (*protocol != "TCP4" && *protocol != "TCP6")) return kMalformed;
  const std::optional<Peer> client = SourceOf(line, *protocol == "TCP4" ? AF_INET : AF_INET6);
  if (!client) return kMalformed;
  return {State::kKnown, end + 1, client};
}

// --- Version 2: bytes ---

unsigned ByteAt(std::string_view bytes, size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

enum Command : unsigned { kLocal = 0, kProxy = 1 };
enum Family : unsigned { kUnspecified = 0, kInet = 1, kInet6 = 2, kUnix = 3 };
constexpr unsigned kDatagrams = 2;  // the transport; 1 is a stream, 0 unspecified

// Bytes that the addresses and ports of a family take.
constexpr std::array<size_t, 4> kAddresses = {0, 12, 36, kUnixAddresses};

std::optional<Peer> SourceOf(Family family, std::string_view addresses) {
  switch (family) {
    case kInet:
      return Peer::OfBytes(AF_INET, addresses.substr(0, 4));
    case kInet6:
      return Peer::OfBytes(AF_INET6, addresses.substr(0, 16));
    case kUnix:
      return Peer::OfBytes(AF_UNIX, {});
    case kUnspecified:
      break;
  }
  return std::nullopt;
}

ProxyHeader ParseBinary(std::string_view bytes) {
  const size_t compared = std::min(bytes.size(), kSignature.size());
  if (bytes.substr(0, compared) != kSignature.substr(0, compared)) return kMalformed;
  if (bytes.size() > 12 && (ByteAt(bytes, 12) >> 4 != 2 || (ByteAt(bytes, 12) & 0xF) > kProxy)) {
    return kMalformed;
  }
  if (bytes.size() < kFixed) return kMore;
  const size_t behind = ByteAt(bytes, 14) << 8 | ByteAt(bytes, 15);
  const size_t length = kFixed + behind;
  // Of the balancer's own connections the family means nothing.
  if ((ByteAt(bytes, 12) & 0xF) == kLocal) return {State::kKnown, length, {}};
  const unsigned transport = ByteAt(bytes, 13) & 0xF;
  if (ByteAt(bytes, 13) >> 4 > kUnix || transport > kDatagrams) return kMalformed;
  const auto family = static_cast<Family>(ByteAt(bytes, 13) >> 4);
  if (family == kUnspecified || transport == 0) return {State::kKnown, length, {}};
  if (behind < kAddresses[family]) return kMalformed;
  if (bytes.size() < kFixed + kAddresses[family]) return kMore;
  return {State::kKnown, length, SourceOf(family, bytes.substr(kFixed, kAddresses[family]))};
}

}  // namespace

ProxyHeader ParseProxyHeader(std::string_view bytes) {
  if (bytes.empty()) return kMore;
  return bytes.front() == kSignature.front() ? ParseBinary(bytes) : ParseLine(bytes);
}

}  // namespace quipd::server
