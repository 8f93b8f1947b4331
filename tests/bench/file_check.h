// SPDX-License-Identifier: MIT
// Judges answers whose body is a file, as they come in: the status, Content-Length, and the bytes.
// What came with the head is always compared, the rest of the body in every 16th answer; else it is
// only counted, so that the client can have the kernel throw it away and doesn't become the ceiling
// of the load.
//
// Not thread-safe. One answer at a time on a connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quipd::bench {

class FileCheck {
 public:
  // How far an answer has come on one connection.
  struct Progress {
    std::string head;       // as long as it isn't whole
    bool in_body = false;   // `left` bytes of it are to come
    size_t left = 0;        //
    bool compares = false;  // this body
    bool right = true;      // so far
    bool unframed = false;  // no Content-Length: its end can't be known
    bool closes = false;    // the server will end the connection
  };

  FileCheck(int status, std::string file) : status_(status), file_(std::move(file)) {}

  // Whether what comes next may be thrown away unread; Skip() is told how much it was.
  [[nodiscard]] static bool MaySkip(const Progress& progress) {
    return progress.in_body && !progress.compares;
  }
  static void Skip(Progress* progress, size_t bytes) { progress->left -= bytes; }
  // The bytes that came; not more than `left` within a body.
  void Take(Progress* progress, std::string_view bytes);

  [[nodiscard]] static bool Whole(const Progress& progress) {
    return progress.in_body && progress.left == 0;
  }
  // Of the last answer, head and body.
  [[nodiscard]] size_t answer_bytes() const { return answer_bytes_; }

 private:
  void TakeHead(Progress* progress, std::string_view bytes);
  void TakeBody(Progress* progress, std::string_view bytes) const;

  int status_;
  std::string file_;
  uint64_t answers_ = 0;
  size_t answer_bytes_ = 0;
};

}  // namespace quipd::bench
