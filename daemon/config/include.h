// SPDX-License-Identifier: MIT
// The files of a configuration: the one that was named and all that it includes, in the order in
// which they are laid over each other, with the overlays of the profiles. Hides globs, leftovers,
// cycles and which parser reads which file. Owns the Documents that the parts point into. Used by
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/environment.h"
#include "config/report.h"
#include "config/value.h"

namespace quipd::config {

// A mapping of top-level keys.
struct Part {
  uint32_t source = 0;
  const Value* top = nullptr;
};

struct Profile {
  std::string name;
  std::vector<Part> parts;  // its overlays, and what these include
};

class Files {
 public:
  Files(Report* report, const Environment* environment)
      : report_(report), environment_(environment) {}

  // Reads the file that was named ("-" is standard input) and all that it includes.
  void ReadMain(const std::string& path);

  // Parses a text of the command line; null where it is at fault. `source` is its number.
  const Value* ReadText(const std::string& name, const std::string& text, uint32_t* source);

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<Profile>& profiles() const { return profiles_; }
  // The paths of all files that were read.
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

 private:
  using Parts = std::vector<Part>;

  // `origin`: the entry of `include` that names the file, or null.
  void ReadFile(const std::string& path, const Place* origin, Parts* parts, bool in_profile);
  void ReadDocument(std::shared_ptr<const Source> source, const std::string& path, Parts* parts,
                    bool in_profile);
  void ReadInclude(const Part& part, Parts* parts, bool in_profile);
  void ReadEntry(const std::string& path, Place place, Parts* parts, bool in_profile);
  void ReadProfiles(const Part& part);
  bool IsPossible(const std::string& path, const std::string& identity, const Place* origin);
  void Say(const Place* origin, Diagnostic diagnostic);
  Parts* PartsOf(std::string_view profile);

  Report* report_;
  const Environment* environment_;
  std::vector<std::unique_ptr<const Document>> documents_;
  Parts parts_;
  std::vector<Profile> profiles_;
  std::vector<std::string> paths_;
  std::vector<std::string> open_;  // the files that are being read, each included by the one before
  bool too_many_ = false;
};

}  // namespace quipd::config
