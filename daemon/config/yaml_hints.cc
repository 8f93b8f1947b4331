// SPDX-License-Identifier: MIT
#include "config/yaml_hints.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "config/yaml_hints_outline.h"

namespace quipd::config {
namespace {

constexpr size_t kMaxKeyBytes = 1024;  // of a key without `? ` before it (YAML 1.2 7.4)
constexpr size_t kQuotedInHint = 60;   // longer texts are not repeated in a hint
constexpr size_t kNone = std::string_view::npos;

constexpr std::string_view kBracesHint =
    "quote a value that begins with {{, as in redirect: \"{{x}}\"";

constexpr std::string_view kCloseHint = "close it at the end of its text";

bool StartsWithWord(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || text[word.size()] == ' ');
}

// `text` as a hint shows it in quotes; empty where that is too long or needs escapes.
std::string Quoted(std::string_view text) {
  if (text.empty() || text.size() > kQuotedInHint || text.find('\n') != kNone) return {};
  if (text.find('\'') == kNone) return "'" + std::string(text) + "'";
  if (text.find_first_of("\"\\") == kNone) return "\"" + std::string(text) + "\"";
  return {};
}

std::string QuoteHint(std::string_view text) {
  const std::string quoted = Quoted(text);
  return "quote it" + (quoted.empty() ? std::string() : ": " + quoted) +
         ", or write it in lines of its own behind |";
}

std::string Column(size_t bytes) { return std::to_string(bytes + 1); }

// A faulty source and what its lines look like up to the place where yaml-cpp gave up.
class Suspect {
 public:
  Suspect(const Source& source, std::string_view reason, Mark mark)
      : source_(source),
        bytes_(source.bytes()),
        reason_(reason),
        at_(std::min<size_t>(mark.offset, source.bytes().size())),
        outline_(OutlineUpTo(source.bytes(), at_)) {
    if (!outline_.empty()) entry_ = &outline_.back();
    if (outline_.size() > 1) previous_ = &outline_[outline_.size() - 2];
  }

  Diagnostic Explain() const {
    using Look = std::optional<Diagnostic> (Suspect::*)() const;
    // The surest signs first.
    constexpr Look kLooks[] = {
        &Suspect::Indentation, &Suspect::Block,       &Suspect::OddKey,  &Suspect::Alias,
        &Suspect::LongKey,     &Suspect::Escape,      &Suspect::Quote,   &Suspect::Flow,
        &Suspect::FirstByte,   &Suspect::SecondColon, &Suspect::TooDeep, &Suspect::TooShallow,
    };
    for (const Look look : kLooks) {
      if (entry_ == nullptr) break;
      if (std::optional<Diagnostic> found = (this->*look)()) return *std::move(found);
    }
    return Generic();
  }

 private:
  std::optional<Diagnostic> Indentation() const;
  std::optional<Diagnostic> Block() const;
  std::optional<Diagnostic> OddKey() const;
  std::optional<Diagnostic> Alias() const;
  std::optional<Diagnostic> LongKey() const;
  std::optional<Diagnostic> Escape() const;
  std::optional<Diagnostic> Quote() const;
  std::optional<Diagnostic> Flow() const;
  std::optional<Diagnostic> FirstByte() const;
  std::optional<Diagnostic> SecondColon() const;
  std::optional<Diagnostic> TooDeep() const;
  std::optional<Diagnostic> TooShallow() const;
  Diagnostic Generic() const;

  Diagnostic At(size_t offset, std::string message, std::string hint = {}) const {
    return source_.Error(source_.MarkAt(offset), std::move(message), std::move(hint));
  }

  bool Says(std::string_view words) const { return reason_.find(words) != kNone; }

  // Of the entry's value, what is on its first line.
  std::string_view Value() const {
    return entry_->value == kNone ? std::string_view() : entry_->ValueLine(bytes_);
  }

  bool InFlow() const { return entry_->kind == Entry::Kind::kFlow; }

