// SPDX-License-Identifier: MIT
// A configuration as plain data: all files merged, the profile laid over, environment expanded,
// options inherited, every value checked by itself. What several rules do to each other (which
// wins, which clash) is for site/ to find. Movable; thread-safe once built.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "config/source.h"
#include "http/method.h"

namespace quipd::config {

// A place in one of Config::sources.
struct Place {
  uint32_t source = 0;
  Mark mark;
};

enum class Action : uint8_t {
  kEcho,
  kHtml,
  kJson,
  kStatus,
  kRedirect,
  kMoved,
  kFile,
  kDir,
  kReflect,
  kHealth,
};

[[nodiscard]] std::string_view NameOf(Action action);

[[nodiscard]] constexpr bool IsRedirect(Action action) {
  return action == Action::kRedirect || action == Action::kMoved;
}

// Text with placeholders, in order. Empty where the text is literal.
struct Piece {
  enum class Kind : uint8_t {
    kText,   // text as it is
    kParam,  // text is the name of a parameter of the rule's path; index its number there
    kHost,
    kPath,
    kMethod,
    kScheme,
    kClient,
    kQuery,   // text is the name
    kHeader,  // text is the name
    kCookie,  // text is the name
  };
  Kind kind = Kind::kText;
  uint16_t index = 0;
  std::string text;

  bool operator==(const Piece&) const = default;
};
using Template = std::vector<Piece>;

struct Header {
  std::string name;   // as written
  std::string value;  // as written, environment expanded
  Template pieces;    // of a rule with `template: on` whose value holds placeholders

  bool operator==(const Header&) const = default;
};

// Which links of a directory are followed.
enum class Symlinks : uint8_t { kOff, kInside, kAnywhere };

// What a rule and all around it say of its answer, merged: the nearest wins. Shared by all rules
// that add nothing of their own.
struct Options {
  std::vector<Header> headers;       // in order of first appearance; equal names stand together
  std::optional<std::string> type;   // Content-Type
  std::optional<std::string> cache;  // Cache-Control, ready to send: "max-age=3600", "no-store"
  std::optional<uint16_t> status;    // where the action takes one
  bool template_on = false;
  bool keep_query = true;  // of a redirect
  bool etag = true;        // of a 200 of echo, html, json, file and dir
  bool compress = true;    // codings made at load, and siblings of a file of dir
  // Of dir.
  bool listing = false;
  bool dotfiles = false;
  Symlinks symlinks = Symlinks::kInside;
  std::string fallback;  // below the directory; empty: none
};

// A segment of a rule's path.
struct Segment {
  enum class Kind : uint8_t {
    kLiteral,  // before, canonical (http/path.h)
    kMixed,    // before{name}after
    kParam,    // {name}
    kRest,     // {name...}; last. Of a dir it stands behind the final '/' and has no name
  };
  Kind kind = Kind::kLiteral;
  std::string before;  // canonical
  std::string after;   // canonical
  std::string name;
};

// A path that ends in '/' has a last literal segment without text.
struct Path {
  std::string written;            // prefix and path as written, for people
  std::string canonical;          // http/path.h; set where the path has no parameter
  std::vector<Segment> segments;  // empty where the path has no parameter
};

struct Methods {
  bool any = false;                // ANY
  uint16_t known = 0;              // bit 1 << Method; HEAD only where it was named
  std::vector<std::string> other;  // tokens that are kOther
};

// What is sent: of a rule or of an entry of `errors`.
struct Representation {
  Action action = Action::kEcho;
  std::string payload;   // echo, html, file: the body; json: JSON text; redirect, moved: the target
                         // as written; reflect, health: the word
  Template pieces;       // of the payload: with template on, and of every target with placeholders
  std::string file;      // of kFile, kDir: the path, absolute or relative to the process
  bool live = false;     // of kFile: opened for each request, as it is above limits.inline_file
  int64_t modified = 0;  // of a kFile in memory: when it was changed, seconds since 1970
  std::shared_ptr<const Options> options;
  uint16_t status = 200;  // what is sent; for kStatus the payload as a number
  Place payload_place;
};

struct Rule {
  std::string name;  // `name`, else empty
  Methods methods;
  Path path;
  Representation answer;
  uint32_t scope = 0;     // the group it stands in: index into Config::scopes
  uint32_t host_set = 0;  // index into Config::host_sets; 0 is "any host"
  int32_t listener = -1;  // index into Config::listeners; -1: any
  bool override_on = false;
  uint8_t layer = 0;  // of two rules that clash the higher layer wins: files 0, profile 1, -e 2
  Place place;        // of its key
};

struct ErrorAnswer {
  uint16_t status = 0;        // the status that it is for, or
  uint16_t status_class = 0;  // 4 or 5 for `4xx`, `5xx`
  // answer.status is what is sent; 0: the status that it answers. Its options are the entry's own
  // alone: the scopes' headers come beside.
  Representation answer;
  Place place;
};

// A group, or the top level (scopes[0], its own parent). What quipd answers itself carries the
// options' headers of every scope that the request falls in.
struct Scope {
  uint32_t parent = 0;
  uint32_t host_set = 0;  // effective, as in Rule
  int32_t listener = -1;  // effective
  bool override_on = false;
  Path prefix;                             // joined from the top; written is "" for none
  std::shared_ptr<const Options> options;  // effective: inherited ones merged
  std::vector<ErrorAnswer> errors;         // of this scope alone
  Place place;
};

struct ListenAddress {
  enum class Family : uint8_t {
    kAny,  // a bare port, IPv6 and IPv4
    kInet,
    kUnix,
    kSystemd,  // sockets that the service manager passes
  };
  Family family = Family::kAny;
  std::string host;   // kInet: numeric address or name, without brackets
  uint16_t port = 0;  // 0: the system chooses
  std::string path;   // kUnix
  std::string name;   // kSystemd: FileDescriptorName= of the socket unit
};

// A certificate and its key, both PEM files: paths absolute or relative to the process.
struct TlsPair {
  std::string certificate;
  std::string key;
  Place certificate_place;
  Place key_place;

