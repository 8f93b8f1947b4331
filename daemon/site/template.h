// SPDX-License-Identifier: MIT
// A response laid out as parts: text as it is, and values of the request, each escaped for its
// place. A response without values is rendered once, at load. Owns its text; immutable once laid
// out, so thread-safe. Rendering appends to the caller's string and needs no other memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "site/site.h"

namespace quipd::site {

// What is done to a value so that it can't leave its place.
enum class Escape : uint8_t {
  kRaw,         // text/plain
  kHtml,        // & < > " '
  kJson,        // within a JSON string; what isn't UTF-8 becomes U+FFFD
  kHeader,      // controls are left out
  kTarget,      // percent-encoded, '/' too
  kTargetPath,  // percent-encoded, '/' between segments stays
};

struct Part {
  enum class Kind : uint8_t {
    kText,
    kValue,
    kTargetBegin,  // what follows is a redirect's target,
    kTargetEnd,    // which never begins with more than one slash or backslash
    kQuery,        // the request's query, if it has one, behind `separator`
  };
  Kind kind = Kind::kText;
  config::Piece::Kind value = config::Piece::Kind::kText;
  Escape escape = Escape::kRaw;
  char separator = 0;  // 0: none
  uint16_t index = 0;  // of a path's parameter
  std::string text;    // of kText; of a value its name
};

class CompiledTemplate {
 public:
  enum class Needs : uint8_t { kNothing, kQuery, kRequest };

  void AddText(std::string_view text) { AddTextTo(&head_, text); }
  // Values of a field, or of a target with Escape::kTarget.
  void AddPieces(const config::Template& pieces, Escape escape) {
    AddPiecesTo(&head_, pieces, escape);
  }
  // A redirect's target; with `keep_query` the request's query joins it, before a fragment.
  void AddTarget(const config::Representation& redirect, bool keep_query);
  void AddBodyText(std::string_view text) { AddTextTo(&body_, text); }
  void AddBodyPieces(const config::Template& pieces, Escape escape) {
    AddPiecesTo(&body_, pieces, escape);
  }
  void set_status(uint16_t status) { status_ = status; }
  // Without: neither Content-Length nor body.
  void set_has_length(bool has_length) { has_length_ = has_length; }

  [[nodiscard]] uint16_t status() const { return status_; }
  // 400 is due where the request has none.
  [[nodiscard]] bool wants_host() const { return wants_host_; }
  [[nodiscard]] Needs needs() const;

  // Appends the response. Returns where "Date: " begins in `out`; `head_size` is of the head.
  size_t Render(const Request& request, const Scratch& scratch, std::string_view date,
                bool head_only, std::string* out, size_t* head_size) const;

 private:
  static void AddTextTo(std::vector<Part>* parts, std::string_view text);
  static void AddPiecesTo(std::vector<Part>* parts, const config::Template& pieces, Escape escape);

  std::vector<Part> head_;  // all before Content-Length
  std::vector<Part> body_;
  uint16_t status_ = 200;
  bool has_length_ = true;
  bool wants_host_ = false;
};

// Escapes the bytes of `out` from `begin` on in place. A NUL there stands for a '/' of data
// (http/path.h) where `of_path`.
void EscapeTail(std::string* out, size_t begin, Escape escape, bool of_path);

}  // namespace quipd::site
