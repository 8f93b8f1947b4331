// SPDX-License-Identifier: MIT
// Answers from files that are opened for each request: a `dir`, or a `file` too large to be kept in
// memory. Hides how paths are contained, which file of a coding is taken, indexes, listings and
// redirects to the slash. One thread: its worker's.
#pragma once

#include <cstdint>

#include "base/file_descriptor.h"
#include "server/message.h"
#include "site/site.h"

namespace quipd::server {

class Context;

class FileResponder {
 public:
  explicit FileResponder(Context* context) : context_(*context) {}

  // Puts the answer into `message`, and into `file` what its slices are of; that is left invalid
  // where all is text. 0, or the status of the error that is due (404, 406, 412, 416, 500): then
  // the message's text is the fields that the error carries beside, each with its CRLF.
  [[nodiscard]] uint16_t Answer(const site::Site& site, const site::Answer& answer,
                                const site::Request& request, Message* message,
                                FileDescriptor* file);

 private:
  Context& context_;
};

}  // namespace quipd::server
