// SPDX-License-Identifier: MIT
// An entry of the access log as a line: common and combined as Apache writes them, JSON, and one
// for people. What a client sent is escaped (app/escape.h), so that it stays one line and within
// its field. Quick: no allocation, and a time is made once a second. Used by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/config.h"
#include "server/access_ring.h"

namespace quipd::app {

class AccessFormat {
 public:
  using Format = config::AccessLog::Format;

  explicit AccessFormat(Format format) : format_(format) {}

  // No line of this entry is longer, its end counted.
  [[nodiscard]] static size_t Bound(const server::AccessEntry& entry);

  // Writes the line and its end; where it ends. There are Bound(entry) bytes.
  [[nodiscard]] char* Write(const server::AccessEntry& entry, char* out);

 private:
  [[nodiscard]] char* WriteTime(int64_t unix_ms, char* out);
  [[nodiscard]] char* WriteCommon(const server::AccessEntry& entry, char* out);
  [[nodiscard]] char* WriteCombined(const server::AccessEntry& entry, char* out);
  [[nodiscard]] char* WriteJson(const server::AccessEntry& entry, char* out);
  [[nodiscard]] char* WriteDev(const server::AccessEntry& entry, char* out);

  Format format_;
  int64_t second_ = INT64_MIN;  // that time_ shows
  std::array<char, 48> time_{};
  size_t time_length_ = 0;
};

}  // namespace quipd::app
