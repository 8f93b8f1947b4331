// SPDX-License-Identifier: MIT
#include "answer_check.h"

#include <cstring>
#include <utility>

namespace quipd::bench {
namespace {

constexpr size_t kMaxShapes = 64;

// Whether input[from, to) is what the shape has there.
bool SameBytes(std::string_view a, std::string_view b, size_t from, size_t to) {
  return from >= to || std::memcmp(a.data() + from, b.data() + from, to - from) == 0;
}

}  // namespace

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
  AnswerHead head;
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

void AnswerCheck::Learn(std::string_view answer, const AnswerHead& head, const Verdict& verdict) {
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
