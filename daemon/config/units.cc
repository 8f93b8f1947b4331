// SPDX-License-Identifier: MIT
#include "config/units.h"

#include <charconv>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <system_error>

#include "base/ascii.h"
#include "config/spelling.h"

namespace quipd::config {
namespace {

struct Unit {
  std::string_view name;
  uint64_t factor;
};

constexpr Unit kDurations[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
constexpr Unit kSizes[] = {
    {"B", 1},      {"kB", 1000},         {"MB", 1'000'000},          {"GB", 1'000'000'000},
    {"KiB", 1024}, {"MiB", 1024 * 1024}, {"GiB", 1024 * 1024 * 1024}};
constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();

size_t DigitsIn(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  return count;
}

const Unit* UnitNamed(std::string_view name, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

Parsed<uint64_t> ParseWithUnit(std::string_view text, std::span<const Unit> units,
                               std::string_view kind, const std::string& hint) {
  const size_t digits = DigitsIn(text);
  const std::string said = Quoted(text) + " is no " + std::string(kind);
  if (digits == 0) return Wrong(said, hint);
  const std::string_view name = text.substr(digits);
  if (name.empty()) return Wrong(said + ": the unit is missing", hint);
  if (name.front() == ' ') return Wrong(said + ": no blank stands before the unit", hint);
  const Unit* unit = UnitNamed(name, units);
  if (unit == nullptr) return Wrong(said, hint);
  uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + digits, number);
  if (fault != std::errc() || number > kMost / unit->factor) return Wrong(said + ": too large");
  return number * unit->factor;
}

}  // namespace

Parsed<uint64_t> ParseNumber(std::string_view text, uint64_t min, uint64_t max) {
  uint64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, fault] = std::from_chars(text.data(), last, number);
  const bool whole = !text.empty() && end == last && IsDigit(text.front());
  if (whole && fault == std::errc() && number >= min && number <= max) return number;
  return Wrong(Quoted(text) + " is no whole number from " + std::to_string(min) + " to " +
               std::to_string(max));
}

Parsed<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  return ParseWithUnit(text, kDurations, "duration",
                       "a duration is a whole number with ms, s, m, h or d, such as 30s")
      .map([](uint64_t milliseconds) { return std::chrono::milliseconds(milliseconds); });
}

Parsed<uint64_t> ParseSize(std::string_view text) {
  return ParseWithUnit(
      text, kSizes, "size",
      "a size is a whole number with B, kB, MB, GB, KiB, MiB or GiB, such as 16KiB");
}

Parsed<uint32_t> ParseMode(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with("0o")) digits.remove_prefix(2);
  uint32_t mode = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, fault] = std::from_chars(digits.data(), last, mode, 8);
  if (!digits.empty() && end == last && fault == std::errc() && mode <= 0777) return mode;
  return Wrong(Quoted(text) + " is no file mode", "a mode is octal, such as 0660");
}

Parsed<bool> ParseSwitch(std::string_view text) {
  if (text == "on" || text == "true") return true;
  if (text == "off" || text == "false") return false;
  return Wrong(Quoted(text) + " is neither on nor off", "a switch is on or off");
}

}  // namespace quipd::config