  const Source& source_;
  std::string_view bytes_;
  std::string_view reason_;
  size_t at_;
  std::vector<Entry> outline_;
  const Entry* entry_ = nullptr;     // what stands where yaml-cpp gave up
  const Entry* previous_ = nullptr;  // and before it
};

std::optional<Diagnostic> Suspect::Indentation() const {
  const size_t line = bytes_.rfind('\n', at_ == 0 ? 0 : at_ - 1);
  const size_t begin = line == kNone || at_ == 0 ? 0 : line + 1;
  const bool own_line = begin == entry_->line;
  // What stands before the first word: blanks, dashes and what doesn't belong there.
  size_t i = begin;
  for (; i < bytes_.size(); ++i) {
    if (bytes_[i] == '\t' && (own_line || Says("illegal tab"))) {
      return At(i, "a tab stands in the indentation", "indent with blanks alone");
    }
    if (bytes_.substr(i, 2) == "\xC2\xA0") return ExplainNoBreakSpace(source_, source_.MarkAt(i));
    if (bytes_[i] != ' ' && bytes_[i] != '-') break;
  }
  return std::nullopt;
}

std::optional<Diagnostic> Suspect::Block() const {
  if (entry_->kind == Entry::Kind::kBlock && !entry_->has_text) {
    return ExplainEmptyBlock(source_, source_.MarkAt(entry_->value), entry_->ColumnOfStart());
  }
  if (previous_ == nullptr || previous_->kind != Entry::Kind::kBlock) return std::nullopt;
  const bool deeper = entry_->ColumnOfStart() > previous_->ColumnOfStart();
  if (previous_->has_text && !deeper) return std::nullopt;
  if (!previous_->has_text) {
    return ExplainEmptyBlock(source_, source_.MarkAt(previous_->value), previous_->ColumnOfStart());
  }
  return At(previous_->value,
            "the text of this block ends too early: a line further down stands less deep than its "
            "first",
            "begin all lines in one column, or write |2 if the first shall begin with blanks");
}

std::optional<Diagnostic> Suspect::OddKey() const {
  if (entry_->key == kNone) return std::nullopt;
  const std::string_view key = entry_->Key(bytes_);
  if (key.starts_with('*') || key.starts_with("\"*") || key.starts_with("'*")) {
    return At(entry_->key, "a rule's METHODS can't be *", "write ANY");
  }
  const bool quoted = key.starts_with('"') || key.starts_with('\'');
  if (quoted && key.back() != key.front()) {
    return At(entry_->key, "only a part of this key is quoted",
              "quote the whole key, or nothing of it");
  }
  return std::nullopt;
}

std::optional<Diagnostic> Suspect::Alias() const {
  const bool alias = Says("alias") || Says("anchor is not defined");
  if (!alias) return std::nullopt;
  const size_t star = bytes_.rfind('*', at_);
  if (star == kNone || star < entry_->line) return std::nullopt;
  const std::string_view line = bytes_.substr(star, LineEnd(bytes_, star) - star);
  const std::string_view text = InFlow() ? line.substr(0, line.find_first_of(",]}")) : line;
  const std::string message = "an unquoted * begins an alias";
  const std::string_view key = entry_->key == kNone ? std::string_view() : entry_->Key(bytes_);
  if (key == "listen" && text.starts_with("*:")) {
    return At(star, message,
              "for all addresses write the port alone: " + std::string(text.substr(2)));
  }
  const std::string quoted = Quoted(text);
  std::string hint = "quote it" + (quoted.empty() ? std::string() : ": " + quoted);
  if (Says("not defined")) hint += ", or write &NAME before what it shall stand for, above";
  return At(star, message, std::move(hint));
}

std::optional<Diagnostic> Suspect::LongKey() const {
  if (InFlow()) {
    const std::optional<size_t> key = LongKeyInFlow(bytes_, entry_->value, kMaxKeyBytes);
    if (!key) return std::nullopt;
    return At(*key, "a key of more than 1024 characters",
              "write the JSON as text, in lines of its own behind json: |");
  }
  if (entry_->key == kNone || entry_->colon - entry_->key <= kMaxKeyBytes) return std::nullopt;
  return At(entry_->key, "a key of more than 1024 characters",
            "write ? and a blank before it, and its colon at the start of the next line");
}

std::optional<Diagnostic> Suspect::Escape() const {
  if (Says("invalid unicode")) {
    const size_t escape = bytes_.rfind("\\u", at_);
    return At(escape == kNone ? at_ : escape, "half of a surrogate pair is no character",
              "write the character itself, or JSON as text behind json: |");
  }
  if (!Says("unknown escape character") && !Says("scanning hex number")) return std::nullopt;
  const size_t escape = bytes_.rfind('\\', at_ == 0 ? 0 : at_ - 1);
  return At(escape == kNone ? at_ : escape, "in double quotes a backslash begins an escape",
            "write \\\\, or use single quotes");
}

std::optional<Diagnostic> Suspect::Quote() const {
  if (entry_->kind != Entry::Kind::kQuoted) {
    // A quote inside {} or [] that nothing closes.
    if (!Says("in scalar")) return std::nullopt;
    const std::optional<size_t> open =
        InFlow() ? OpenQuoteInFlow(bytes_, entry_->value) : std::nullopt;
    if (!open) return std::nullopt;
    return At(*open, "this quote is never closed", std::string(kCloseHint));
  }
  if (!entry_->closed)
    return At(entry_->value, "this quote is never closed", std::string(kCloseHint));
  if (entry_->Behind(bytes_).empty()) return std::nullopt;
  const bool one_line =
      bytes_.substr(entry_->value, entry_->end - entry_->value).find('\n') == kNone;
  if (!one_line) {
    return At(entry_->value, "this quote is not closed on its line", std::string(kCloseHint));
  }
  const std::string quoted = Quoted(Value());
  const bool apostrophe = bytes_[entry_->value] == '\'';
  return At(entry_->BehindOffset(bytes_), "text stands behind the closing quote",
            "quote the whole text" + (quoted.empty() ? std::string() : ": " + quoted) +
                (apostrophe ? "; inside '...' a ' is written ''" : ""));
}

std::optional<Diagnostic> Suspect::Flow() const {
  if (!InFlow()) return std::nullopt;
  const std::string_view all = bytes_.substr(entry_->value);
  const std::string_view before = all.substr(0, std::max(at_, entry_->value) - entry_->value + 2);
  if (entry_->key == kNone && all.starts_with('{') && LooksLikeRule(all.substr(1))) {
    return At(entry_->value, "a rule with braces in it can't stand in {...}",
              "write it without {...}, its options on lines of their own");
  }
  if (all.starts_with("{{")) {
    return At(entry_->value, "an unquoted {{ begins a mapping", std::string(kBracesHint));
  }
  if (const size_t found = before.rfind("${"); found != kNone) {
    const std::string_view name = all.substr(found, all.find('}', found) - found + 1);
    const bool whole = name.ends_with('}') && name.size() <= kQuotedInHint;
    return At(entry_->value + found, "inside [...] and {...} an unquoted ${ begins a mapping",
              "quote it: \"" + std::string(whole ? name : "${NAME}") + "\"");
  }
  if (const size_t found = before.rfind("{{"); found != kNone) {
    return At(entry_->value + found, "inside [...] and {...} an unquoted {{ begins a mapping",
              "quote it: \"{{name}}\"");
  }
  if (const std::optional<size_t> comment = SlashesInFlow(bytes_, entry_->value, at_)) {
    return ExplainSlashes(source_, source_.MarkAt(*comment));
  }
  if (Says("illegal flow end") && at_ < bytes_.size()) {
    return At(at_, std::string{bytes_[at_]} + " closes no bracket that is open here",
              "close the one inside first, or quote a text with brackets in it");
  }
  if (entry_->closed && !entry_->Behind(bytes_).empty()) {
    const char open = all.front();
    return At(entry_->value,
              open == '[' ? "an unquoted [ begins a list, and text stands behind its ]"
                          : "an unquoted { begins a mapping, and text stands behind its }",
              QuoteHint(Value()));
  }
  if (!entry_->closed) {
    return At(entry_->value,
              all.front() == '[' ? "this [ is never closed" : "this { is never closed");
  }
  return std::nullopt;
}

std::optional<Diagnostic> Suspect::FirstByte() const {
  const std::string_view value = Value();
  if (value.empty()) return std::nullopt;
  const char first = value.front();
  const bool indicator = StartsWithWord(value, "-") || StartsWithWord(value, "?") ||
                         std::string_view("@`%&!|>").find(first) != kNone;
  if (!indicator || entry_->kind == Entry::Kind::kBlock) return std::nullopt;
  if (first == '-' && LooksLikeRule(value.substr(std::min<size_t>(2, value.size())))) {
    return At(entry_->value, "a list can't begin behind its key",
              "begin it on the next line, each rule behind a dash of its own");
  }
  const std::string what =
      first == '-' || first == '?' ? std::string{first} + " and a blank" : std::string{first};
  return At(entry_->value, "an unquoted text can't begin with " + what, QuoteHint(value));
}

std::optional<Diagnostic> Suspect::SecondColon() const {
  if (entry_->key == kNone || entry_->kind != Entry::Kind::kPlain) return std::nullopt;
  const std::string_view value = Value();
  const size_t colon = ColonIn(value);
  if (colon == kNone) return std::nullopt;
  const std::string_view key = entry_->Key(bytes_);
  if (LooksLikeRule(key) && Words(key) == 2) {
    return At(entry_->colon, "a colon and a blank end the key, which must be METHODS PATH ACTION",
              "a blank in a path is written %20");
  }
  return At(entry_->value + colon,
            "an unquoted text can't hold a colon before a blank or at its end", QuoteHint(value));
}

std::optional<Diagnostic> Suspect::TooDeep() const {
  if (previous_ == nullptr || previous_->key == kNone || entry_->key == kNone) return std::nullopt;
  const bool deeper = entry_->ColumnOfStart() > previous_->ColumnOfStart();
  if (!deeper || entry_->dash != kNone || previous_->kind == Entry::Kind::kNone)
    return std::nullopt;
  return At(
      entry_->key, "this line stands deeper than the key that it should stand under",
      (LooksLikeRule(previous_->Key(bytes_)) ? "options stand under the rule's METHODS, in column "
                                             : "begin it in column ") +
          Column(previous_->ColumnOfStart()));
}

std::optional<Diagnostic> Suspect::TooShallow() const {
  const bool structure = Says("end of map not found") || Says("end of sequence not found") ||
                         Says("illegal block entry") || Says("illegal map value");
  if (!structure) return std::nullopt;
  // The item that this line may have been meant to belong to.
  const auto item = std::find_if(outline_.rbegin() + 1, outline_.rend(),
                                 [](const Entry& entry) { return entry.dash != kNone; });
  if (item == outline_.rend()) return std::nullopt;
  if (entry_->dash != kNone) {
    return At(entry_->dash, "this dash stands in the column of no list",
              "begin it in column " + Column(item->dash - item->line) + ", as the dash above");
  }
  if (entry_->key != kNone && LooksLikeRule(entry_->Key(bytes_))) {
    return At(entry_->key, "a rule without \"- \" before it", "write \"- \" before METHODS");
  }
  if (entry_->ColumnOfStart() >= item->ColumnOfStart()) return std::nullopt;
  return At(entry_->start, "this line belongs to nothing above it",
            "an option stands under its rule's METHODS, in column " +
                Column(item->ColumnOfStart()) + "; a new item begins with \"- \"");
}

Diagnostic Suspect::Generic() const {
  struct Words {
    std::string_view reason;
    std::string_view message;
    std::string_view hint;
  };
  constexpr Words kWords[] = {
      {"end of map flow", "a comma or } is due here", "quote a text with { } [ ] or , in it"},
      {"end of sequence flow", "a comma or ] is due here", "quote a text with { } [ ] or , in it"},
      {"illegal flow end", "this closes nothing", "quote a text with ] or } in it"},
      {"end of map", "this line belongs to nothing above it",
       "lines of one mapping begin in one column"},
      {"end of sequence", "this line belongs to nothing above it",
       "items of one list begin in one column"},
      {"illegal map value", "a colon before a blank has no place here", "quote the text"},
      {"illegal map key", "a ? before a blank has no place here", "quote the text"},
      {"illegal block entry", "a list can't begin here", "begin it on a line of its own"},
      {"illegal tab", "a tab stands in the indentation", "indent with blanks alone"},
      {"unexpected character in block scalar", "text stands behind | or >",
       "begin the text on the next line"},
      {"zero indentation", "a block can't have an indentation of 0", ""},
      {"illegal EOF in scalar", "a quote is never closed", kCloseHint},
      {"illegal document indicator", "a quote is never closed", kCloseHint},
      {"unknown token", "an unquoted text can't begin with this character", "quote the text"},
      {"bad file", "this is nested too deep", ""},
  };
  for (const Words& words : kWords) {
    if (Says(words.reason)) return At(at_, std::string(words.message), std::string(words.hint));
  }
  return At(at_, "this can't be read as YAML: " + std::string(reason_));
}

}  // namespace

