// SPDX-License-Identifier: MIT
// Where a load collects what it finds: the sources it read, in order, and every diagnostic, which
// come out by source and place however they were found. Bounded: of a flood the first are kept and
// the rest is counted. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"
#include "config/source.h"

namespace quipd::config {

class Report {
 public:
  // Takes a source in; the number is what Places call it.
  uint32_t Add(std::shared_ptr<const Source> source);
  [[nodiscard]] const Source& source(uint32_t number) const { return *sources_[number]; }
  [[nodiscard]] const std::vector<std::shared_ptr<const Source>>& sources() const {
    return sources_;
  }

  void Error(Place place, std::string message, std::string hint = {});
  void Warning(Place place, std::string message, std::string hint = {});
  // A diagnostic of no source.
  void Fault(Diagnostic diagnostic);
  // What was found in a source by its parser. What is found later at the same place is not told: it
  // speaks of the same fault.
  void Adopt(uint32_t source, Diagnostics diagnostics);

  [[nodiscard]] bool has_errors() const { return errors_ > 0; }

  // All of them, those of no source first; the report is empty afterwards.
  [[nodiscard]] Diagnostics Take();

 private:
  struct Entry {
    int64_t source;  // -1: none
    bool adopted;
    Diagnostic diagnostic;
  };
  void Keep(int64_t source, bool adopted, Diagnostic diagnostic);
  static bool IsSaid(const Entry& entry, const Entry& before);
  // Of a flood nothing is even built.
  bool Full(Diagnostic::Severity severity);

  std::vector<std::shared_ptr<const Source>> sources_;
  std::vector<Entry> entries_;
  size_t errors_ = 0;
  size_t left_out_ = 0;
};

}  // namespace quipd::config
