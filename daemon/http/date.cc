// SPDX-License-Identifier: MIT
#include "http/date.h"

#include <algorithm>
#include <chrono>
#include <string_view>

namespace quipd::http {
namespace {

constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

// The first and the last second that four digits of a year can name.
constexpr int64_t kFirstSecond = -62'167'219'200;
constexpr int64_t kLastSecond = 253'402'300'799;

// Writes `value` in `digits` digits, with zeros in front.
char* PutNumber(char* out, unsigned value, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    out[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return out + digits;
}

char* PutText(char* out, std::string_view text) { return std::ranges::copy(text, out).out; }

}  // namespace

std::array<char, kDateLength> FormatDate(int64_t unix_seconds) {
  using std::chrono::days;
  const std::chrono::sys_seconds when{
      std::chrono::seconds{std::clamp(unix_seconds, kFirstSecond, kLastSecond)}};
  const auto day = std::chrono::floor<days>(when);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{when - day};
  const unsigned weekday = std::chrono::weekday{day}.c_encoding();
  const auto month = static_cast<unsigned>(date.month());

  std::array<char, kDateLength> text;
  char* out = PutText(text.data(), kDays.substr(size_t{3} * weekday, 3));
  out = PutNumber(PutText(out, ", "), static_cast<unsigned>(date.day()), 2);
  out = PutText(PutText(out, " "), kMonths.substr(size_t{3} * (month - 1), 3));
  out = PutNumber(PutText(out, " "), static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out = PutNumber(PutText(out, " "), static_cast<unsigned>(time.hours().count()), 2);
  out = PutNumber(PutText(out, ":"), static_cast<unsigned>(time.minutes().count()), 2);
  out = PutNumber(PutText(out, ":"), static_cast<unsigned>(time.seconds().count()), 2);
  PutText(out, " GMT");
  return text;
}

}  // namespace quipd::http