Diagnostic ExplainSyntax(const Source& source, std::string_view reason, Mark mark) {
  return Suspect(source, reason, mark).Explain();
}

Diagnostic ExplainKey(const Source& source, Mark outer, Mark key) {
  if (source.bytes()
          .substr(std::min<size_t>(outer.offset, source.bytes().size()))
          .starts_with("{{")) {
    return source.Error(outer, "an unquoted {{ begins a mapping", std::string(kBracesHint));
  }
  return source.Error(key, "a key must be text, not a mapping or a list", "quote it");
}

Diagnostic ExplainSlashes(const Source& source, Mark mark) {
  return source.Error(mark, "// begins no comment",
                      "a comment begins with # behind a blank; JSON text as it is stands behind "
                      "json: |; quote it where it is text");
}

Diagnostic ExplainTag(const Source& source, Mark mark) {
  const std::string_view line = source.LineAt(mark);
  const std::string_view text = line.substr(std::min<size_t>(mark.column, line.size()));
  return source.Error(mark, "an unquoted ! begins a YAML tag, and quipd knows none",
                      QuoteHint(text));
}

Diagnostic ExplainUnusedAnchor(const Source& source, Mark mark, std::string_view name) {
  const std::string_view line = source.LineAt(mark);
  const std::string_view text = line.substr(std::min<size_t>(mark.column, line.size()));
  return source.Error(mark,
                      "an unquoted & begins an anchor, and nothing uses &" + std::string(name),
                      QuoteHint(text));
}

