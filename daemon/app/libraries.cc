// SPDX-License-Identifier: MIT
#include "app/libraries.h"

#include <event2/event.h>
#include <openssl/crypto.h>
#include <spdlog/version.h>

namespace quipd::app {

std::vector<Library> Libraries() {
  return {
      {"libevent", event_get_version()},
      {"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
      {"spdlog", std::to_string(SPDLOG_VER_MAJOR) + '.' + std::to_string(SPDLOG_VER_MINOR) + '.' +
                     std::to_string(SPDLOG_VER_PATCH)},
  };
}

}  // namespace quipd::app
