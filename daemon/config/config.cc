// SPDX-License-Identifier: MIT
#include "config/config.h"

#include <utility>

namespace quipd::config {

std::string_view NameOf(Action action) {
  switch (action) {
    case Action::kEcho:
      return "echo";
    case Action::kHtml:
      return "html";
    case Action::kJson:
      return "json";
    case Action::kStatus:
      return "status";
    case Action::kRedirect:
      return "redirect";
    case Action::kMoved:
      return "moved";
    case Action::kFile:
      return "file";
    case Action::kDir:
      return "dir";
    case Action::kReflect:
      return "reflect";
    case Action::kHealth:
      return "health";
  }
  return {};
}

Diagnostic Config::Error(Place place, std::string message, std::string hint) const {
  if (place.source < sources.size()) {
    return sources[place.source]->Error(place.mark, std::move(message), std::move(hint));
  }
  return Fault(std::move(message), std::move(hint));
}

Diagnostic Config::Warning(Place place, std::string message, std::string hint) const {
  Diagnostic diagnostic = Error(place, std::move(message), std::move(hint));
  diagnostic.severity = Diagnostic::Severity::kWarning;
  return diagnostic;
}

std::string Config::Where(Place place) const {
  if (place.source >= sources.size()) return {};
  return sources[place.source]->name() + ":" + std::to_string(place.mark.line + 1);
}

}  // namespace quipd::config
