// SPDX-License-Identifier: MIT
// Conditions: any field lines of a request against some states of a representation. The outcome is
// that of a slow reading of RFC 9110 13 and doesn't depend on the order of the lines; a date that
// is read is written back as it was, in each of its forms. The first byte of the input picks the
// method and the state.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/check.h"
#include "http/conditions.h"
#include "http/date.h"
#include "http/selection.h"

namespace quipd::http {
namespace {

constexpr int64_t kModified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr int64_t kNow = 1700000000;
constexpr uint64_t kSize = 100;

constexpr std::string_view kMethods[] = {"GET", "HEAD", "POST", "OPTIONS"};

std::vector<std::string> ValuesOf(const RequestHead& head, std::string_view name) {
  std::vector<std::string> values;
  FieldReader reader(head.fields);
  for (Field field; reader.Next(&field);) {
    if (EqualsIgnoreCase(field.name, name)) values.emplace_back(field.value);
  }
  return values;
}

// The members of a list of tags, none where it is malformed.
std::optional<std::vector<std::string>> TagsOf(const std::vector<std::string>& values) {
  std::vector<std::string> tags;
  for (const std::string& value : values) {
    bool quoted = false;
    std::string member;
    for (const char byte : value + ",") {
      quoted = quoted != (byte == '"');
      if (byte != ',' || quoted) {
        member.push_back(byte);
        continue;
      }
      if (!Trimmed(member).empty()) tags.emplace_back(Trimmed(member));
      member.clear();
    }
    if (quoted) return std::nullopt;
  }
  for (const std::string& tag : tags) {
    if (tag == "*" && tags.size() == 1) continue;
    const std::string opaque = tag.substr(tag.starts_with("W/") ? 2 : 0);
    if (opaque.size() < 2 || opaque.front() != '"' || opaque.find('"', 1) != opaque.size() - 1 ||
        std::ranges::any_of(opaque, [](char byte) { return IsControl(byte) || byte == ' '; })) {
      return std::nullopt;
    }
  }
  return tags;
}

bool ListHas(const std::vector<std::string>& values, std::string_view etag, bool strong) {
  const auto tags = TagsOf(values);
  const auto opaque = [](std::string_view tag) {
    return tag.substr(tag.starts_with("W/") ? 2 : 0);
  };
  return tags && std::ranges::any_of(*tags, [&](const std::string& tag) {
           if (tag == "*") return true;
           if (etag.empty() || opaque(tag) != opaque(etag)) return false;
           return !strong || (!tag.starts_with('W') && !etag.starts_with('W'));
         });
}

std::optional<int64_t> OnlyDate(const std::vector<std::string>& values) {
  return values.size() == 1 ? ParseDate(values[0], kNow) : std::nullopt;
}

Condition Expect(const RequestHead& head, const Validators& state) {
  if (head.method == "OPTIONS") return Condition::kHolds;
  const bool reads = head.method != "POST";
  if (const auto match = ValuesOf(head, "If-Match"); !match.empty()) {
    if (!ListHas(match, state.etag, true)) return Condition::kFailed;
  } else if (const auto date = OnlyDate(ValuesOf(head, "If-Unmodified-Since"));
             date && state.last_modified && *state.last_modified > *date) {
    return Condition::kFailed;
  }
  if (const auto none = ValuesOf(head, "If-None-Match"); !none.empty()) {
    if (!ListHas(none, state.etag, false)) return Condition::kHolds;
    return reads ? Condition::kNotModified : Condition::kFailed;
  }
  const auto date = OnlyDate(ValuesOf(head, "If-Modified-Since"));
  const bool old = reads && date && state.last_modified && *state.last_modified <= *date;
  return old ? Condition::kNotModified : Condition::kHolds;
}

bool ExpectIfRange(const RequestHead& head, const Validators& state) {
  const auto values = ValuesOf(head, "If-Range");
  if (values.size() != 1) return values.empty();
  if (values[0].starts_with('"')) return values[0] == state.etag && TagsOf(values).has_value();
  const auto date = ParseDate(values[0], kNow);
  return date && state.last_modified && *date == *state.last_modified && *date + 1 <= kNow;
}

void CheckSelection(const RequestHead& head, const Validators& state, Condition condition) {
  const Selection selection = Select(head, state, kSize, kNow);
  const auto ranges = ValuesOf(head, "Range");
  unsigned expected = 200;
  if (condition != Condition::kHolds) {
    expected = condition == Condition::kFailed ? 412 : 304;
  } else if (head.method == "GET" && ranges.size() == 1 && ExpectIfRange(head, state)) {
    const Ranges parsed = ParseRanges(ranges[0], kSize);
    expected = parsed.kind == Ranges::Kind::kSome            ? 206
               : parsed.kind == Ranges::Kind::kUnsatisfiable ? 416
                                                             : 200;
  }
  Check(selection.status == expected);
  Check((selection.ranges.kind == Ranges::Kind::kSome) == (selection.status == 206));
}

// A date in the form of `like`, of which it was read.
std::string Written(int64_t seconds, std::string_view like) {
  const auto formatted = FormatDate(seconds);
  const std::string fixed(formatted.data(), formatted.size());
  const auto part = [&fixed](size_t from, size_t size) { return fixed.substr(from, size); };
  const std::string time = part(17, 8);
  if (like.find('-') != std::string_view::npos) {
    const std::string weekday(like.substr(0, like.find(',')));
    return weekday + ", " + part(5, 2) + "-" + part(8, 3) + "-" + part(14, 2) + " " + time + " GMT";
  }
  const std::string weekday(like.substr(0, 3));
  if (like.size() > 3 && like[3] == ',') return weekday + fixed.substr(3);
  const bool blank = like.size() > 8 && like[8] == ' ';
  const std::string day = blank ? " " + part(6, 1) : part(5, 2);
  return weekday + " " + part(8, 3) + " " + day + " " + time + " " + part(12, 4);
}

void CheckDate(std::string_view text) {
  const auto seconds = ParseDate(text, kNow);
  if (!seconds) return;
  std::string as_sent(text);
  if (const size_t leap = as_sent.rfind(":60"); leap != std::string::npos) {
    // The second before is the same date but for that.
    as_sent.replace(leap, 3, ":59");
    Check(Written(*seconds - 1, text) == as_sent);
  } else {
    Check(Written(*seconds, text) == as_sent);
  }
  const auto formatted = FormatDate(*seconds);
  Check(ParseDate({formatted.data(), formatted.size()}, 0) == seconds);
}

std::string Reversed(const RequestHead& head) {
  std::string fields;
  FieldReader reader(head.fields);
  for (Field field; reader.Next(&field);) {
    fields = std::string(field.name) + ": " + std::string(field.value) + "\r\n" + fields;
  }
  return std::string(head.method) + " / HTTP/1.1\r\n" + fields + "\r\n";
}

bool Parse(std::string_view bytes, RequestHead* head) {
  return ParseRequestHead(bytes, {}, head).state == HeadState::kComplete;
}

void CheckConditions(const std::string& lines, std::string_view method, const Validators& state) {
  const std::string bytes = std::string(method) + " / HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n\r\n";
  RequestHead head;
  if (!Parse(bytes, &head)) return;
  const Condition condition = Evaluate(head, state, kNow);
  Check(condition == Expect(head, state));
  const bool if_range = IfRangeHolds(head, state, kNow);
  Check(if_range == ExpectIfRange(head, state));
  CheckSelection(head, state, condition);
  const std::string other = Reversed(head);
  RequestHead reversed;
  if (Parse(other, &reversed)) {
    Check(Evaluate(reversed, state, kNow) == condition);
    Check(IfRangeHolds(reversed, state, kNow) == if_range);
  }
  FieldReader reader(head.fields);
  for (Field field; reader.Next(&field);) CheckDate(field.value);
}

}  // namespace
}  // namespace quipd::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace quipd::http;
  if (size == 0) {
    return 0;
  }
  constexpr Validators kStates[] = {{.etag = "\"x\"", .last_modified = kModified},
                                    {.etag = "W/\"x\"", .last_modified = kModified},
                                    {.etag = "\"a,b\"", .last_modified = std::nullopt},
                                    {.etag = "", .last_modified = kNow}};
  const std::string text(data + 1, data + size);
  CheckConditions(text, kMethods[data[0] % 4], kStates[data[0] / 4 % 4]);
  CheckDate(text);
  return 0;
}
