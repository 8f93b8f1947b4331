// SPDX-License-Identifier: MIT
#include "config/listen.h"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "config/spelling.h"
#include "config/units.h"

namespace quipd::config {
namespace {

constexpr size_t kLongestSocketPath = 107;  // sockaddr_un, with its NUL
constexpr std::string_view kHint =
    "an address is 8080, 127.0.0.1:8080, \"[::1]:8080\", unix:/run/quipd.sock or systemd:web";

bool IsAllOf(std::string_view text, std::string_view bytes) {
  return text.find_first_not_of(bytes) == text.npos;
}

bool IsNumeric(int family, const std::string& host) {
  unsigned char address[16];
  return inet_pton(family, host.c_str(), address) == 1;
}

bool IsHostName(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_';
  });
}

Parsed<ListenAddress> ParseUnix(std::string_view path, std::string_view folder) {
  if (path.empty()) return Wrong("the path of the socket is missing", std::string(kHint));
  ListenAddress address;
  address.family = ListenAddress::Family::kUnix;
  if (path.front() != '/' && !folder.empty()) address.path.append(folder).append("/");
  address.path.append(path);
  if (path.front() == '@') return Wrong("abstract sockets are not served");
  if (address.path.size() > kLongestSocketPath) {
    return Wrong("the path of a socket has at most " + std::to_string(kLongestSocketPath) +
                 " bytes");
  }
  return address;
}

// What systemd lets a descriptor be called (sd_listen_fds_with_names(3)).
Parsed<ListenAddress> ParseSystemd(std::string_view name) {
  constexpr size_t kLongest = 255;
  const std::string hint = "the name is FileDescriptorName= of the socket unit: systemd:web";
  if (name.empty()) return Wrong("the name of the socket is missing", hint);
  const bool fits = std::all_of(name.begin(), name.end(), [](char byte) {
    return byte >= ' ' && byte < 0x7F && byte != ':';
  });
  if (!fits || name.size() > kLongest) return Wrong(Quoted(name) + " is no name of a socket", hint);
  ListenAddress address;
  address.family = ListenAddress::Family::kSystemd;
  address.name = name;
  return address;
}

Parsed<uint16_t> ParsePort(std::string_view text, size_t offset) {
  const Parsed<uint64_t> port = ParseNumber(text, 0, 65535);
  if (port) return static_cast<uint16_t>(*port);
  return Wrong(Quoted(text) + " is no port", "a port is a number from 0 to 65535", offset);
}

std::optional<Problem> CheckHost(std::string_view host, bool bracketed) {
  if (bracketed) {
    const std::string_view number = host.substr(0, host.find('%'));
    if (IsNumeric(AF_INET6, std::string(number))) return std::nullopt;
    return Problem{Quoted(host) + " is no IPv6 address", {}, 0};
  }
  if (host == "*") return Problem{"* is no address", "all addresses are the port alone: 8080", 0};
  if (host.find(':') != host.npos) {
    return Problem{"an IPv6 address stands in brackets", "write \"[::1]:8080\", quoted", 0};
  }
  const bool digits = IsAllOf(host, "0123456789.");
  if (digits && !IsNumeric(AF_INET, std::string(host))) {
    return Problem{Quoted(host) + " is no IPv4 address", std::string(kHint), 0};
  }
  if (!IsHostName(host)) return Problem{Quoted(host) + " is no host", std::string(kHint), 0};
  return std::nullopt;
}

Parsed<ListenAddress> ParseInet(std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  if (colon == text.npos || (bracketed && (colon == 0 || text[colon - 1] != ']'))) {
    return Wrong(Quoted(text) + " has no port", std::string(kHint));
  }
  std::string_view host = text.substr(0, colon);
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (auto problem = CheckHost(host, bracketed)) return tl::unexpected(std::move(*problem));
  const Parsed<uint16_t> port = ParsePort(text.substr(colon + 1), colon + 1);
  if (!port) return tl::unexpected(port.error());
  ListenAddress address;
  address.family = ListenAddress::Family::kInet;
  address.host = host;
  address.port = *port;
  return address;
}

void ReadAddress(Reader& reader, const Value& value, Listener* listener) {
  listener->place = reader.At(value);
  const auto text = reader.ReadText(value, "listen");
  if (!text) return;
  listener->written = *text;
  Parsed<ListenAddress> address = ParseAddress(*text, reader.source().folder());
  if (address) {
    listener->address = std::move(*address);
  } else {
    reader.Error(value, "listen", std::move(address.error()));
    listener->written.clear();
  }
}

void ReadMode(Reader& reader, const Value& value, Listener* listener) {
  const auto text = reader.ReadText(value, "mode");
  if (!text) return;
  Parsed<uint32_t> mode = ParseMode(*text);
  if (!mode) return reader.Error(value, "mode", std::move(mode.error()));
  listener->mode = *mode;
}

void ReadPair(Reader& reader, const Value& mapping, std::vector<TlsPair>* pairs) {
  if (!reader.IsMapping(mapping, "tls")) return;
  TlsPair pair;
  const auto read = [&](const Member& member, std::string* path, Place* place) {
    *path = reader.ReadPath(member.value, "tls." + std::string(member.key.text)).value_or("");
    *place = reader.At(member.value);
  };
  reader.ForEach(mapping, Level::kTls, [&](const Member& member) {
    if (member.key.text == "certificate") {
      read(member, &pair.certificate, &pair.certificate_place);
    } else {
      read(member, &pair.key, &pair.key_place);
    }
  });
  for (const std::string_view due : {"certificate", "key"}) {
    if (mapping.Find(due) != nullptr) continue;
    reader.Error(mapping, "tls: the " + std::string(due) + " is missing",
                 "tls is {certificate: FILE, key: FILE}, both PEM, or a list of them");
  }
  pairs->push_back(std::move(pair));
}

