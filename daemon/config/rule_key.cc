// SPDX-License-Identifier: MIT
#include "config/rule_key.h"

#include <algorithm>
#include <string>
#include <vector>

#include "config/keys.h"
#include "config/spelling.h"
#include "http/method.h"
#include "http/request_head.h"

namespace quipd::config {
namespace {

constexpr std::string_view kBlanks = " \t";
bool HasLower(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char byte) { return byte >= 'a' && byte <= 'z'; });
}

std::string Upper(std::string_view text) {
  std::string out(text);
  for (char& byte : out) {
    if (byte >= 'a' && byte <= 'z') byte = static_cast<char>(byte - 'a' + 'A');
  }
  return out;
}

struct Word {
  std::string_view text;
  size_t offset;
};

std::vector<Word> WordsOf(std::string_view key) {
  std::vector<Word> words;
  size_t begin = key.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const size_t end = std::min(key.find_first_of(kBlanks, begin), key.size());
    words.push_back({key.substr(begin, end - begin), begin});
    begin = key.find_first_not_of(kBlanks, end);
  }
  return words;
}

// Why the words are not three.
Problem WrongCount(const std::vector<Word>& words) {
  Problem problem{
      "a rule begins with three words, METHODS PATH ACTION, not " + std::to_string(words.size()),
      "such as: GET /hello echo: Hello", 0};
  if (words.size() == 2 && words[1].text.starts_with('/')) {
    problem.message = "the action is missing behind the path";
    problem.hint = "such as: " + std::string(words[0].text) + " " + std::string(words[1].text) +
                   " echo: Hello";
    problem.offset = words[1].offset;
  } else if (words.size() == 2 && words[0].text.starts_with('/')) {
    problem.message = "the method is missing before the path";
    problem.hint = "such as: GET " + std::string(words[0].text) + " " + std::string(words[1].text);
  } else if (words.size() > 3 && words[0].text.ends_with(',')) {
    problem.hint = "methods are joined by commas without blanks: GET,POST";
  } else if (words.size() > 3 && words[1].text.starts_with(',')) {
    problem.hint = "methods are joined by commas without blanks: GET,POST";
  } else if (words.size() > 3 && words[1].text.starts_with('/')) {
    problem.hint = "a blank in a path is written %20";
    problem.offset = words[2].offset;
  }
  return problem;
}

std::optional<Problem> CheckMethod(std::string_view token, size_t offset) {
  if (token.empty())
    return Problem{"a method is missing beside a comma", "such as: GET,POST", offset};
  if (token == "*") return Problem{"a rule has no method *", "every method is written ANY", offset};
  if (token == "CONNECT" || token == "TRACE") {
    return Problem{"a rule can't take the method " + std::string(token), {}, offset};
  }
  if (token == "ANY") return Problem{"ANY stands alone, not in a list of methods", {}, offset};
  if (!http::IsToken(token)) {
    std::string hint = token.starts_with('/') ? "a rule is METHODS PATH ACTION" : "";
    return Problem{Quoted(token) + " is no method", std::move(hint), offset};
  }
  if (HasLower(token)) {
    return Problem{Quoted(token) + " is no method: methods are in upper case",
                   "write " + Upper(token), offset};
  }
  return std::nullopt;
}

// False where the method was there before.
bool AddMethod(std::string_view token, Methods* out) {
  const http::Method method = http::MethodOf(token);
  if (method == http::Method::kOther) {
    if (std::find(out->other.begin(), out->other.end(), token) != out->other.end()) return false;
    out->other.emplace_back(token);
    return true;
  }
  const auto bit = static_cast<uint16_t>(1u << static_cast<unsigned>(method));
  if ((out->known & bit) != 0) return false;
  out->known = static_cast<uint16_t>(out->known | bit);
  return true;
}

}  // namespace

bool IsRuleKey(std::string_view key) { return key.find_first_of(kBlanks) != key.npos; }

Parsed<RuleWords> SplitRuleKey(std::string_view key) {
  // The common spelling first: one blank between the words, none around them.
  const size_t first = key.find(' ');
  const size_t second = first == key.npos ? first : key.find(' ', first + 1);
  if (second != key.npos && first > 0 && second > first + 1 && second + 1 < key.size() &&
      key.find_first_of(kBlanks, second + 1) == key.npos && key.find('\t') == key.npos) {
    return RuleWords{key.substr(0, first), key.substr(first + 1, second - first - 1),
                     key.substr(second + 1), first + 1, second + 1};
  }
  const std::vector<Word> words = WordsOf(key);
  if (words.size() != 3) return tl::unexpected(WrongCount(words));
  return RuleWords{words[0].text, words[1].text, words[2].text, words[1].offset, words[2].offset};
}

std::optional<Problem> ParseMethods(std::string_view text, Methods* out) {
  if (text == "GET") {
    out->known = 1u << static_cast<unsigned>(http::Method::kGet);
    return std::nullopt;
  }
  if (text == "ANY") {
    out->any = true;
    return std::nullopt;
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view token = text.substr(begin, comma - begin);
    if (auto problem = CheckMethod(token, begin)) return problem;
    if (!AddMethod(token, out)) {
      return Problem{"the method " + std::string(token) + " is named twice", {}, begin};
    }
    begin = comma + 1;
  }
  return std::nullopt;
}

std::optional<Problem> CheckDirMethods(std::string_view methods) {
  if (methods == "GET") return std::nullopt;
  return Problem{"dir answers GET alone", "write GET: HEAD is answered wherever GET is", 0};
}

std::optional<Problem> CheckDirPath(std::string_view path) {
  if (path.ends_with('/')) return std::nullopt;
  const size_t last = path.rfind('/') + 1;
  const bool rest = path.substr(last).starts_with('{') && path.ends_with("...}");
  const std::string due = rest ? std::string(path.substr(0, last)) : std::string(path) + "/";
  return Problem{"the path of a dir ends in /", "write " + due + ": it matches all below it", 0};
}

Parsed<Action> ParseAction(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Action::kHealth); ++i) {
    const auto action = static_cast<Action>(i);
    if (NameOf(action) == text) return action;
  }
  if (std::find(Actions().begin(), Actions().end(), text) != Actions().end()) {
    return Wrong("the action " + Quoted(text) + " is not yet served");
  }
  if (IsReserved(text)) {
    return Wrong("the action " + Quoted(text) + " is reserved and not yet served");
  }
  std::string hint = DidYouMean(text, Actions());
  const size_t colon = text.find(':');
  if (colon != text.npos) hint = "a blank is missing after the colon";
  if (text.starts_with('/')) hint = "a rule is METHODS PATH ACTION";
  if (hint.empty()) hint = "actions are " + Listing(Actions());
  return Wrong("unknown action " + Quoted(text), std::move(hint));
}

}  // namespace quipd::config
