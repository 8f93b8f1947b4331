// SPDX-License-Identifier: MIT
// A YAML document as a tree of plain values, each with its place. Hides yaml-cpp: aliases and `<<`
// are resolved here, bounded and acyclic, duplicate keys and all that quipd.yaml(5) calls a fault
// are diagnosed here, and a scalar is its text as written (`no`, `0123` stay text).
//
// A Document owns all that its Values point to. Immutable after parsing, so thread-safe. A walk
// over the whole tree is bounded: at most 64 levels deep, at most a few million values wide.
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>

#include "base/diagnostic.h"
#include "config/source.h"

namespace quipd::config {

struct Member;

struct Value {
  enum class Kind : uint8_t {
    kMissing,   // nothing was written: `key:`, or a key without a colon; never in a sequence
    kNull,      // `null`, `~`
    kScalar,    // see text
    kSequence,  // see items
    kMapping,   // see members
  };
  enum class Style : uint8_t { kPlain, kQuoted, kBlock };

  Kind kind = Kind::kMissing;
  Style style = Style::kPlain;  // of a scalar
  bool flow = false;            // of a sequence or mapping: written with [] or {}
  Mark mark;                    // of a missing value: the place behind its key
  std::string_view text;        // of a scalar, or as written for kNull
  std::span<const Value> items;
  std::span<const Member> members;  // in order, keys unique, `<<` applied

  // The member of that key, or null. Linear: iterate where all are wanted.
  [[nodiscard]] const Value* Find(std::string_view key) const;
};

struct Member {
  Value key;  // always a kScalar (the text of a null key is as written)
  Value value;
};

// Where a scalar ends: behind its last character, or behind its closing quote. Not for blocks.
[[nodiscard]] Mark EndOf(const Source& source, const Value& scalar);

// The `#` that ends the line of an unquoted scalar, or of a missing value (`echo: #fff`).
[[nodiscard]] std::optional<Mark> CommentBehind(const Source& source, const Value& value);

// The same where it isn't set off as a comment is: two blanks or a tab before it, a blank after.
[[nodiscard]] std::optional<Mark> CutByComment(const Source& source, const Value& value);

class Document {
 public:
  explicit Document(std::shared_ptr<const Source> source) : source_(std::move(source)) {}
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  [[nodiscard]] const Source& source() const { return *source_; }
  [[nodiscard]] const Value& root() const { return root_; }

  // For those who build a Document.
  [[nodiscard]] std::pmr::memory_resource* arena() { return &arena_; }
  void set_root(const Value& root) { root_ = root; }

 private:
  std::shared_ptr<const Source> source_;
  std::pmr::monotonic_buffer_resource arena_;
  Value root_;
};

struct ParsedDocument {
  // Null where nothing can be read on. Else it may be read even if there are errors, for what else
  // is wrong; what was faulty is left out of the tree or mended in it.
  std::unique_ptr<const Document> document;
  Diagnostics diagnostics;  // errors and warnings, in the order of the file
};

// Parses the one YAML document of a source.
[[nodiscard]] ParsedDocument ParseYaml(std::shared_ptr<const Source> source);

// Parses a routes.conf file into the same shape as YAML's `routes: [{KEY: payload}, ...]` would
// have: a mapping with `routes`, each item a mapping of one member, `METHODS PATH ACTION` with `*`
// spelled out as GET,POST,PUT,PATCH,DELETE, and its payload as a scalar of Style::kBlock (literal).
[[nodiscard]] ParsedDocument ParseRoutesConf(std::shared_ptr<const Source> source);

}  // namespace quipd::config
