// SPDX-License-Identifier: MIT
#include "config/environment.h"

#include <cstddef>

#include "config/spelling.h"

namespace quipd::config {
namespace {

bool IsNameByte(char byte, bool first) {
  const bool letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '_';
  return letter || (!first && byte >= '0' && byte <= '9');
}

bool IsName(std::string_view text) {
  if (text.empty()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!IsNameByte(text[i], i == 0)) return false;
  }
  return true;
}

// What stands between the braces, as its value.
Parsed<std::string> ValueOf(std::string_view inside, const Environment& environment) {
  const size_t dash = inside.find(":-");
  const std::string name(inside.substr(0, dash));
  if (!IsName(name)) {
    return Wrong(Quoted(name) + " is no name of a variable",
                 "write ${NAME} or ${NAME:-default}; $${ is a literal ${");
  }
  const char* const value = environment(name.c_str());
  if (dash != std::string_view::npos && (value == nullptr || *value == '\0')) {
    return std::string(inside.substr(dash + 2));
  }
  if (value == nullptr) {
    return Wrong("the environment variable " + name + " is not set",
                 "set it, or give a default: ${" + name + ":-default}");
  }
  return std::string(value);
}

}  // namespace

Parsed<std::string> Expand(std::string_view text, const Environment& environment) {
  std::string out;
  size_t done = 0;
  while (true) {
    const size_t dollar = text.find("${", done);
    if (dollar == std::string_view::npos) break;
    if (dollar > done && text[dollar - 1] == '$') {
      out.append(text.substr(done, dollar - 1 - done)).append("${");
      done = dollar + 2;
      continue;
    }
    const size_t end = text.find('}', dollar);
    if (end == std::string_view::npos) {
      return Wrong("${ has no closing }", "$${ is a literal ${", dollar);
    }
    Parsed<std::string> value = ValueOf(text.substr(dollar + 2, end - dollar - 2), environment);
    if (!value) {
      value.error().offset = dollar;
      return value;
    }
    out.append(text.substr(done, dollar - done)).append(*value);
    done = end + 1;
  }
  return out.append(text.substr(done));
}

}  // namespace quipd::config
