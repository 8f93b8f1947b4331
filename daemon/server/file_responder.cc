// SPDX-License-Identifier: MIT
#include "server/file_responder.h"

#include "server/context.h"

namespace quipd::server {

uint16_t FileResponder::Answer(const site::Site&, const site::Answer&, const site::Request&,
                               Message* message, FileDescriptor*) {
  message->Clear();
  static_cast<void>(context_);
  return 500;
}

}  // namespace quipd::server
