// SPDX-License-Identifier: MIT
#include "app/log.h"

#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/file_descriptor.h"

namespace quipd::app {
namespace {

constexpr const char* kText = "%Y-%m-%dT%H:%M:%S.%e%z %l: %v";

// {"time":"...","level":"info","message":"..."} on a line of its own.
class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    nlohmann::ordered_json line;
    line["time"] = std::string(time.data(), time.size());
    const auto level = spdlog::level::to_string_view(message.level);
    line["level"] = std::string(level.data(), level.size());
    line["message"] = std::string(message.payload.data(), message.payload.size());
    const std::string text =
        line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    out.append(text.data(), text.data() + text.size());
  }

  [[nodiscard]] std::unique_ptr<formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }

 private:
  spdlog::pattern_formatter time_{"%Y-%m-%dT%H:%M:%S.%e%z", spdlog::pattern_time_type::local, ""};
};

// What is in force; used by the supervisor's thread alone.
struct State {
  std::shared_ptr<spdlog::sinks::dist_sink_mt> sinks;
  config::Log log;
};

State& Current() {
  static State state;
  return state;
}

std::unique_ptr<spdlog::formatter> FormatterFor(const config::Log& log) {
  if (log.json) return std::make_unique<JsonFormatter>();
  return std::make_unique<spdlog::pattern_formatter>(kText);
}

spdlog::level::level_enum LevelFor(config::LogLevel level) {
  switch (level) {
    case config::LogLevel::kTrace:
      return spdlog::level::trace;
    case config::LogLevel::kDebug:
      return spdlog::level::debug;
    case config::LogLevel::kInfo:
      return spdlog::level::info;
    case config::LogLevel::kWarning:
      return spdlog::level::warn;
    case config::LogLevel::kError:
      return spdlog::level::err;
    case config::LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

// Opened for appending, so that a file which was cut short (copytruncate) goes on at its end.
Result<spdlog::sink_ptr> OpenFile(const std::string& path) {
  const FileDescriptor probe(
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0640));
  if (!probe) return Fail("opening the log " + path + ": " + std::strerror(errno));
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, false);
  } catch (const spdlog::spdlog_ex& fault) {
    return Fail("opening the log " + path + ": " + fault.what());
  }
}

Result<spdlog::sink_ptr> OpenTarget(const config::Log& log) {
  if (log.target.empty() || log.target == "stderr") {
    return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  }
  return OpenFile(log.target);
}

}  // namespace

void StartLog() {
  State& state = Current();
  state.sinks = std::make_shared<spdlog::sinks::dist_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("quipd", state.sinks);
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  static_cast<void>(ConfigureLog({}));
}

Result<void> ConfigureLog(const config::Log& log) {
  Result<spdlog::sink_ptr> target = OpenTarget(log);
  if (!target) return tl::unexpected(std::move(target.error()));
  (*target)->set_formatter(FormatterFor(log));
  State& state = Current();
  state.sinks->set_sinks({std::move(*target)});
  state.log = log;
  spdlog::set_level(LevelFor(log.level));
  return {};
}

Result<void> ReopenLog() { return ConfigureLog(Current().log); }

}  // namespace quipd::app
