// SPDX-License-Identifier: MIT
// Typed access to the Values of one source: text with the environment expanded, numbers, switches,
// lists. A value of the wrong kind or content is reported at its place and comes back as nothing,
// so that reading goes on and finds the next fault. What is returned as a view lives as long as the
// Reader and the Document. Used by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/environment.h"
#include "config/keys.h"
#include "config/problem.h"
#include "config/report.h"
#include "config/value.h"

namespace quipd::config {

struct Text {
  std::string_view text;  // environment expanded
  const Value* value = nullptr;
};

class Reader {
 public:
  Reader(Report* report, const Environment* environment, uint32_t source)
      : report_(report), environment_(environment), source_(source) {}

  [[nodiscard]] const Source& source() const { return report_->source(source_); }

  // The place of a value, or of a byte of a scalar's text where that stands as it was written.
  [[nodiscard]] Place At(const Value& value, size_t inside = 0) const;

  // `what` names the value in the message: `limits.head: "30" is no size`.
  void Error(const Value& value, std::string message, std::string hint = {}, size_t inside = 0);
  void Error(const Value& value, std::string_view what, Problem problem);
  void Error(Place place, std::string message, std::string hint = {});
  void Warning(const Value& value, std::string message, std::string hint = {}, size_t inside = 0);

  // The text of a scalar, expanded. Anything else is reported.
  std::optional<std::string_view> ReadText(const Value& value, std::string_view what);
  // The same, not expanded.
  std::optional<std::string_view> ReadLiteral(const Value& value, std::string_view what);
  // The path of a file: a relative one starts at the folder of the source.
  std::optional<std::string> ReadPath(const Value& value, std::string_view what);
  // One text, or a list of at least one.
  std::vector<Text> ReadTexts(const Value& value, std::string_view what);

  std::optional<bool> ReadSwitch(const Value& value, std::string_view what);
  std::optional<uint64_t> ReadNumber(const Value& value, std::string_view what, uint64_t min,
                                     uint64_t max);
  std::optional<std::chrono::milliseconds> ReadDuration(const Value& value, std::string_view what);
  std::optional<uint64_t> ReadSize(const Value& value, std::string_view what);

  // True for a mapping; anything else is reported.
  bool IsMapping(const Value& value, std::string_view what);

  // Reports a member without a value: at its key, with the likely cause.
  void Missing(const Value& mapping, const Member& member);

  // Whether this member may be read: its key is known at that level and served, and it has a value.
  // What is not is reported.
  bool Accept(const Value& mapping, const Member& member, Level level);

  // Calls use(member) for each member that may be read.
  template <typename Use>
  void ForEach(const Value& mapping, Level level, Use use) {
    for (const Member& member : mapping.members) {
      if (Accept(mapping, member, level)) use(member);
    }
  }

 private:
  template <typename T>
  std::optional<T> Take(const Value& value, std::string_view what, Parsed<T> parsed) {
    if (parsed) return std::move(*parsed);
    Error(value, what, std::move(parsed.error()));
    return std::nullopt;
  }
  void WrongKind(const Value& value, std::string_view what, std::string_view due);
  void Unknown(const Value& mapping, const Member& member, Level level);

  Report* report_;
  const Environment* environment_;
  uint32_t source_;
  std::deque<std::string> expanded_;
};

}  // namespace quipd::config
