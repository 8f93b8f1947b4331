// SPDX-License-Identifier: MIT
#include "config/report.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace quipd::config {
namespace {

constexpr size_t kMostKept = 1000;

}  // namespace

uint32_t Report::Add(std::shared_ptr<const Source> source) {
  sources_.push_back(std::move(source));
  return static_cast<uint32_t>(sources_.size() - 1);
}

bool Report::Full(Diagnostic::Severity severity) {
  if (entries_.size() < kMostKept) return false;
  if (severity == Diagnostic::Severity::kError) ++errors_;
  ++left_out_;
  return true;
}

void Report::Keep(int64_t source, bool adopted, Diagnostic diagnostic) {
  if (Full(diagnostic.severity)) return;
  if (diagnostic.severity == Diagnostic::Severity::kError) ++errors_;
  entries_.push_back({source, adopted, std::move(diagnostic)});
}

void Report::Error(Place place, std::string message, std::string hint) {
  if (Full(Diagnostic::Severity::kError)) return;
  Keep(place.source, false,
       source(place.source).Error(place.mark, std::move(message), std::move(hint)));
}

void Report::Warning(Place place, std::string message, std::string hint) {
  if (Full(Diagnostic::Severity::kWarning)) return;
  Keep(place.source, false,
       source(place.source).Warning(place.mark, std::move(message), std::move(hint)));
}

void Report::Fault(Diagnostic diagnostic) { Keep(-1, false, std::move(diagnostic)); }

void Report::Adopt(uint32_t source, Diagnostics diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) Keep(source, true, std::move(diagnostic));
}

bool Report::IsSaid(const Entry& entry, const Entry& before) {
  // An alias is read at each of its places, but what it holds is at fault once.
  if (entry.diagnostic == before.diagnostic) return true;
  return before.adopted && !entry.adopted && entry.source == before.source &&
         entry.diagnostic.line == before.diagnostic.line &&
         entry.diagnostic.column == before.diagnostic.column &&
         before.diagnostic.severity == Diagnostic::Severity::kError;
}

Diagnostics Report::Take() {
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.source, a.diagnostic.line, a.diagnostic.column) <
           std::tie(b.source, b.diagnostic.line, b.diagnostic.column);
  });
  Diagnostics out;
  out.reserve(entries_.size() + 1);
  const Entry* before = nullptr;
  for (Entry& entry : entries_) {
    if (before != nullptr && IsSaid(entry, *before)) continue;
    before = &entry;
    out.push_back(entry.diagnostic);
  }
  if (left_out_ > 0) {
    Diagnostic rest = quipd::Fault("and " + std::to_string(left_out_) + " more");
    if (errors_ == 0) rest.severity = Diagnostic::Severity::kWarning;
    out.push_back(std::move(rest));
  }
  entries_.clear();
  return out;
}

}  // namespace quipd::config
