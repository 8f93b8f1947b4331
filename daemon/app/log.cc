// SPDX-License-Identifier: MIT
#include "app/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/spdlog.h>
#include <syslog.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/journal.h"
#include "app/log_target.h"

namespace quipd::app {
namespace {

constexpr int kPatienceMs = 100;

int PriorityOf(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return LOG_DEBUG;
    case spdlog::level::warn:
      return LOG_WARNING;
    case spdlog::level::err:
      return LOG_ERR;
    case spdlog::level::critical:
      return LOG_CRIT;
    default:
      return LOG_INFO;
  }
}

// What the entry that this thread logs is about, while it does; null otherwise.
const Diagnostic*& DiagnosticOfEntry() {
  static thread_local const Diagnostic* diagnostic = nullptr;
  return diagnostic;
}

// Lines that were lost, whatever sink they were lost in.
struct Losses {
  std::atomic<uint64_t> lines{0};
  std::atomic<uint64_t> untold{0};  // of them, those that no log speaks of yet
  std::atomic<int> why{0};          // of the last one

  void Count(int reason) {
    lines.fetch_add(1, std::memory_order_relaxed);
    untold.fetch_add(1, std::memory_order_relaxed);
    why.store(reason, std::memory_order_relaxed);
  }
};

Losses& Lost() {
  static Losses losses;
  return losses;
}

std::string WordsOfLoss(uint64_t lost) {
  const int why = Lost().why.load(std::memory_order_relaxed);
  return std::to_string(lost) + (lost == 1 ? " line" : " lines") +
         " of this log could not be written: " +
         (why == EAGAIN ? "its reader is slow" : std::strerror(why));
}

// Waits for a slow reader once, and not again before a line was written.
class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LineSink(LogTarget target) : target_(std::move(target)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  [[nodiscard]] int Write(const spdlog::details::log_msg& message);

  LogTarget target_;
  bool slow_ = false;
};

// The same for entries of the journal.
class JournalSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit JournalSink(Journal journal) : journal_(std::move(journal)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  [[nodiscard]] int Send(int priority, std::string_view message, const Diagnostic* about);

  Journal journal_;
  std::string entry_;
  bool slow_ = false;
};

void LineSink::sink_it_(const spdlog::details::log_msg& message) {
  if (const uint64_t lost = Lost().untold.exchange(0); lost > 0) {
    const std::string words = WordsOfLoss(lost);
    const int error = Write(spdlog::details::log_msg("quipd", spdlog::level::warn, words));
    if (error != 0) Lost().untold.fetch_add(lost);
  }
  if (const int error = Write(message); error != 0) Lost().Count(error);
}

// 0, or why the line was given up.
int LineSink::Write(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t text;
  formatter_->format(message, text);
  std::string_view line(text.data(), text.size());
  LogTarget::Written written = target_.Write(line);
  if (written.error == EAGAIN && !slow_) {
    target_.AwaitRoom(kPatienceMs);
    line.remove_prefix(written.bytes);
    written = target_.Write(line);
  }
  slow_ = written.error == EAGAIN;
  if (written.error != 0) target_.GiveUpLine();
  return written.error;
}

void JournalSink::sink_it_(const spdlog::details::log_msg& message) {
  if (const uint64_t lost = Lost().untold.exchange(0); lost > 0) {
    if (Send(LOG_WARNING, WordsOfLoss(lost), nullptr) != 0) Lost().untold.fetch_add(lost);
  }
  const std::string_view text(message.payload.data(), message.payload.size());
  const int error = Send(PriorityOf(message.level), text, DiagnosticOfEntry());
  if (error != 0) Lost().Count(error);
}

int JournalSink::Send(int priority, std::string_view message, const Diagnostic* about) {
  entry_.clear();
  BeginJournalEntry(priority, message, &entry_);
  if (about != nullptr) AddDiagnosticFields(*about, &entry_);
  int error = journal_.Send(entry_);
  if (error == EAGAIN && !slow_) {
    journal_.AwaitRoom(kPatienceMs);
    error = journal_.Send(entry_);
  }
  slow_ = error == EAGAIN;
  return error;
}

constexpr const char* kText = "%Y-%m-%dT%H:%M:%S.%e%z %l: %v";

void AddTo(const Diagnostic& about, nlohmann::ordered_json* line) {
  if (!about.file.empty()) (*line)["file"] = about.file;
  if (about.line > 0) (*line)["line"] = about.line;
  if (about.column > 0) (*line)["column"] = about.column;
  if (!about.hint.empty()) (*line)["hint"] = about.hint;
}

// {"time":"...","level":"info","message":"..."} on a line of its own; of a diagnostic also its
// file, line, column and hint.
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
    if (const Diagnostic* const about = DiagnosticOfEntry(); about != nullptr) AddTo(*about, &line);
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
  config::LogLevel level = config::LogLevel::kInfo;
  bool journal = false;  // of the target
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

struct Opened {
  spdlog::sink_ptr sink;
  bool journal = false;
};

Result<Opened> OpenTarget(const config::Log& log) {
  if (log.target == "journal" || (log.target.empty() && StderrIsJournal())) {
    Result<Journal> journal = Journal::Open("the log");
    if (journal) return Opened{std::make_shared<JournalSink>(std::move(*journal)), true};
    if (!log.target.empty()) return tl::unexpected(std::move(journal.error()));
  }
  if (log.target.empty() || log.target == "stderr") {
    return Opened{std::make_shared<LineSink>(LogTarget::Borrow(STDERR_FILENO))};
  }
  Result<LogTarget> file = LogTarget::Open(log.target, "the log");
  if (!file) return tl::unexpected(std::move(file.error()));
  return Opened{std::make_shared<LineSink>(std::move(*file))};
}

// Lets the target that is in use go for one that is opened now.
Result<void> SwitchTo(const config::Log& log) {
  Result<Opened> opened = OpenTarget(log);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  if (!opened->journal) opened->sink->set_formatter(FormatterFor(log));
  State& state = Current();
  state.sinks->set_sinks({std::move(opened->sink)});
  state.log = log;
  state.journal = opened->journal;
  return {};
}

spdlog::level::level_enum LevelOf(const Diagnostic& diagnostic) {
  return diagnostic.severity == Diagnostic::Severity::kError ? spdlog::level::err
                                                             : spdlog::level::warn;
}

// As shown to people, without the last line end.
std::string Paragraph(const Diagnostic& diagnostic) {
  std::string text = ToText(diagnostic);
  text.pop_back();
  return text;
}

// One entry, with its fields.
void LogOne(const Diagnostic& diagnostic, const std::string& message) {
  DiagnosticOfEntry() = &diagnostic;
  spdlog::log(LevelOf(diagnostic), "{}", message);
  DiagnosticOfEntry() = nullptr;
}

}  // namespace

