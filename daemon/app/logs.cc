// SPDX-License-Identifier: MIT
#include "app/logs.h"

#include <spdlog/spdlog.h>

#include <string_view>

#include "app/log.h"

namespace quipd::app {
namespace {

Result<void> PlacedAt(const config::Config& config, config::Place place, Result<void> result) {
  if (result) return result;
  const std::string& message = result.error().front().message;
  return tl::unexpected(Diagnostics{config.Error(place, message)});
}

void TellOldStays(const Result<void>& reopened, std::string_view log) {
  if (!reopened) spdlog::warn("{}; the old {} stays in use", ToLine(reopened.error().front()), log);
}

}  // namespace

Result<void> Logs::Configure(const config::Config& config) {
  const config::LogLevel level = CurrentLogLevel();
  if (Result<void> own = ConfigureLog(config.log); !own) {
    return PlacedAt(config, config.log.place, std::move(own));
  }
  if (Result<void> access = access_.Configure(config.access_log); !access) {
    TellOldStays(ConfigureLog(log_), "log");
    SetLogLevel(level);
    return PlacedAt(config, config.access_log.place, std::move(access));
  }
  log_ = config.log;
  return {};
}

void Logs::Reopen() {
  TellOldStays(ReopenLog(), "log");
  TellOldStays(access_.Reopen(), "access log");
}

}  // namespace quipd::app