  bool operator==(const TlsPair& other) const {
    return certificate == other.certificate && key == other.key;
  }
};

struct Listener {
  ListenAddress address;
  std::string written;   // the address as written, for people and for `listener:`
  std::string name;      // may be empty
  uint32_t mode = 0660;  // of a unix socket
  int backlog = 4096;
  bool proxy_protocol = false;  // each connection begins with a header of the PROXY protocol
  std::vector<TlsPair>
      tls;  // empty: plain; several are told apart by SNI, the first is the default
  Place place;
};

struct Limits {
  uint32_t head = 16 * 1024;
  uint32_t target = 8 * 1024;
  uint32_t header_count = 100;
  uint64_t body = 1024 * 1024;
  uint32_t connections = 10000;
  uint64_t inline_file = 1024 * 1024;
};

struct Timeouts {
  std::chrono::milliseconds head{10'000};
  std::chrono::milliseconds idle{60'000};
  std::chrono::milliseconds body{30'000};
  std::chrono::milliseconds write{30'000};
  std::chrono::milliseconds drain{10'000};
  std::chrono::milliseconds drain_delay{0};  // before it, with `ready` at 503
};

// An address, or a network of addresses, of `trusted_proxies`.
struct Network {
  enum class Family : uint8_t { kInet, kInet6, kUnix };  // kUnix: whoever comes by a unix socket
  Family family = Family::kInet;
  std::array<unsigned char, 16> bytes{};  // the first 4 of kInet; bits behind the prefix are 0
  uint8_t prefix = 0;                     // length in bits

  bool operator==(const Network&) const = default;
};

enum class LogLevel : uint8_t { kTrace, kDebug, kInfo, kWarning, kError, kOff };

struct Log {
  LogLevel level = LogLevel::kInfo;
  bool json = false;
  std::string target;  // empty: auto; "stderr"; "journal"; else a path
  Place place;         // of the target where a file names it
};

struct AccessLog {
  enum class Format : uint8_t {
    kCommon,
    kCombined,
    kJson,
    kDev,  // for people, of the dev profile; can't be written in a file
  };
  std::string target;  // empty: off; "stdout"; "journal"; else a path
  Format format = Format::kCombined;
  Place place;  // of the target where a file names it

  bool operator==(const AccessLog& other) const {
    return target == other.target && format == other.format;
  }
};

struct Admin {
  bool on = true;
  std::string socket = "/run/quipd/admin.sock";
  bool named = false;  // a file names the socket: then it must open
  // Of metrics and health over TCP, read-only; none: not served.
  std::optional<ListenAddress> metrics;
  std::string metrics_written;  // for people
  Place socket_place;
  Place metrics_place;
};

struct Config {
  std::vector<std::shared_ptr<const Source>> sources;  // in the order they were read
  std::vector<std::string> inputs;  // every file that a load reads: bodies of `file:` and pairs of
                                    // `tls` too
  std::vector<Listener> listeners;
  std::vector<std::vector<std::string>> host_sets{{}};  // sorted, lower case; "*.x" for suffixes
  std::vector<Scope> scopes;                            // [0] is the top level
  std::vector<Rule> rules;
  std::string profile = "prod";
  bool dev = false;                 // dev, or a profile's own: decides banner and `no-store`
  std::optional<uint32_t> workers;  // none: auto
  Limits limits;
  Timeouts timeouts;
  Log log;
  AccessLog access_log;
  Admin admin;
  std::vector<Network> trusted_proxies;
  std::map<std::string, std::string> types;  // `types`: a lower-case extension -> Content-Type
  std::string server_header = "quipd";       // empty: off

  // A diagnostic at a place of one of the sources.
  [[nodiscard]] Diagnostic Error(Place place, std::string message, std::string hint = {}) const;
  [[nodiscard]] Diagnostic Warning(Place place, std::string message, std::string hint = {}) const;
  // "routes.yaml:12", for people.
  [[nodiscard]] std::string Where(Place place) const;
};

}  // namespace quipd::config
