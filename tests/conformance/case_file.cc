// SPDX-License-Identifier: MIT
#include "conformance/case_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace quipd::test {
namespace {

bool TakePrefix(std::string_view prefix, std::string_view* text) {
  if (text->substr(0, prefix.size()) != prefix) {
    return false;
  }
  text->remove_prefix(prefix.size());
  return true;
}

int HexDigit(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const size_t at = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

// The byte of an escape behind the backslash; none where there is no such escape.
std::optional<char> TakeEscape(std::string_view* text) {
  if (text->empty()) {
    return std::nullopt;
  }
  const char letter = text->front();
  text->remove_prefix(1);
  switch (letter) {
    case 'r':
      return '\r';
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case '0':
      return '\0';
    case '\\':
    case '<':
      return letter;
    default:
      break;
  }
  if (letter != 'x' || text->size() < 2 || HexDigit((*text)[0]) < 0 || HexDigit((*text)[1]) < 0) {
    return std::nullopt;
  }
  const int byte = HexDigit((*text)[0]) * 16 + HexDigit((*text)[1]);
  text->remove_prefix(2);
  return static_cast<char>(byte);
}

// Appends what TEXT stands for; false where it is malformed.
bool AppendText(std::string_view text, std::string* out) {
  while (!text.empty()) {
    if (TakePrefix("<<", &text)) {
      const size_t end = text.find(">>");
      const size_t star = text.substr(0, end).rfind('*');
      if (end == std::string_view::npos || star == std::string_view::npos) {
        return false;
      }
      std::string part;
      if (!AppendText(text.substr(0, star), &part)) {
        return false;
      }
      for (int left = std::atoi(text.data() + star + 1); left > 0; --left) {
        out->append(part);
      }
      text.remove_prefix(end + 2);
    } else if (TakePrefix("\\", &text)) {
      const std::optional<char> byte = TakeEscape(&text);
      if (!byte) {
        return false;
      }
      out->push_back(*byte);
    } else {
      out->push_back(text.front());
      text.remove_prefix(1);
    }
  }
  return true;
}

class FileReader {
 public:
  explicit FileReader(std::string path) : path_(std::move(path)) {}

  std::vector<Case> Read() {
    std::ifstream file(path_);
    if (!file) {
      ADD_FAILURE() << path_ << ": can't be read";
    }
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (line.starts_with("= ")) {
        TakeBlock();
      }
      if (!line.empty() && line[0] != '#') {
        block_.emplace_back(number, line);
      }
    }
    TakeBlock();
    return std::move(cases_);
  }

 private:
  // The lines of one case, and in their place one for each path that it is for.
  void TakeBlock() {
    const std::vector<std::pair<int, std::string>> lines = std::move(block_);
    block_.clear();
    const auto is_for = [](const auto& line) { return line.second.starts_with("for "); };
    const auto found = std::find_if(lines.begin(), lines.end(), is_for);
    std::istringstream words(found == lines.end() ? "" : found->second.substr(4));
    std::string path;
    words >> path;
    do {
      for (const auto& [number, line] : lines) {
        line_ = number;
        if (!is_for(std::pair(number, line)) && !TakeLine(WithPath(line, path))) {
          ADD_FAILURE() << path_ << ":" << line_ << ": not understood: " << line;
        }
      }
      FinishCase(path);
    } while (words >> path);
  }

  static std::string WithPath(std::string line, const std::string& path) {
    constexpr std::string_view kMark = "$path";
    for (size_t at = line.find(kMark); at != line.npos; at = line.find(kMark, at)) {
      line.replace(at, kMark.size(), path);
    }
    return line;
  }

  void FinishCase(const std::string& path) {
    if (cases_.empty()) {
      return;
    }
    Case& last = cases_.back();
    last.title += path.empty() ? "" : " (" + path + ")";
    const bool whole = !last.request.empty() && !last.responses.empty() &&
                       last.end != Case::End::kUnset && !last.reference.empty();
    if (!whole) {
      ADD_FAILURE() << path_ << ":" << last.line << ": an unfinished case";
    }
  }

  bool TakeLine(std::string_view line) {
    if (TakePrefix("= ", &line)) {
      cases_.emplace_back();
      cases_.back().title = line;
      cases_.back().file = path_;
      cases_.back().line = line_;
      return true;
    }
    if (cases_.empty()) {
      return false;
    }
    Case& now = cases_.back();
    if (TakePrefix(">> ", &line)) {
      return AppendText(line, &now.request);
    }
    if (line == ">" || TakePrefix("> ", &line)) {
      const bool good = line == ">" || AppendText(line, &now.request);
      now.request += "\r\n";
      return good;
    }
    if (TakePrefix("< ", &line)) {
      now.responses.emplace_back();
      return TakeStatus(line, &now.responses.back());
    }
    if (TakePrefix("  ", &line)) {
      return !now.responses.empty() && TakeDetail(line, &now.responses.back());
    }
    return TakeEnd(line, &now) || TakeReference(line, &now);
  }

  static bool TakeStatus(std::string_view text, ExpectedResponse* response) {
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
      if (word == "head") {
        response->to_head = true;
      } else if (word == "optional") {
        response->optional_interim = true;
      } else if (word == "none") {
        response->may_be_missing = true;
      } else if (word != "or") {
        response->statuses.push_back(std::atoi(word.c_str()));
        if (response->statuses.back() < 100) {
          return false;
        }
      }
    }
    return !response->statuses.empty() || response->may_be_missing;
  }

