// SPDX-License-Identifier: MIT
// An answer that is put together when it is sent: its head, and slices of a body that lies
// elsewhere, each with text before it (multipart/byteranges). Reused by its Gate, so that its
// memory is warm. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quipd::server {

struct Message {
  static constexpr size_t kMostKept = 64 * 1024;

  struct Slice {
    size_t text_end = 0;  // the text before it begins where the slice before, or the head, ended
    uint64_t offset = 0;  // in the body
    uint64_t size = 0;    // 0: text alone, behind the last part
  };

  std::string text;         // the head through CRLF CRLF, then the texts of the slices
  size_t head_size = 0;     // of the head
  size_t splice = 0;        // where "Date: " begins, for the field Connection
  std::vector<Slice> body;  // empty: none, as to HEAD

  void Clear() {
    // A long listing is no reason to hold its memory for ever.
    if (text.capacity() > kMostKept) std::string().swap(text);
    text.clear();
    head_size = splice = 0;
    body.clear();
  }
  // The text of a slice.
  [[nodiscard]] std::string_view TextOf(size_t slice) const {
    const size_t begin = slice == 0 ? head_size : body[slice - 1].text_end;
    return std::string_view(text).substr(begin, body[slice].text_end - begin);
  }
};

}  // namespace quipd::server
