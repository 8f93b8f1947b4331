// SPDX-License-Identifier: MIT
// Answers from files that are opened for each request: a `dir`, or a `file` too large to be kept in
// memory. Hides which file a path means: its index, a precompressed sibling, the fallback, a
// listing, or a redirect to the slash. A file stays open only while its answer is on the way; the
// directories of rules stay open (open_file.h). What the system refuses is logged once in a while.
// One thread: its worker's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "server/file_head.h"
#include "server/message.h"
#include "server/open_file.h"
#include "site/site.h"

namespace quipd::server {

class Context;

class FileResponder {
 public:
  explicit FileResponder(Context* context) : context_(*context) {}

  // `scratch` is that of the lookup. Puts the answer into `message`, and into `file` what its
  // slices are of; that is left invalid where all is text. 0, or the status of the error that is
  // due (404, 406, 412, 416, 500): then the message's text is the fields that the error carries
  // beside, each with its CRLF.
  [[nodiscard]] uint16_t Answer(const site::Site& site, const site::Answer& answer,
                                const site::Request& request, const site::Scratch& scratch,
                                Message* message, FileDescriptor* file);

 private:
  // What is asked for, and where the answer goes.
  struct Question {
    const site::Site& site;
    const site::FileRule& rule;
    std::string_view path;   // canonical
    std::string_view below;  // of a directory
    const http::RequestHead& head;
    Message* message;
    FileDescriptor* file;
  };

  uint16_t AnswerBelow(const Question& question, Folder* folder);
  uint16_t AnswerNamed(const Question& question, Folder* folder, std::string_view name);
  uint16_t AnswerFileRule(const Question& question);
  uint16_t Show(const Question& question, const ShownFile& shown);
  FileState OpenBest(const Question& question, Folder* folder, std::string_view name,
                     const http::CodingWeights& weights, ShownFile* shown);
  uint16_t AnswerDirectory(const Question& question, Folder* folder, std::string_view name);
  uint16_t AnswerListing(const Question& question, Folder* folder);
  uint16_t Fail(const std::string& path, int error);
  Folder* FolderOf(const site::Site& site, const site::FileRule& rule);

  Context& context_;
  std::string name_;                              // of an index
  std::string sibling_;                           // of a coding
  std::vector<std::unique_ptr<Folder>> folders_;  // of the rules of site_ that were asked lately
  const void* site_ = nullptr;
  size_t next_folder_ = 0;  // the one that makes room
  int64_t next_warning_ms_ = 0;
};

}  // namespace quipd::server
