// SPDX-License-Identifier: MIT
// Lines of ActFramework's routes.conf, read into the same shape as YAML's `routes`. What quipd
// can't serve is refused at its line, with what to write instead.
#include <algorithm>
#include <array>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "config/value.h"
#include "config/yaml_reader_bytes.h"

namespace quipd::config {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr size_t kMaxFaults = 100;
constexpr size_t kMaxLines = 1'000'000;
constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kStar = "GET,POST,PUT,PATCH,DELETE";

struct Refused {
  std::string_view directive;
  std::string_view hint;
};

constexpr std::array kRefused = {
    Refused{"redirectdir", "write moved with {{rest}}, as in GET /a/{rest...} moved: /b/{{rest}}"},
    Refused{"externalfile",
            "write file, or dir for a directory, with the path from this file's "
            "folder or from /"},
    Refused{"resource",
            "write file, or dir for a directory, with the path from this file's folder "
            "or from /"},
    Refused{"ws", "quipd serves no WebSocket"},
};

// A word of a line, and where it is.
struct Word {
  std::string_view text;
  size_t column = 0;
};

class LineReader {
 public:
  LineReader(Document& document, Diagnostics& diagnostics)
      : document_(document), source_(document.source()), diagnostics_(diagnostics) {}

  void ReadAll();

 private:
  void ReadLine();
  Word NextWord();
  bool CheckPath(const Word& path);
  bool CheckHandler(const Word& path, std::string_view handler, size_t column);
  void AddRule(const Word& methods, const Word& action, std::string_view payload);
  void WarnOfRedirects();
  void SetRoot();

  Mark At(size_t column) const {
    return {static_cast<uint32_t>(offset_ + column), line_number_, static_cast<uint32_t>(column)};
  }
  void Error(size_t column, std::string message, std::string hint) {
    diagnostics_.push_back(source_.Error(At(column), std::move(message), std::move(hint)));
  }

  std::string_view Copy(std::string_view text);
  template <typename T>
  std::span<const T> Copy(const std::vector<T>& values);

