// SPDX-License-Identifier: MIT
#include "http/date.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "base/ascii.h"

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

// Takes a date apart from the left; after a step that failed no other succeeds.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  bool Text(std::string_view expected) {
    const bool is = ok_ && rest_.starts_with(expected);
    return is ? Skip(expected.size()) : Fail();
  }

  // One of `names`, three bytes each; *index counts from 0.
  bool Name(std::string_view names, unsigned* index) {
    for (size_t at = 0; ok_ && at < names.size(); at += 3) {
      if (rest_.starts_with(names.substr(at, 3))) {
        *index = static_cast<unsigned>(at / 3);
        return Skip(3);
      }
    }
    return Fail();
  }

  bool Number(size_t digits, unsigned* value) {
    if (!ok_ || rest_.size() < digits) return Fail();
    *value = 0;
    for (const char digit : rest_.substr(0, digits)) {
      if (!IsDigit(digit)) return Fail();
      *value = *value * 10 + static_cast<unsigned>(digit - '0');
    }
    return Skip(digits);
  }

  // "08:49:37", as seconds of the day. A leap second is the first of the next minute.
  bool Time(unsigned* seconds) {
    unsigned hour = 0;
    unsigned minute = 0;
    unsigned second = 0;
    const bool is = Number(2, &hour) && Text(":") && Number(2, &minute) && Text(":") &&
                    Number(2, &second) && hour < 24 && minute < 60 && second <= 60;
    *seconds = (hour * 60 + minute) * 60 + second;
    return is || Fail();
  }

  [[nodiscard]] bool AtEnd() const { return ok_ && rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  bool Skip(size_t bytes) {
    rest_.remove_prefix(bytes);
    return true;
  }
  bool Fail() {
    ok_ = false;
    return false;
  }

  std::string_view rest_;
  bool ok_ = true;
};

struct Parts {
  unsigned year = 0;
  unsigned month = 0;  // from 0
  unsigned day = 0;
  unsigned seconds = 0;  // of the day
};

std::optional<int64_t> SecondsOf(const Parts& parts) {
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(parts.year)),
                                         std::chrono::month(parts.month + 1),
                                         std::chrono::day(parts.day)};
  if (!date.ok()) return std::nullopt;
  const std::chrono::seconds midnight = std::chrono::sys_days{date}.time_since_epoch();
  const int64_t seconds = midnight.count() + parts.seconds;
  if (seconds > kLastSecond) return std::nullopt;  // the second 60 of the last year
  return seconds;
}

// "06 Nov 1994 08:49:37 GMT", behind the day's name of an IMF-fixdate.
std::optional<int64_t> ParseFixed(DateReader reader) {
  Parts parts;
  const bool is = reader.Number(2, &parts.day) && reader.Text(" ") &&
                  reader.Name(kMonths, &parts.month) && reader.Text(" ") &&
                  reader.Number(4, &parts.year) && reader.Text(" ") &&
                  reader.Time(&parts.seconds) && reader.Text(" GMT") && reader.AtEnd();
  return is ? SecondsOf(parts) : std::nullopt;
}

// The last year with those two digits that puts the date at most 50 years after `now`.
unsigned FullYear(const Parts& parts, int64_t now) {
  using std::chrono::days;
  const std::chrono::sys_seconds when{
      std::chrono::seconds{std::clamp(now, kFirstSecond, kLastSecond)}};
  const auto today = std::chrono::floor<days>(when);
  const std::chrono::year_month_day date{today};
  const auto seconds = static_cast<unsigned>((when - today).count());
  const auto last = static_cast<unsigned>(static_cast<int>(date.year())) + 50;
  const unsigned back = (last % 100 + 100 - parts.year) % 100;
  const std::array asked{parts.month + 1, parts.day, parts.seconds};
  const std::array limit{static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                         seconds};
  const bool too_late = back == 0 && asked > limit;
  const unsigned before = too_late ? 100 : back;
  return last >= before ? last - before : parts.year;
}

// "06-Nov-94 08:49:37 GMT", behind the day's name of RFC 850.
std::optional<int64_t> ParseRfc850(DateReader reader, int64_t now) {
  Parts parts;
  const bool is = reader.Number(2, &parts.day) && reader.Text("-") &&
                  reader.Name(kMonths, &parts.month) && reader.Text("-") &&
                  reader.Number(2, &parts.year) && reader.Text(" ") &&
                  reader.Time(&parts.seconds) && reader.Text(" GMT") && reader.AtEnd();
  if (!is) return std::nullopt;
  parts.year = FullYear(parts, now);
  return SecondsOf(parts);
}

// "Nov  6 08:49:37 1994", behind the day's name of asctime().
std::optional<int64_t> ParseAsctime(DateReader reader) {
  Parts parts;
  if (!reader.Name(kMonths, &parts.month) || !reader.Text(" ")) return std::nullopt;
  const bool one_digit = reader.rest().starts_with(' ');
  const bool is = (!one_digit || reader.Text(" ")) &&
                  reader.Number(one_digit ? 1 : 2, &parts.day) && reader.Text(" ") &&
                  reader.Time(&parts.seconds) && reader.Text(" ") &&
                  reader.Number(4, &parts.year) && reader.AtEnd();
  return is ? SecondsOf(parts) : std::nullopt;
}

// What stands behind the first three letters of each day in RFC 850.
constexpr std::array<std::string_view, 7> kRestOfDays = {"day",   "day", "sday", "nesday",
                                                         "rsday", "day", "urday"};

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

std::optional<int64_t> ParseDate(std::string_view text, int64_t now) {
  DateReader reader(text);
  unsigned weekday = 0;
  if (!reader.Name(kDays, &weekday)) return std::nullopt;
  if (reader.rest().starts_with(", ") && reader.Text(", ")) return ParseFixed(reader);
  if (reader.rest().starts_with(' ') && reader.Text(" ")) return ParseAsctime(reader);
  if (reader.Text(kRestOfDays[weekday]) && reader.Text(", ")) return ParseRfc850(reader, now);
  return std::nullopt;
}

}  // namespace quipd::http
