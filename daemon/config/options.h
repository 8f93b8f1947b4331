// SPDX-License-Identifier: MIT
// What stands beside a rule, in a group or in an entry of `errors` about its answer, and how it is
// inherited: the nearest wins, headers merge by name whatever their case. `type` and the header
// Content-Type are one thing, and so are `cache` and Cache-Control.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/reader.h"

namespace quipd::config {

// The options of one mapping, before inheritance.
struct OwnOptions {
  struct Written {
    std::string_view option;
    const Value* key = nullptr;
  };
  std::vector<Header> headers;
  std::vector<Place> header_places;  // of each of them
  std::vector<std::string> without;
  std::optional<std::string> type;
  std::optional<std::string> cache;
  std::optional<uint16_t> status;
  std::optional<bool> template_on;
  std::optional<bool> keep_query;
  std::optional<bool> etag;
  std::optional<bool> compress;
  std::optional<bool> listing;
  std::optional<bool> dotfiles;
  std::optional<Symlinks> symlinks;
  std::optional<std::string> fallback;
  std::optional<Place> fallback_place;
  std::vector<Written> written;  // in order

  [[nodiscard]] const Value* KeyOf(std::string_view option) const;
};

// Reads one member into `own`; false where its key is not an option's.
bool ReadOption(Reader& reader, const Value& key, const Value& value, OwnOptions* own);

// Reads `headers` alone.
void ReadHeaders(Reader& reader, const Value& key, const Value& value, OwnOptions* own);

// What two options of one mapping do to each other: each pair that excludes itself is reported.
void CheckTogether(Reader& reader, const OwnOptions& own);

// A text that can be the value of a field of a response; what can't is reported.
std::optional<std::string> ReadFieldValue(Reader& reader, const Value& value,
                                          std::string_view what);

// Whether an option means anything for an action.
[[nodiscard]] bool Fits(Action action, std::string_view option);
// Whether an answer of that action may be sent with that status.
[[nodiscard]] bool FitsStatus(Action action, uint16_t status);

[[nodiscard]] Options Merge(const Options& inherited, const OwnOptions& own);

// The options without what does not fit the action.
[[nodiscard]] Options FittedTo(Action action, const Options& options);
[[nodiscard]] bool IsFittedTo(Action action, const Options& options);

// Options of dev: no-store, whatever was said.
void ForbidStoring(Options* options);

}  // namespace quipd::config
