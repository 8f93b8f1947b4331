// SPDX-License-Identifier: MIT
#include "app/libraries.h"

#include <event2/event.h>
#include <spdlog/version.h>

namespace quipd::app {

std::vector<Library> Libraries() {
  return {
      {"libevent", event_get_version()},
      {"spdlog", std::to_string(SPDLOG_VER_MAJOR) + '.' + std::to_string(SPDLOG_VER_MINOR) + '.' +
                     std::to_string(SPDLOG_VER_PATCH)},
  };
}

}  // namespace quipd::app
