// SPDX-License-Identifier: MIT
// Judges every answer that a server sends: its status, its length and its body. Answers that are
// like one seen before (the Date and the number aside) are compared byte for byte, which takes
// some nanoseconds, so that the check doesn't become the ceiling of the load.
//
// Not thread-safe. Hides how HTTP answers are framed; chunked ones are called wrong, as no answer
// of a benchmark is chunked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "answer_head.h"

namespace quipd::bench {

// Where a request and its body hold a number: six digits, as in "/r/000042".
inline constexpr size_t kDigits = 6;
inline constexpr std::string_view kNumberMark = "NNNNNN";

class AnswerCheck {
 public:
  enum class State : uint8_t { kPartial, kRight, kWrong };
  struct Verdict {
    State state = State::kPartial;
    size_t size = 0;      // bytes of the answer
    size_t body = 0;      // which of the bodies it was
    bool closes = false;  // the server will close the connection
  };

  // Any of `bodies` is right; kNumberMark in them stands for the number of the request.
  AnswerCheck(int status, std::vector<std::string> bodies);

  // The answer at the beginning of `input`. `number` is its request's, kDigits characters.
  // `at_end`: the server has closed, nothing more will come.
  [[nodiscard]] Verdict Judge(std::string_view input, const char* number, bool at_end);

  // The first answer that was right, whole.
  [[nodiscard]] const std::string& sample() const { return sample_; }

 private:
  struct Shape {
    std::string bytes;
    size_t date = 0;    // of the 29 bytes, or bytes.size()
    size_t number = 0;  // of the digits, or bytes.size()
    size_t body = 0;
    bool closes = false;
  };

  static bool Matches(const Shape& shape, std::string_view input, const char* number);
  Verdict JudgeSlowly(std::string_view input, const char* number, bool at_end);
  bool FindBody(std::string_view body, const char* number, size_t* index) const;
  void Learn(std::string_view answer, const AnswerHead& head, const Verdict& verdict);

  int status_;
  std::vector<std::string> bodies_;
  std::vector<Shape> shapes_;
  size_t last_ = 0;  // the shape that matched last
  std::string sample_;
};

}  // namespace quipd::bench