void ReadTls(Reader& reader, const Value& value, std::vector<TlsPair>* pairs) {
  if (value.kind != Value::Kind::kSequence) return ReadPair(reader, value, pairs);
  if (value.items.empty()) return reader.Error(value, "tls: the list is empty");
  for (const Value& item : value.items) ReadPair(reader, item, pairs);
}

// What only who makes the socket can say of it.
void CheckOwner(Reader& reader, ListenAddress::Family family, const Value* mode,
                const Value* backlog) {
  if (family == ListenAddress::Family::kSystemd) {
    if (mode != nullptr) {
      reader.Error(*mode, "mode: a socket of systemd has that of its unit", "SocketMode= there");
    }
    if (backlog != nullptr) {
      reader.Error(*backlog, "backlog: a socket of systemd has that of its unit", "Backlog= there");
    }
  } else if (mode != nullptr && family != ListenAddress::Family::kUnix) {
    reader.Error(*mode, "mode: only a unix socket has one");
  }
}

Listener ReadMapping(Reader& reader, const Value& mapping) {
  Listener listener;
  listener.place = reader.At(mapping);
  const Value* address = nullptr;
  const Value* mode = nullptr;
  const Value* backlog = nullptr;
  reader.ForEach(mapping, Level::kListener, [&](const Member& member) {
    const std::string_view key = member.key.text;
    const Value& value = member.value;
    if (key == "address") {
      address = &value;
    } else if (key == "name") {
      listener.name = reader.ReadText(value, "name").value_or("");
    } else if (key == "tls") {
      ReadTls(reader, value, &listener.tls);
    } else if (key == "proxy_protocol") {
      listener.proxy_protocol = reader.ReadSwitch(value, "proxy_protocol").value_or(false);
    } else if (key == "mode") {
      mode = &value;
      ReadMode(reader, value, &listener);
    } else if (key == "backlog") {
      backlog = &value;
      listener.backlog = static_cast<int>(reader.ReadNumber(value, key, 1, 65535).value_or(4096));
    }
  });
  if (address == nullptr) {
    reader.Error(mapping, "listen: the address is missing", std::string(kHint));
    return listener;
  }
  ReadAddress(reader, *address, &listener);
  if (!listener.written.empty()) CheckOwner(reader, listener.address.family, mode, backlog);
  return listener;
}

bool Clashes(Reader& reader, const Value& value, const Listener& listener,
             const std::vector<Listener>& before) {
  for (const Listener& other : before) {
    if (SameAddress(listener.address, other.address)) {
      reader.Error(value, "listen: " + Quoted(listener.written) + " is there twice");
      return true;
    }
    if (!listener.name.empty() && listener.name == other.name) {
      reader.Error(value, "listen: the name " + Quoted(listener.name) + " is there twice");
      return true;
    }
  }
  return false;
}

}  // namespace

Parsed<ListenAddress> ParseAddress(std::string_view text, std::string_view folder) {
  if (text.starts_with("unix:")) return ParseUnix(text.substr(5), folder);
  if (text.starts_with("systemd:")) return ParseSystemd(text.substr(8));
  if (text.find("://") != text.npos) {
    return Wrong(Quoted(text) + " is no address", std::string(kHint));
  }
  std::string_view port = text;
  if (port.starts_with(':')) port.remove_prefix(1);
  if (IsAllOf(port, "0123456789") && !port.empty()) {
    const Parsed<uint16_t> number = ParsePort(port, text.size() - port.size());
    if (!number) return tl::unexpected(number.error());
    ListenAddress address;
    address.port = *number;
    return address;
  }
  if (text.empty() || text == ":") return Wrong("the address is empty", std::string(kHint));
  return ParseInet(text);
}

bool SameAddress(const ListenAddress& a, const ListenAddress& b) {
  if (a.family != b.family) return false;
  if (a.family == ListenAddress::Family::kUnix) return a.path == b.path;
  if (a.family == ListenAddress::Family::kSystemd) return a.name == b.name;
  return a.port != 0 && a.port == b.port && a.host == b.host;
}

std::vector<Listener> ReadListeners(Reader& reader, const Value& value) {
  std::vector<Listener> listeners;
  const auto add = [&](const Value& one) {
    Listener listener;
    if (one.kind == Value::Kind::kMapping) {
      listener = ReadMapping(reader, one);
    } else {
      ReadAddress(reader, one, &listener);
    }
    if (listener.written.empty() || Clashes(reader, one, listener, listeners)) return;
    listeners.push_back(std::move(listener));
  };
  if (value.kind != Value::Kind::kSequence) {
    add(value);
  } else if (value.items.empty()) {
    reader.Error(value, "listen: the list is empty");
  } else {
    for (const Value& item : value.items) add(item);
  }
  return listeners;
}

int FindListener(const std::vector<Listener>& listeners, std::string_view text) {
  const Parsed<ListenAddress> address = ParseAddress(text, {});
  for (size_t i = 0; i < listeners.size(); ++i) {
    if (!listeners[i].name.empty() && listeners[i].name == text) return static_cast<int>(i);
  }
  for (size_t i = 0; i < listeners.size(); ++i) {
    const bool same = address && SameAddress(listeners[i].address, *address);
    if (same || listeners[i].written == text) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace quipd::config
