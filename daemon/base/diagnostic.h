// SPDX-License-Identifier: MIT
// What quipd says of a fault that a person can mend: where, what, and what to write instead.
// Plain data; thread-safe as such. A diagnostic without a file speaks of the command line or the
// system ("can't listen on 0.0.0.0:80: permission denied").
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace quipd {

struct Diagnostic {
  enum class Severity { kError, kWarning };

  Severity severity = Severity::kError;
  std::string file;     // as the user named it; empty: of no file
  int line = 0;         // from 1; 0: of the file as a whole
  int column = 0;       // from 1, in characters (not bytes); 0: of the line as a whole
  std::string message;  // operation + object + reason, without a full stop
  std::string hint;     // what to write instead; may be empty
  std::string source;   // the line of the file, without its end; empty: none to show

  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

// A value, or at least one Diagnostic that is an error.
template <typename T>
using Result = tl::expected<T, Diagnostics>;

// An error of no file, such as one of the system.
[[nodiscard]] Diagnostic Fault(std::string message, std::string hint = {});

// The same as a Result's unexpected side.
[[nodiscard]] tl::unexpected<Diagnostics> Fail(std::string message, std::string hint = {});

[[nodiscard]] bool HasErrors(const Diagnostics& diagnostics);

// One diagnostic as shown to people, ending in a newline:
//   routes.yaml:12:5: error: unknown option "cahce"
//       cahce: 1h
//       ^
//     hint: did you mean "cache"?
// Control characters of the source line are shown as '.', so that a file can't drive a terminal;
// a line of more than 120 characters is cut around the caret.
[[nodiscard]] std::string ToText(const Diagnostic& diagnostic);

// "routes.yaml:12:5: error: unknown option "cahce"", on one line, for logs.
[[nodiscard]] std::string ToLine(const Diagnostic& diagnostic);

// All of them in order, with ToText.
[[nodiscard]] std::string ToText(const Diagnostics& diagnostics);

}  // namespace quipd
