// SPDX-License-Identifier: MIT
// The head of an answer, as far as a client needs it to know where the answer ends. Lenient: what
// is judged of an answer is its status, its length and its body.
#pragma once

#include <cstddef>
#include <string_view>

namespace quipd::bench {

inline constexpr size_t kDateBytes = 29;

struct AnswerHead {
  int status = 0;
  size_t size = 0;  // with the blank line
  size_t date = std::string_view::npos;
  size_t content_length = std::string_view::npos;
  bool closes = false;
  bool chunked = false;

  // False where the head isn't whole.
  bool Parse(std::string_view input);

 private:
  void Take(std::string_view name, std::string_view value, size_t value_offset);
};

}  // namespace quipd::bench
