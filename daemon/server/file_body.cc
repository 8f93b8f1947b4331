// SPDX-License-Identifier: MIT
#include "server/file_body.h"

#include <algorithm>
#include <utility>

#include "server/transport.h"

namespace quipd::server {
namespace {

constexpr uint64_t kTurn = 2u << 20;

}  // namespace

FileBody::FileBody(FileDescriptor file, uint64_t offset, uint64_t size)
    : file_(std::move(file)), offset_(offset), left_(size) {}

FileBody::FileBody(FileDescriptor file, std::vector<FileSlice> slices)
    : file_(std::move(file)), later_(std::move(slices)) {
  std::ranges::reverse(later_);
  Advance();
}

// To the next slice, if there is one.
void FileBody::Advance() {
  if (later_.empty()) return;
  FileSlice next = std::move(later_.back());
  later_.pop_back();
  text_ = std::move(next.before);
  text_sent_ = 0;
  offset_ = next.offset;
  left_ = next.size;
}

FileBody::State FileBody::SendText(Transport* transport, uint64_t* sent) {
  while (text_sent_ < text_.size()) {
    const bool more = left_ > 0 || !later_.empty();
    const ssize_t size = transport->Write(std::string_view(text_).substr(text_sent_), more);
    if (size < 0) return IsBlocked(errno) ? State::kBlocked : State::kFailed;
    text_sent_ += static_cast<size_t>(size);
    *sent += static_cast<uint64_t>(size);
  }
  return State::kDone;
}

FileBody::State FileBody::Send(Transport* transport, uint64_t* sent) {
  for (uint64_t turn = 0;;) {
    if (const State state = SendText(transport, sent); state != State::kDone) return state;
    while (left_ > 0) {
      if (turn >= kTurn) return State::kYielded;
      const ssize_t size =
          transport->WriteFile(file_.get(), offset_, static_cast<size_t>(std::min(left_, kTurn)));
      if (size < 0) return IsBlocked(errno) ? State::kBlocked : State::kFailed;
      if (size == 0) return State::kFailed;
      turn += static_cast<uint64_t>(size);
      offset_ += static_cast<uint64_t>(size);
      left_ -= static_cast<uint64_t>(size);
      *sent += static_cast<uint64_t>(size);
    }
    if (later_.empty()) return State::kDone;
    Advance();
  }
}

}  // namespace quipd::server