  Document& document_;
  const Source& source_;
  Diagnostics& diagnostics_;
  std::string_view line_;
  size_t offset_ = 0;  // of the line
  uint32_t line_number_ = 0;
  size_t at_ = 0;  // in the line
  std::vector<Value> rules_;
  std::vector<Mark> redirects_;
};

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == kNone) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void LineReader::ReadAll() {
  const std::string_view bytes = source_.bytes();
  while (offset_ < bytes.size() && diagnostics_.size() < kMaxFaults) {
    const size_t end = std::min(bytes.find('\n', offset_), bytes.size());
    line_ = bytes.substr(offset_, end - offset_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    if (line_number_ >= kMaxLines) {
      return Error(0, "the file has more than " + std::to_string(kMaxLines) + " lines", {});
    }
    ReadLine();
    offset_ = end + 1;
    ++line_number_;
  }
  if (rules_.empty() && diagnostics_.empty()) {
    diagnostics_.push_back(source_.Error({}, "the configuration is empty"));
  }
  WarnOfRedirects();
  SetRoot();
}

Word LineReader::NextWord() {
  const size_t begin = std::min(line_.find_first_not_of(kBlanks, at_), line_.size());
  at_ = std::min(line_.find_first_of(kBlanks, begin), line_.size());
  return {line_.substr(begin, at_ - begin), begin};
}

void LineReader::ReadLine() {
  at_ = 0;
  const Word methods = NextWord();
  if (methods.text.empty() || methods.text.starts_with('#')) return;
  const Word path = NextWord();
  const size_t begin = std::min(line_.find_first_not_of(kBlanks, at_), line_.size());
  const std::string_view handler = line_.substr(begin);
  if (!path.text.starts_with('/') || handler.empty()) {
    return Error(methods.column, "a line must be METHODS PATH ACTION: payload",
                 "as in GET /hello echo: Hello World!");
  }
  if (!CheckPath(path) || !CheckHandler(path, handler, begin)) return;
  const size_t colon = handler.find(':');
  const Word action{Trim(handler.substr(0, colon)), begin};
  if (action.text == "redirect") redirects_.push_back(At(begin));
  AddRule(methods, action, handler.substr(colon + 1));
}

// What other routers write for a parameter, and quipd would take as it is written.
bool LineReader::CheckPath(const Word& path) {
  if (const size_t found = path.text.find("/:"); found != kNone) {
    const std::string_view name = path.text.substr(found + 2);
    Error(path.column + found + 1, "a segment can't begin with a colon",
          "write {" + std::string(name.substr(0, name.find('/'))) + "}, or %3A for a colon");
    return false;
  }
  if (path.text.ends_with("/...")) {
    Error(path.column + path.text.size() - 3, "/... names no parameter", "write {rest...}");
    return false;
  }
  if (const size_t found = path.text.find("{<"); found != kNone) {
    const size_t behind = path.text.find('>', found);
    const std::string_view name =
        behind == kNone ? std::string_view("name}") : path.text.substr(behind + 1);
    Error(path.column + found, "a constraint in {<...>name} is not served yet",
          "write {" + std::string(name.substr(0, name.find('}'))) + "}");
    return false;
  }
  return true;
}

bool LineReader::CheckHandler(const Word& path, std::string_view handler, size_t column) {
  const size_t colon = handler.find(':');
  const std::string_view directive = Trim(handler.substr(0, colon));
  const auto refused = std::find_if(kRefused.begin(), kRefused.end(), [&](const Refused& entry) {
    return entry.directive == directive;
  });
  if (refused != kRefused.end()) {
    Error(column, std::string(directive) + " is not served", std::string(refused->hint));
    return false;
  }
  const bool several_words = directive.find_first_of(kBlanks) != kNone;
  if (colon != kNone && !several_words) return true;
  const std::string first(directive.substr(0, directive.find_first_of(kBlanks)));
  if (several_words) {
    Error(column, "a colon is missing after " + first,
          "METHODS PATH ACTION: payload; a blank in a path is written %20");
  } else if (first.find('.') != std::string::npos) {
    Error(column, "quipd can't call the controller " + first,
          "write what it answers, as in GET " + std::string(path.text) + " echo: text");
  } else {
    Error(column + first.size(), "a colon and a payload are missing after " + first,
          "as in GET " + std::string(path.text) + " echo: text");
  }
  return false;
}

void LineReader::AddRule(const Word& methods, const Word& action, std::string_view payload) {
  const size_t end = action.column + action.text.size();
  Value key;
  key.kind = Value::Kind::kScalar;
  key.mark = At(methods.column);
  key.text = line_.substr(methods.column, end - methods.column);
  if (methods.text == "*") key.text = Copy(std::string(kStar) + std::string(key.text.substr(1)));

  const std::string_view text = Trim(payload);
  Value value;
  value.mark = At(end);
  if (!text.empty()) {
    value.kind = Value::Kind::kScalar;
    value.style = Value::Style::kBlock;
    value.text = text;
    value.mark = At(static_cast<size_t>(text.data() - line_.data()));
  }
  Value rule;
  rule.kind = Value::Kind::kMapping;
  rule.mark = key.mark;
  rule.members = Copy(std::vector<Member>{{key, value}});
  rules_.push_back(rule);
}

void LineReader::WarnOfRedirects() {
  if (redirects_.empty()) return;
  std::string message = "redirect is answered with 302, where ActFramework sends 301";
  if (redirects_.size() > 1) {
    message += ", on " + std::to_string(redirects_.size()) + " lines of this file";
  }
  diagnostics_.push_back(
      source_.Warning(redirects_.front(), std::move(message), "write moved for 301"));
}

void LineReader::SetRoot() {
  Value key;
  key.kind = Value::Kind::kScalar;
  key.text = "routes";
  Value routes;
  routes.kind = Value::Kind::kSequence;
  routes.items = Copy(rules_);
  Value root;
  root.kind = Value::Kind::kMapping;
  root.members = Copy(std::vector<Member>{{key, routes}});
  document_.set_root(root);
}

std::string_view LineReader::Copy(std::string_view text) {
  auto* begin = static_cast<char*>(document_.arena()->allocate(text.size(), 1));
  std::copy(text.begin(), text.end(), begin);
  return {begin, text.size()};
}

template <typename T>
std::span<const T> LineReader::Copy(const std::vector<T>& values) {
  if (values.empty()) return {};
  auto* begin = static_cast<T*>(document_.arena()->allocate(values.size() * sizeof(T), alignof(T)));
  std::uninitialized_copy(values.begin(), values.end(), begin);
  return {begin, values.size()};
}

}  // namespace

ParsedDocument ParseRoutesConf(std::shared_ptr<const Source> source) {
  ParsedDocument parsed;
  if (std::optional<Diagnostic> fault = FindBadByte(*source)) {
    parsed.diagnostics.push_back(std::move(*fault));
    return parsed;
  }
  auto document = std::make_unique<Document>(std::move(source));
  LineReader(*document, parsed.diagnostics).ReadAll();
  parsed.document = std::move(document);
  return parsed;
}

}  // namespace quipd::config
