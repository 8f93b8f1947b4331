// SPDX-License-Identifier: MIT
#include "config/json_text.h"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "base/ascii.h"

namespace quipd::config {
namespace {

size_t SkipDigits(std::string_view text, size_t from) {
  while (from < text.size() && IsDigit(text[from])) ++from;
  return from;
}

// RFC 8259 6.
bool IsJsonNumber(std::string_view text) {
  size_t i = !text.empty() && text.front() == '-' ? 1 : 0;
  if (i >= text.size() || !IsDigit(text[i])) return false;
  i = text[i] == '0' ? i + 1 : SkipDigits(text, i);
  if (i < text.size() && text[i] == '.') {
    const size_t fraction = i + 1;
    i = SkipDigits(text, fraction);
    if (i == fraction) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    size_t exponent = i + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    i = SkipDigits(text, exponent);
    if (i == exponent) return false;
  }
  return i == text.size();
}

void AppendEscape(char byte, std::string* out) {
  switch (byte) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\b':
      out->append("\\b");
      return;
    case '\f':
      out->append("\\f");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      break;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(byte);
  out->append("\\u00");
  out->push_back(kHex[code >> 4]);
  out->push_back(kHex[code & 15]);
}

void AppendString(std::string_view text, std::string* out) {
  out->push_back('"');
  for (const char byte : text) {
    if (byte == '"' || byte == '\\' || static_cast<unsigned char>(byte) < 0x20) {
      AppendEscape(byte, out);
    } else {
      out->push_back(byte);
    }
  }
  out->push_back('"');
}

void AppendScalar(const Value& value, std::string* out) {
  if (value.style == Value::Style::kPlain && IsJsonLiteral(value.text)) {
    out->append(value.text);
  } else {
    AppendString(value.text, out);
  }
}

std::optional<JsonFault> AppendSequence(const Value& value, std::string* out) {
  out->push_back('[');
  for (const Value& item : value.items) {
    if (&item != value.items.data()) out->push_back(',');
    if (auto fault = AppendJson(item, out)) return fault;
  }
  out->push_back(']');
  return std::nullopt;
}

std::optional<JsonFault> AppendMapping(const Value& value, std::string* out) {
  out->push_back('{');
  for (const Member& member : value.members) {
    if (&member != value.members.data()) out->push_back(',');
    if (member.value.kind == Value::Kind::kMissing) {
      return JsonFault{&member.key, &value, &member, {}};
    }
    AppendString(member.key.text, out);
    out->push_back(':');
    if (auto fault = AppendJson(member.value, out)) return fault;
  }
  out->push_back('}');
  return std::nullopt;
}

// Takes note of the first fault and of nothing else; no tree is built.
class Checker : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::optional<Problem> problem;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    const bool range = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
    problem = Problem{range ? "a number is out of range" : "the text is no JSON",
                      {},
                      position > 0 ? position - 1 : 0};
    return false;
  }
};

}  // namespace

bool IsJsonLiteral(std::string_view text) {
  return text == "true" || text == "false" || IsJsonNumber(text);
}

std::optional<JsonFault> AppendJson(const Value& value, std::string* out) {
  switch (value.kind) {
    case Value::Kind::kMissing: {
      return JsonFault{&value, nullptr, nullptr, {"a value is missing in json", "write null", 0}};
    }
    case Value::Kind::kNull:
      // `~` and `Null` are not how JSON spells it.
      if (value.text == "null") {
        out->append("null");
      } else {
        AppendString(value.text, out);
      }
      return std::nullopt;
    case Value::Kind::kScalar:
      AppendScalar(value, out);
      return std::nullopt;
    case Value::Kind::kSequence:
      return AppendSequence(value, out);
    case Value::Kind::kMapping:
      return AppendMapping(value, out);
  }
  return std::nullopt;
}

std::optional<Problem> CheckJson(std::string_view text) {
  Checker checker;
  const bool whole = nlohmann::json::sax_parse(text.begin(), text.end(), &checker);
  if (checker.problem) return checker.problem;
  if (!whole) return Problem{"the text is no JSON", {}, 0};
  return std::nullopt;
}

}  // namespace quipd::config
