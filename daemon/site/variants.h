// SPDX-License-Identifier: MIT
// The codings of bodies, made at load: gzip and brotli at the level that a body sent often is
// worth. A body that an earlier Site knew isn't coded again. Knows nothing of fields and responses.
//
// CodedBodies is immutable once filled, so thread-safe; what it holds lives as long as the bytes
// that were added. The functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace quipd::site {

// A body in each coding; empty where that isn't smaller.
struct CodedBody {
  std::string_view gzip;
  std::string_view brotli;

  [[nodiscard]] bool empty() const { return gzip.empty() && brotli.empty(); }
};

// An index over bodies by what they hold.
class CodedBodies {
 public:
  // Null where that body was never coded.
  [[nodiscard]] const CodedBody* Find(std::string_view body) const;
  void Add(std::string_view body, const CodedBody& coded);

 private:
  struct Key {
    uint64_t low = 0;
    uint64_t high = 0;
    size_t size = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const { return key.low; }
  };
  static Key KeyOf(std::string_view body);

  std::unordered_map<Key, CodedBody, Hash> bodies_;
};

// The body in that coding; empty where it isn't smaller. The same bytes give the same.
[[nodiscard]] std::string Gzipped(std::string_view body);      // RFC 1952, without name and time
[[nodiscard]] std::string BrotliCoded(std::string_view body);  // RFC 7932

}  // namespace quipd::site
