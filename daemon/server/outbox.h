// SPDX-License-Identifier: MIT
// A worker's scratch for answers: all that one read brings forth is appended here and leaves in one
// send(). Holds nothing between two callbacks. One thread.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "http/date.h"
#include "site/site.h"

namespace quipd::server {

// What an answer says of its connection (RFC 9112 9.3).
enum class Persistence : unsigned char {
  kImplied,    // nothing: HTTP/1.1 that stays
  kKeepAlive,  // "Connection: keep-alive": HTTP/1.0 that stays
  kClose,      // "Connection: close"
};

// The field line that says so; empty for kImplied.
[[nodiscard]] constexpr std::string_view FieldOf(Persistence persistence) {
  switch (persistence) {
    case Persistence::kKeepAlive:
      return "Connection: keep-alive\r\n";
    case Persistence::kClose:
      return "Connection: close\r\n";
    case Persistence::kImplied:
      break;
  }
  return {};
}

class Outbox {
 public:
  static constexpr size_t kCapacity = 128 * 1024;

  [[nodiscard]] size_t used() const { return used_; }
  [[nodiscard]] size_t room() const { return kCapacity - used_; }
  [[nodiscard]] std::string_view bytes() const { return {bytes_.data(), used_}; }
  void Clear() { used_ = 0; }

  // The caller has seen to the room.
  void Append(std::string_view bytes) {
    used_ += bytes.copy(bytes_.data() + used_, bytes.size());  // bytes may be empty, even null
  }

  // The same from a file; false, and nothing is appended, where it is shorter or can't be read.
  [[nodiscard]] bool AppendFile(int file, uint64_t offset, size_t size) {
    const ssize_t read = pread(file, bytes_.data() + used_, size, static_cast<off_t>(offset));
    if (read != static_cast<ssize_t>(size)) return false;
    used_ += size;
    return true;
  }

  // The first `size` bytes of a finished response (its head, or head and body) with the date of
  // now. Needs room for size + kLongestField bytes.
  void AppendResponse(const site::Response& response, size_t size, Persistence persistence,
                      const char* date) {
    char* out = bytes_.data() + used_;
    if (persistence == Persistence::kImplied) [[likely]] {
      std::memcpy(out, response.bytes, size);
      std::memcpy(out + response.date_offset, date, http::kDateLength);
      used_ += size;
      return;
    }
    const std::string_view field = FieldOf(persistence);
    const size_t before = response.date_offset - site::kDateName;
    std::memcpy(out, response.bytes, before);
    std::memcpy(out + before, field.data(), field.size());
    std::memcpy(out + before + field.size(), response.bytes + before, size - before);
    std::memcpy(out + field.size() + response.date_offset, date, http::kDateLength);
    used_ += size + field.size();
  }

  static constexpr size_t kLongestField = 32;

 private:
  size_t used_ = 0;
  std::array<char, kCapacity> bytes_;
};

}  // namespace quipd::server