void StartLog() {
  State& state = Current();
  state.sinks = std::make_shared<spdlog::sinks::dist_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("quipd", state.sinks);
  logger->set_error_handler([](const std::string&) { Lost().Count(EINVAL); });
  spdlog::set_default_logger(std::move(logger));
  static_cast<void>(ConfigureLog({}));
}

Result<void> ConfigureLog(const config::Log& log) {
  Result<void> switched = SwitchTo(log);
  if (switched) SetLogLevel(log.level);
  return switched;
}

Result<void> ReopenLog() { return SwitchTo(config::Log(Current().log)); }

void SetLogLevel(config::LogLevel level) {
  Current().level = level;
  spdlog::set_level(LevelFor(level));
}

config::LogLevel CurrentLogLevel() { return Current().level; }

void LogDiagnostics(std::string_view heading, const Diagnostics& diagnostics) {
  const bool journal = Current().journal;
  if (!heading.empty() && !journal && !Current().log.json) {
    return spdlog::warn("{}:\n{}", heading, ToText(diagnostics));
  }
  if (!heading.empty()) spdlog::warn("{}", heading);
  for (const Diagnostic& diagnostic : diagnostics) {
    LogOne(diagnostic, journal ? Paragraph(diagnostic) : ToLine(diagnostic));
  }
}

void PrintDiagnostics(const Diagnostics& diagnostics) {
  if (diagnostics.empty()) return;
  if (StderrIsJournal()) {
    Result<Journal> journal = Journal::Open("the log");
    if (journal) {
      JournalSink sink(std::move(*journal));
      for (const Diagnostic& diagnostic : diagnostics) {
        DiagnosticOfEntry() = &diagnostic;
        sink.log({"quipd", LevelOf(diagnostic), Paragraph(diagnostic)});
        DiagnosticOfEntry() = nullptr;
      }
      return;
    }
  }
  std::fputs(ToText(diagnostics).c_str(), stderr);
  std::fflush(stderr);
}

uint64_t LogLinesLost() { return Lost().lines.load(std::memory_order_relaxed); }

}  // namespace quipd::app
