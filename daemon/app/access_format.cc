// SPDX-License-Identifier: MIT
#include "app/access_format.h"

#include <charconv>
#include <cstring>
#include <ctime>
#include <string_view>

#include "app/escape.h"

namespace quipd::app {
namespace {

using server::AccessEntry;

template <size_t Size>
char* Literal(const char (&text)[Size], char* out) {
  std::memcpy(out, text, Size - 1);
  return out + Size - 1;
}

char* Number(uint64_t number, char* out) { return std::to_chars(out, out + 20, number).ptr; }

// For strftime(3), in the C locale, which is that of the process.
const char* TimePattern(AccessFormat::Format format) {
  switch (format) {
    case AccessFormat::Format::kCommon:
    case AccessFormat::Format::kCombined:
      return "[%d/%b/%Y:%H:%M:%S %z] ";
    case AccessFormat::Format::kJson:
      return "%Y-%m-%dT%H:%M:%S";
    case AccessFormat::Format::kDev:
      return "%H:%M:%S ";
  }
  return "";
}

char* QuotedText(std::string_view text, char* out) {
  *out++ = '"';
  out = text.empty() ? Literal("-", out) : EscapeText(text, out);
  *out++ = '"';
  return out;
}

// ,"name":"text", or null where there is none.
template <size_t Size>
char* Member(const char (&begin)[Size], std::string_view text, char* out) {
  out = Literal(begin, out);
  if (text.empty()) return Literal("null", out);
  *out++ = '"';
  out = EscapeJson(text, out);
  *out++ = '"';
  return out;
}

template <size_t Size>
char* Member(const char (&begin)[Size], uint64_t number, char* out) {
  return Number(number, Literal(begin, out));
}

char* RequestLine(const AccessEntry& entry, char* out) {
  if (entry.method.empty()) return Literal("\"-\"", out);
  *out++ = '"';
  out = EscapeText(entry.method, out);
  *out++ = ' ';
  out = entry.target.empty() ? Literal("-", out) : EscapeText(entry.target, out);
  return entry.http10 ? Literal(" HTTP/1.0\"", out) : Literal(" HTTP/1.1\"", out);
}

}  // namespace

size_t AccessFormat::Bound(const AccessEntry& entry) {
  constexpr size_t kRest = 512;  // names, numbers, time and address
  const size_t text = entry.method.size() + entry.target.size() + entry.host.size() +
                      entry.referer.size() + entry.user_agent.size() + entry.rule.size() +
                      entry.file.size();
  return kRest + kLongestEscape * text;
}

char* AccessFormat::Write(const AccessEntry& entry, char* out) {
  switch (format_) {
    case Format::kCommon:
      out = WriteCommon(entry, out);
      break;
    case Format::kCombined:
      out = WriteCombined(entry, out);
      break;
    case Format::kJson:
      out = WriteJson(entry, out);
      break;
    case Format::kDev:
      out = WriteDev(entry, out);
      break;
  }
  *out++ = '\n';
  return out;
}

// The time as the pattern has it: of this place, in JSON UTC.
char* AccessFormat::WriteTime(int64_t unix_ms, char* out) {
  const int64_t second = unix_ms / 1000;
  if (second != second_) {
    second_ = second;
    const auto time = static_cast<time_t>(second);
    tm parts{};
    if (format_ == Format::kJson) {
      gmtime_r(&time, &parts);
    } else {
      localtime_r(&time, &parts);
    }
    time_length_ = strftime(time_.data(), time_.size(), TimePattern(format_), &parts);
  }
  std::memcpy(out, time_.data(), time_length_);
  return out + time_length_;
}

// %h %l %u %t "%r" %>s %b
char* AccessFormat::WriteCommon(const AccessEntry& entry, char* out) {
  out = Literal(" - - ", entry.client.WriteTo(out));
  out = RequestLine(entry, WriteTime(entry.unix_ms, out));
  *out++ = ' ';
  out = Number(entry.status, out);
  *out++ = ' ';
  return entry.body_bytes == 0 ? Literal("-", out) : Number(entry.body_bytes, out);
}

char* AccessFormat::WriteCombined(const AccessEntry& entry, char* out) {
  out = WriteCommon(entry, out);
  *out++ = ' ';
  out = QuotedText(entry.referer, out);
  *out++ = ' ';
  return QuotedText(entry.user_agent, out);
}

char* AccessFormat::WriteJson(const AccessEntry& entry, char* out) {
  out = WriteTime(entry.unix_ms, Literal("{\"time\":\"", out));
  const auto ms = static_cast<unsigned>(entry.unix_ms % 1000);
  *out++ = '.';
  *out++ = static_cast<char>('0' + ms / 100);
  *out++ = static_cast<char>('0' + ms / 10 % 10);
  *out++ = static_cast<char>('0' + ms % 10);
  out = entry.client.WriteTo(Literal("Z\",\"client\":\"", out));
  out = Member("\",\"method\":", entry.method, out);
  out = Member(",\"target\":", entry.target, out);
  out = Member(",\"host\":", entry.host, out);
  out = entry.http10 ? Literal(",\"protocol\":\"HTTP/1.0\"", out)
                     : Literal(",\"protocol\":\"HTTP/1.1\"", out);
  out = Member(",\"status\":", entry.status, out);
  out = Member(",\"bytes\":", entry.body_bytes, out);
  out = Member(",\"us\":", entry.latency_us, out);
  out = Member(",\"rule\":", entry.rule, out);
  out = Member(",\"at\":", entry.file, out);
  if (!entry.file.empty()) {
    out[-1] = ':';  // in place of the quote
    out = Literal("\"", Number(entry.line, out));
  }
  out = Member(",\"referer\":", entry.referer, out);
  out = Member(",\"user_agent\":", entry.user_agent, out);
  return entry.secure ? Literal(",\"tls\":true}", out) : Literal(",\"tls\":false}", out);
}

// 12:34:56 200 GET /hello 12 B 34 us quipd.yaml:5
char* AccessFormat::WriteDev(const AccessEntry& entry, char* out) {
  out = Number(entry.status, WriteTime(entry.unix_ms, out));
  *out++ = ' ';
  out = entry.method.empty() ? Literal("-", out) : EscapeText(entry.method, out);
  *out++ = ' ';
  out = entry.target.empty() ? Literal("-", out) : EscapeText(entry.target, out);
  *out++ = ' ';
  out = Literal(" B ", Number(entry.body_bytes, out));
  out = Literal(" us ", Number(entry.latency_us, out));
  if (entry.file.empty()) return Literal("-", out);
  out = EscapeText(entry.file, out);
  *out++ = ':';
  return Number(entry.line, out);
}

}  // namespace quipd::app