Diagnostic ExplainEmptyBlock(const Source& source, Mark mark, uint32_t parent_column) {
  const std::string_view line = source.LineAt(mark);
  const bool rule = LooksLikeRule(line.substr(std::min<size_t>(parent_column, line.size())));
  return source.Error(mark, "this block has no text",
                      std::string("its lines must stand deeper than ") +
                          (rule ? "the rule's METHODS" : "its key") + ", as in column " +
                          Column(parent_column + 2));
}

Diagnostic ExplainSecondDocument(const Source& source, Mark mark) {
  if (source.LineAt(mark).starts_with("---")) {
    return source.Error(mark, "a second document begins here, and a file holds one",
                        "delete this line, or move what follows into a file of its own");
  }
  const std::string_view behind =
      source.bytes().substr(std::min<size_t>(mark.offset, source.bytes().size()));
  if (!behind.empty() && std::string_view(",]}").find(behind.front()) != kNone) {
    return source.Error(mark, std::string("an unquoted text can't begin with ") + behind.front(),
                        "quote it");
  }
  return source.Error(mark, "this line belongs to nothing above it",
                      "lines of one mapping begin in one column");
}

Diagnostic ExplainNoBreakSpace(const Source& source, Mark mark) {
  return source.Error(mark, "a no-break space (U+00A0) stands where a blank should",
                      "replace it by a blank");
}

}  // namespace quipd::config
