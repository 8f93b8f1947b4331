// SPDX-License-Identifier: MIT
// Slices of a file on their way to a client, each with text before it: the parts of a
// multipart/byteranges, or one slice alone. Memory is bounded whatever their size. One thread; owns
// the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"

namespace quipd::server {

class Transport;

struct FileSlice {
  std::string before;  // text
  uint64_t offset = 0;
  uint64_t size = 0;  // may be 0: text alone
};

class FileBody {
 public:
  // One slice, without text.
  FileBody(FileDescriptor file, uint64_t offset, uint64_t size);
  // Several, in order.
  FileBody(FileDescriptor file, std::vector<FileSlice> slices);

  enum class State : uint8_t {
    kDone,
    kBlocked,  // the socket takes no more now
    kYielded,  // a turn's worth was sent; others come first
    kFailed,   // the socket is lost, or the file is shorter than it was
  };
  // Sends what the socket takes, up to a turn's worth. Adds what it sent to `sent`.
  [[nodiscard]] State Send(Transport* transport, uint64_t* sent);

 private:
  [[nodiscard]] State SendText(Transport* transport, uint64_t* sent);
  void Advance();

  FileDescriptor file_;
  std::string text_;  // before what is at offset_
  size_t text_sent_ = 0;
  uint64_t offset_ = 0;
  uint64_t left_ = 0;
  std::vector<FileSlice> later_;  // the last comes next
};

}  // namespace quipd::server
