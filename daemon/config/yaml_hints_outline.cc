// SPDX-License-Identifier: MIT
#include "config/yaml_hints_outline.h"

#include <algorithm>

#include "base/ascii.h"

namespace quipd::config {
namespace {

constexpr size_t kNone = std::string_view::npos;

bool IsBreak(char byte) { return byte == '\n' || byte == '\r'; }

// The byte there; a line end behind the last one.
char ByteAt(std::string_view bytes, size_t at) { return at < bytes.size() ? bytes[at] : '\n'; }

size_t SkipBlanks(std::string_view bytes, size_t at) {
  while (IsBlank(ByteAt(bytes, at))) ++at;
  return at;
}

bool BlankOrBreakAt(std::string_view bytes, size_t at) {
  const char byte = ByteAt(bytes, at);
  return IsBlank(byte) || IsBreak(byte);
}

// A `#` there begins a comment.
bool CommentAt(std::string_view bytes, size_t at) {
  return ByteAt(bytes, at) == '#' && (at == 0 || BlankOrBreakAt(bytes, at - 1));
}

// Behind the quote that closes the one at `open`, or none.
size_t QuoteEnd(std::string_view bytes, size_t open) {
  const char quote = bytes[open];
  for (size_t at = open + 1; at < bytes.size(); ++at) {
    if (quote == '"' && bytes[at] == '\\') {
      ++at;
    } else if (bytes[at] == quote) {
      if (quote == '"' || ByteAt(bytes, at + 1) != quote) return at + 1;
      ++at;
    }
  }
  return kNone;
}

// What meets the eye in a flow collection.
struct FlowVisitor {
  virtual ~FlowVisitor() = default;
  virtual void Quote(size_t open, size_t end) = 0;  // end: none where it is not closed
  virtual void Plain(size_t at) = 0;                // a byte of an unquoted text
};

// Walks from the bracket at `open` to behind the one that closes it, or gives none.
size_t WalkFlow(std::string_view bytes, size_t open, FlowVisitor* visitor) {
  size_t depth = 0;
  bool token_start = true;  // a quote opens a text here; inside a text it is an apostrophe
  size_t at = open;
  while (at < bytes.size()) {
    const char byte = bytes[at];
    if (CommentAt(bytes, at)) {
      at = std::min(bytes.find('\n', at), bytes.size());
    } else if (token_start && (byte == '"' || byte == '\'')) {
      const size_t end = QuoteEnd(bytes, at);
      if (visitor != nullptr) visitor->Quote(at, end);
      if (end == kNone) return kNone;
      at = end;
      token_start = false;
    } else {
      if (byte == '[' || byte == '{') ++depth;
      if (byte == ']' || byte == '}') --depth;
      if (depth == 0) return at + 1;
      const bool structure = std::string_view("[]{},:").find(byte) != kNone;
      if (structure) token_start = true;
      if (!structure && !IsBlank(byte) && !IsBreak(byte)) {
        token_start = false;
        if (visitor != nullptr) visitor->Plain(at);
      }
      ++at;
    }
  }
  return kNone;
}

bool IsBlockHeader(std::string_view text) {
  if (text.empty() || (text.front() != '|' && text.front() != '>')) return false;
  const size_t behind = std::min(text.find_first_not_of("+-0123456789", 1), text.size());
  const size_t next = std::min(text.find_first_not_of(" \t", behind), text.size());
  return next == text.size() || (text[next] == '#' && next > behind);
}

// Goes through the file from the top.
class Outliner {
 public:
  explicit Outliner(std::string_view bytes) : bytes_(bytes) {}

  std::vector<Entry> UpTo(size_t upto) {
    while (at_ < bytes_.size() && at_ <= upto) {
      const size_t first = SkipBlanks(bytes_, at_);
      const bool marker = bytes_.substr(at_, 3) == "---" && BlankOrBreakAt(bytes_, at_ + 3);
      if (IsBreak(ByteAt(bytes_, first)) || bytes_[first] == '#' || marker) {
        NextLine(at_);
      } else {
        entries_.push_back(ReadEntry(first));
      }
    }
    return std::move(entries_);
  }

 private:
  void NextLine(size_t from) { at_ = std::min(bytes_.find('\n', from), bytes_.size() - 1) + 1; }

  Entry ReadEntry(size_t first) {
    Entry entry;
    entry.line = at_;
    entry.start = SkipDashes(first, entry);
    FindKey(entry);
    const size_t from = entry.key == kNone ? entry.start : entry.colon + 1;
    const size_t value = SkipBlanks(bytes_, from);
    if (!IsBreak(ByteAt(bytes_, value)) && !CommentAt(bytes_, value)) entry.value = value;
    ReadValue(entry);
    return entry;
  }

  size_t SkipDashes(size_t at, Entry& entry) {
    while ((ByteAt(bytes_, at) == '-' || ByteAt(bytes_, at) == '?') &&
           BlankOrBreakAt(bytes_, at + 1)) {
      if (bytes_[at] == '-') entry.dash = at;
      at = SkipBlanks(bytes_, at + 1);
    }
    return at;
  }

  void FindKey(Entry& entry) {
    const char first = ByteAt(bytes_, entry.start);
    if (first == '{' || first == '[') return;
    const size_t line_end = LineEnd(bytes_, entry.start);
    size_t from = entry.start;
    if (first == '"' || first == '\'') {
      const size_t end = QuoteEnd(bytes_, entry.start);
      if (end == kNone || end > line_end) return;
      from = end;
    }
    const size_t colon = ColonIn(bytes_.substr(from, line_end - from));
    if (colon == kNone) return;
    entry.key = entry.start;
    entry.colon = from + colon;
  }