  static bool TakeDetail(std::string_view text, ExpectedResponse* response) {
    if (TakePrefix("!~ ", &text)) {
      return AppendText(text, &response->lacks.emplace_back());
    }
    if (TakePrefix("!", &text)) {
      response->forbidden.emplace_back(text);
      return true;
    }
    if (TakePrefix("~ ", &text)) {
      return AppendText(text, &response->holds.emplace_back());
    }
    if (TakePrefix("+ ", &text)) {
      return TakePart(text, response);
    }
    if (text.find(" of /") != text.npos && text.substr(0, 1) == "b") {
      return TakeBodyOf(text, response);
    }
    if (text == "=" || TakePrefix("= ", &text)) {
      response->has_body = true;
      return text == "=" || AppendText(text, &response->body);
    }
    const size_t colon = text.find(": ");
    if (colon == std::string_view::npos) {
      return false;
    }
    auto& [name, value] = response->fields.emplace_back(text.substr(0, colon), "");
    return AppendText(text.substr(colon + 2), &value);
  }

  static bool TakePart(std::string_view text, ExpectedResponse* response) {
    const size_t equals = text.find(" = ");
    if (equals == text.npos) {
      return false;
    }
    ExpectedPart& part = response->parts.emplace_back();
    part.content_range = text.substr(0, equals);
    return AppendText(text.substr(equals + 3), &part.body);
  }

  static bool TakeBodyOf(std::string_view text, ExpectedResponse* response) {
    BodyOf& body = response->body_of.emplace();
    std::istringstream words{std::string(text)};
    std::string kind;
    std::string of;
    char dash = '\0';
    words >> kind;
    body.decoded = kind == "body";
    if (!body.decoded) {
      words >> body.first >> dash >> body.last;
    }
    words >> of >> body.path;
    const bool good =
        !words.fail() && of == "of" && (body.decoded || (kind == "bytes" && dash == '-'));
    words >> body.coding;
    return good;
  }

  static bool TakeEnd(std::string_view line, Case* now) {
    now->end = line == "open"         ? Case::End::kOpen
               : line == "close"      ? Case::End::kClose
               : line == "half-close" ? Case::End::kHalfClose
                                      : now->end;
    return line == "open" || line == "close" || line == "half-close";
  }

  static bool TakeReference(std::string_view line, Case* now) {
    if (line.substr(0, 4) != "row " && line.substr(0, 5) != "case ") {
      return false;
    }
    now->reference = line;
    if (TakePrefix("row ", &line)) {
      std::istringstream numbers{std::string(line.substr(0, line.find(',')))};
      for (int row = 0; numbers >> row;) {
        now->rows.push_back(row);
      }
      return !now->rows.empty();
    }
    return true;
  }

  std::string path_;
  int line_ = 0;
  std::vector<std::pair<int, std::string>> block_;  // the lines of a case, with their numbers
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> ReadCases(const std::string& path) { return FileReader(path).Read(); }

}  // namespace quipd::test
