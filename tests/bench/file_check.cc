// SPDX-License-Identifier: MIT
#include "file_check.h"

#include <algorithm>

#include "answer_head.h"

namespace quipd::bench {
namespace {

constexpr uint64_t kCompareEvery = 16;

}  // namespace

void FileCheck::Take(Progress* progress, std::string_view bytes) {
  if (progress->in_body) {
    TakeBody(progress, bytes);
  } else {
    TakeHead(progress, bytes);
  }
}

void FileCheck::TakeHead(Progress* progress, std::string_view bytes) {
  progress->head += bytes;
  AnswerHead head;
  if (!head.Parse(progress->head)) return;
  const std::string body = progress->head.substr(head.size);
  progress->head.clear();
  progress->closes = head.closes;
  if (head.chunked || head.content_length == std::string_view::npos) {
    progress->unframed = true;
    return;
  }
  progress->in_body = true;
  progress->left = head.content_length;
  progress->right = head.status == status_ && head.content_length == file_.size();
  progress->compares = answers_++ % kCompareEvery == 0;
  answer_bytes_ = head.size + head.content_length;
  if (body.size() > progress->left) progress->right = false;  // bytes that nobody asked for
  TakeBody(progress, std::string_view(body).substr(0, progress->left));
}

void FileCheck::TakeBody(Progress* progress, std::string_view bytes) const {
  if (progress->right) {
    const std::string_view file = file_;
    progress->right = bytes == file.substr(file.size() - progress->left, bytes.size());
  }
  progress->left -= std::min(progress->left, bytes.size());
}

}  // namespace quipd::bench
