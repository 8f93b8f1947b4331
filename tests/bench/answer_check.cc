// SPDX-License-Identifier: MIT
#include "answer_check.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace quipd::bench {
namespace {

constexpr size_t kDateBytes = 29;
constexpr size_t kMaxShapes = 64;

bool IsName(std::string_view name, std::string_view wanted) {
  return name.size() == wanted.size() && strncasecmp(name.data(), wanted.data(), name.size()) == 0;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

// Whether input[from, to) is what the shape has there.
bool SameBytes(std::string_view a, std::string_view b, size_t from, size_t to) {
  return from >= to || std::memcmp(a.data() + from, b.data() + from, to - from) == 0;
}

}  // namespace

struct AnswerCheck::Head {
  int status = 0;
  size_t size = 0;
  size_t date = std::string_view::npos;
  size_t content_length = std::string_view::npos;
  bool closes = false;
  bool chunked = false;

  void Take(std::string_view name, std::string_view value, size_t value_offset) {
    if (IsName(name, "content-length")) {
      size_t length = 0;
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), length);
      if (parsed.ec == std::errc()) content_length = length;
    } else if (IsName(name, "date") && value.size() == kDateBytes) {
      date = value_offset;
    } else if (IsName(name, "connection")) {
      closes = IsName(value, "close");
    } else if (IsName(name, "transfer-encoding")) {
      chunked = true;
    }
  }

  // False where the head isn't whole.
  bool Parse(std::string_view input) {
    const size_t end = input.find("\r\n\r\n");
    if (end == std::string_view::npos) return false;
    size = end + 4;
    if (input.size() > 12) std::from_chars(input.data() + 9, input.data() + 12, status);
    size_t at = input.find("\r\n") + 2;
    while (at < end + 2) {
      const size_t line_end = input.find("\r\n", at);
      const std::string_view line = input.substr(at, line_end - at);
      const size_t colon = std::min(line.find(':'), line.size() - 1);
      const std::string_view value = Trim(line.substr(colon + 1));
      Take(line.substr(0, colon), value, static_cast<size_t>(value.data() - input.data()));
      at = line_end + 2;
    }
    return true;
  }
};

AnswerCheck::AnswerCheck(int status, std::vector<std::string> bodies)
    : status_(status), bodies_(std::move(bodies)) {}

bool AnswerCheck::Matches(const Shape& shape, std::string_view input, const char* number) {
  const size_t size = shape.bytes.size();
  if (input.size() < size) return false;
  // The Date stands before the body, the number in it.
  if (!SameBytes(shape.bytes, input, 0, shape.date)) return false;
  if (!SameBytes(shape.bytes, input, shape.date + kDateBytes, shape.number)) return false;
  if (shape.number == size) return true;
  return std::memcmp(input.data() + shape.number, number, kDigits) == 0 &&
         SameBytes(shape.bytes, input, shape.number + kDigits, size);
}

AnswerCheck::Verdict AnswerCheck::Judge(std::string_view input, const char* number, bool at_end) {
  for (size_t i = 0; i < shapes_.size(); ++i) {
    const size_t index = (last_ + i) % shapes_.size();
    const Shape& shape = shapes_[index];
    if (!Matches(shape, input, number)) continue;
    last_ = index;
    return {State::kRight, shape.bytes.size(), shape.body, shape.closes};
  }
  return JudgeSlowly(input, number, at_end);
}

AnswerCheck::Verdict AnswerCheck::JudgeSlowly(std::string_view input, const char* number,
                                              bool at_end) {
  Verdict verdict;
  Head head;
  if (!head.Parse(input)) {
    if (at_end) verdict.state = State::kWrong;
    return verdict;
  }
  const bool framed = head.content_length != std::string_view::npos;
  const bool bodiless = head.status == 204 || head.status == 304;
  size_t body_size = framed ? head.content_length : input.size() - head.size;
  if (bodiless) body_size = 0;
  if (head.chunked || head.size + body_size > input.size()) {
    if (at_end || head.chunked) verdict = {State::kWrong, input.size(), 0, true};
    return verdict;
  }
  if (!framed && !bodiless && !at_end) return verdict;
  verdict.size = head.size + body_size;
  verdict.closes = head.closes || (!framed && !bodiless);
  const bool right =
      head.status == status_ && FindBody(input.substr(head.size, body_size), number, &verdict.body);
  verdict.state = right ? State::kRight : State::kWrong;
  if (right && (framed || bodiless)) Learn(input.substr(0, verdict.size), head, verdict);
  return verdict;
}

bool AnswerCheck::FindBody(std::string_view body, const char* number, size_t* index) const {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    std::string wanted = bodies_[i];
    const size_t mark = wanted.find(kNumberMark);
    if (mark != std::string::npos) wanted.replace(mark, kDigits, number, kDigits);
    if (body != wanted) continue;
    *index = i;
    return true;
  }
  return false;
}

void AnswerCheck::Learn(std::string_view answer, const Head& head, const Verdict& verdict) {
  if (sample_.empty()) sample_ = answer;
  if (shapes_.size() == kMaxShapes) return;
  Shape shape;
  shape.bytes = answer;
  shape.body = verdict.body;
  shape.closes = verdict.closes;
  const size_t mark = bodies_[verdict.body].find(kNumberMark);
  shape.number = mark == std::string::npos ? answer.size() : head.size + mark;
  shape.date = head.date == std::string_view::npos ? shape.number : head.date;
  shapes_.push_back(std::move(shape));
}

}  // namespace quipd::bench
