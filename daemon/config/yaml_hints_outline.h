// SPDX-License-Identifier: MIT
// A file as a person sees it: line by line, each with its dash, key and value. Made for files that
// are not YAML: it takes whatever is there and never fails. Pure; entries are offsets into the
// bytes that were looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace quipd::config {

// A line, with the lines that its quotes, brackets or block run on to.
struct Entry {
  enum class Kind : uint8_t { kNone, kPlain, kQuoted, kFlow, kBlock };  // of its value

  static constexpr size_t kNone = std::string_view::npos;

  size_t line = 0;       // where it begins
  size_t start = 0;      // its first byte that is neither blank nor dash
  size_t dash = kNone;   // the last `- ` before that
  size_t key = kNone;    // as start, where it has a key
  size_t colon = kNone;  // that ends the key
  size_t value = kNone;  // the first byte behind colon or dash
  size_t end = 0;        // behind the value: of quotes and brackets, else of the line
  Kind kind = Kind::kNone;
  bool closed = true;     // of quotes and brackets
  bool has_text = false;  // of a block

  [[nodiscard]] uint32_t ColumnOfStart() const { return static_cast<uint32_t>(start - line); }
  [[nodiscard]] std::string_view Key(std::string_view bytes) const;
  // The value as far as its first line goes, without a comment.
  [[nodiscard]] std::string_view ValueLine(std::string_view bytes) const;
  // What stands on the line behind a closed value, and where.
  [[nodiscard]] std::string_view Behind(std::string_view bytes) const;
  [[nodiscard]] size_t BehindOffset(std::string_view bytes) const;
};

// All entries that begin at or before `upto`.
[[nodiscard]] std::vector<Entry> OutlineUpTo(std::string_view bytes, size_t upto);

// Where the line of `at` ends, its CR left out.
[[nodiscard]] size_t LineEnd(std::string_view bytes, size_t at);

// The first colon in an unquoted text that a blank or the end follows.
[[nodiscard]] size_t ColonIn(std::string_view text);

// Whether a text begins as a rule does: `GET /`.
[[nodiscard]] bool LooksLikeRule(std::string_view text);

[[nodiscard]] size_t Words(std::string_view text);

// In the flow collection that begins at `open`: a quoted key of more than `max` bytes; a quote that
// is not closed; `//` before `upto` where a comment is meant.
[[nodiscard]] std::optional<size_t> LongKeyInFlow(std::string_view bytes, size_t open, size_t max);
[[nodiscard]] std::optional<size_t> OpenQuoteInFlow(std::string_view bytes, size_t open);
[[nodiscard]] std::optional<size_t> SlashesInFlow(std::string_view bytes, size_t open, size_t upto);

}  // namespace quipd::config
