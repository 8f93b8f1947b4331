// SPDX-License-Identifier: MIT
#include "config/hosts.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "config/spelling.h"

namespace quipd::config {
namespace {

bool IsNameByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' ||
         byte == '_' || byte == '.';
}

Parsed<std::string> ParseIpv6(const std::string& host) {
  const size_t close = host.find(']');
  unsigned char address[16];
  if (close == host.npos || inet_pton(AF_INET6, host.substr(1, close - 1).c_str(), address) != 1) {
    return Wrong(Quoted(host) + " is no host");
  }
  if (close + 1 < host.size()) {
    return Wrong("a host has no port",
                 "the port of a request does not count; listener: chooses one", close + 1);
  }
  return host;
}

// What stands in a host that has none of the bytes of one.
Problem WrongByte(std::string_view host, size_t at) {
  const char byte = host[at];
  if (static_cast<unsigned char>(byte) >= 0x80) {
    return {"a host is in ASCII", "an internationalised name is written xn--...", at};
  }
  if (host.find("://") != host.npos) {
    return {"a host has no scheme", "write the name alone: example.com", at};
  }
  if (byte == '/') return {"a host has no path", "a path's beginning is the option prefix", at};
  if (byte == ':') {
    return {"a host has no port", "the port of a request does not count; listener: chooses one",
            at};
  }
  if (byte == '*') return {"a * stands only in front: *.example.com", {}, at};
  return {Quoted(host) + " is no host", {}, at};
}

}  // namespace

Parsed<std::string> ParseHost(std::string_view text) {
  std::string host = Lower(text);
  if (host.starts_with('[')) return ParseIpv6(host);
  if (host.ends_with('.')) host.pop_back();
  if (host == "*") return Wrong("any host is meant where none is written", "leave host out");
  const size_t name = host.starts_with("*.") ? 2 : 0;
  for (size_t i = name; i < host.size(); ++i) {
    if (!IsNameByte(host[i])) return tl::unexpected(WrongByte(host, i));
  }
  if (host.size() == name || host[name] == '.' || host.find("..") != host.npos) {
    return Wrong(Quoted(text) + " is no host");
  }
  return host;
}

std::vector<std::string> ReadHosts(Reader& reader, const Value& value) {
  std::vector<std::string> hosts;
  bool faulty = false;
  for (const Text& one : reader.ReadTexts(value, "host")) {
    Parsed<std::string> host = ParseHost(one.text);
    if (host) {
      hosts.push_back(std::move(*host));
    } else {
      reader.Error(*one.value, "host", std::move(host.error()));
      faulty = true;
    }
  }
  if (faulty) return {};
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

}  // namespace quipd::config