  void ReadValue(Entry& entry) {
    if (entry.value == kNone) {
      entry.end = LineEnd(bytes_, entry.start);
      return NextLine(entry.start);
    }
    const char first = bytes_[entry.value];
    entry.end = LineEnd(bytes_, entry.value);
    entry.kind = Entry::Kind::kPlain;
    if (IsBlockHeader(bytes_.substr(entry.value, entry.end - entry.value))) return ReadBlock(entry);
    if (first == '"' || first == '\'' || first == '{' || first == '[') {
      const bool quoted = first == '"' || first == '\'';
      entry.kind = quoted ? Entry::Kind::kQuoted : Entry::Kind::kFlow;
      const size_t end =
          quoted ? QuoteEnd(bytes_, entry.value) : WalkFlow(bytes_, entry.value, nullptr);
      entry.closed = end != kNone;
      entry.end = std::min(end, bytes_.size());
      return NextLine(std::min(entry.end, bytes_.size() - 1));
    }
    NextLine(entry.value);
  }

  // The text of a block: blank lines, and those deeper than what it belongs to and not less deep
  // than its first one.
  void ReadBlock(Entry& entry) {
    entry.kind = Entry::Kind::kBlock;
    NextLine(entry.value);
    size_t least = entry.key != kNone || entry.dash == kNone ? entry.start - entry.line + 1
                                                             : entry.dash - entry.line + 1;
    while (at_ < bytes_.size()) {
      const size_t first = std::min(bytes_.find_first_not_of(' ', at_), bytes_.size());
      const bool blank = IsBreak(ByteAt(bytes_, first));
      if (!blank && first - at_ < least) break;
      if (!blank && !entry.has_text) {
        entry.has_text = true;
        least = first - at_;
      }
      NextLine(at_);
    }
    entry.end = at_;
  }

  std::string_view bytes_;
  std::vector<Entry> entries_;
  size_t at_ = 0;
};

}  // namespace

size_t LineEnd(std::string_view bytes, size_t at) {
  size_t end = std::min(bytes.find('\n', at), bytes.size());
  if (end > at && bytes[end - 1] == '\r') --end;
  return end;
}

std::string_view Entry::Key(std::string_view bytes) const {
  std::string_view text = bytes.substr(key, colon - key);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view Entry::ValueLine(std::string_view bytes) const {
  std::string_view text = bytes.substr(value, LineEnd(bytes, value) - value);
  for (size_t i = 1; i < text.size(); ++i) {
    if (kind == Kind::kPlain && text[i] == '#' && IsBlank(text[i - 1])) text = text.substr(0, i);
  }
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

size_t Entry::BehindOffset(std::string_view bytes) const { return SkipBlanks(bytes, end); }

std::string_view Entry::Behind(std::string_view bytes) const {
  const size_t begin = BehindOffset(bytes);
  if (begin >= bytes.size() || CommentAt(bytes, begin)) return {};
  return bytes.substr(begin, LineEnd(bytes, begin) - begin);
}

std::vector<Entry> OutlineUpTo(std::string_view bytes, size_t upto) {
  return Outliner(bytes).UpTo(upto);
}

size_t ColonIn(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':' && BlankOrBreakAt(text, i + 1)) return i;
    if (text[i] == '#' && i > 0 && IsBlank(text[i - 1])) break;
  }
  return kNone;
}

bool LooksLikeRule(std::string_view text) {
  const size_t methods =
      std::min(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ-,*"), text.size());
  const size_t path = SkipBlanks(text, methods);
  return methods > 0 && path > methods && path < text.size() && text[path] == '/';
}

size_t Words(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!IsBlank(text[i]) && (i == 0 || IsBlank(text[i - 1]))) ++count;
  }
  return count;
}

std::optional<size_t> LongKeyInFlow(std::string_view bytes, size_t open, size_t max) {
  struct Visitor : FlowVisitor {
    void Quote(size_t begin, size_t end) override {
      const bool long_key =
          end != kNone && end - begin > max_bytes && ByteAt(text, SkipBlanks(text, end)) == ':';
      if (long_key && !found) found = begin;
    }
    void Plain(size_t /*at*/) override {}
    std::string_view text;
    size_t max_bytes = 0;
    std::optional<size_t> found;
  } visitor;
  visitor.text = bytes;
  visitor.max_bytes = max;
  WalkFlow(bytes, open, &visitor);
  return visitor.found;
}

std::optional<size_t> OpenQuoteInFlow(std::string_view bytes, size_t open) {
  struct Visitor : FlowVisitor {
    void Quote(size_t begin, size_t end) override {
      if (end == kNone) found = begin;
    }
    void Plain(size_t /*at*/) override {}
    std::optional<size_t> found;
  } visitor;
  WalkFlow(bytes, open, &visitor);
  return visitor.found;
}

std::optional<size_t> SlashesInFlow(std::string_view bytes, size_t open, size_t upto) {
  struct Visitor : FlowVisitor {
    void Quote(size_t /*open*/, size_t /*end*/) override {}
    void Plain(size_t at) override {
      const bool slashes = text.substr(at, 2) == "//" && at > 0 && BlankOrBreakAt(text, at - 1);
      if (slashes && at <= limit && !found) found = at;
    }
    std::string_view text;
    size_t limit = 0;
    std::optional<size_t> found;
  } visitor;
  visitor.text = bytes;
  visitor.limit = upto;
  WalkFlow(bytes, open, &visitor);
  return visitor.found;
}

}  // namespace quipd::config
