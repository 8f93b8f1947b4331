// SPDX-License-Identifier: MIT
// Loading configurations in tests: a folder of files that is the working directory while it lives,
// and a Config as text, one line a rule, so that a table can say what is expected.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/loader.h"

namespace quipd::config {

class Folder {
 public:
  Folder() : before_(std::filesystem::current_path()) {
    std::string path = std::filesystem::temp_directory_path() / "quipd-config-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) std::abort();
    path_ = path;
    std::filesystem::current_path(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  [[nodiscard]] std::string path() const { return path_; }

 private:
  std::filesystem::path before_;
  std::filesystem::path path_;
};

using Variables = std::map<std::string, std::string>;

// A request with an environment of these variables alone.
inline LoadRequest Request(Variables variables = {}) {
  LoadRequest request;
  request.environment = [variables = std::move(variables)](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return request;
}

// Loads `text` as q.yaml of the folder.
inline Loaded LoadText(const Folder& folder, const std::string& text,
                       LoadRequest request = Request()) {
  folder.Write("q.yaml", text);
  request.file = "q.yaml";
  return Load(request);
}

inline std::string TextOf(const Methods& methods) {
  std::string text = methods.any ? "ANY" : "";
  for (int i = 0; i < http::kKnownMethods; ++i) {
    if ((methods.known >> i & 1) == 0) continue;
    text += (text.empty() ? "" : ",") + std::string(http::NameOf(static_cast<http::Method>(i)));
  }
  for (const std::string& other : methods.other) text += (text.empty() ? "" : ",") + other;
  return text;
}

inline std::string TextOf(const Template& pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    text += "<" + std::to_string(static_cast<int>(piece.kind));
    if (piece.kind == Piece::Kind::kParam) text += "#" + std::to_string(piece.index);
    text += ":" + piece.text + ">";
  }
  return text;
}

inline std::string TextOf(const Options& options) {
  std::string text;
  if (options.type) text += " type=" + *options.type;
  if (options.cache) text += " cache=" + *options.cache;
  for (const Header& header : options.headers) {
    text += " {" + header.name + ": " + header.value;
    if (!header.pieces.empty()) text += " " + TextOf(header.pieces);
    text += "}";
  }
  if (options.template_on) text += " template";
  if (!options.keep_query) text += " drop";
  if (!options.etag) text += " no-etag";
  if (!options.compress) text += " no-codings";
  if (options.listing) text += " listing";
  if (options.dotfiles) text += " dotfiles";
  if (options.symlinks == Symlinks::kOff) text += " no-links";
  if (options.symlinks == Symlinks::kAnywhere) text += " all-links";
  if (!options.fallback.empty()) text += " fallback=" + options.fallback;
  return text;
}

inline std::string TextOf(const Representation& answer) {
  std::string text(NameOf(answer.action));
  text += " " + std::to_string(answer.status) + " [" + answer.payload + "]";
  if (answer.action == Action::kDir || answer.live) text += " at " + answer.file;
  if (!answer.pieces.empty()) text += " " + TextOf(answer.pieces);
  return text + TextOf(*answer.options);
}

inline std::string TextOf(const Config& config, const Rule& rule) {
  std::string text = TextOf(rule.methods) + " " + rule.path.written + " " + TextOf(rule.answer);
  for (const std::string& host : config.host_sets[rule.host_set]) text += " host=" + host;
  if (rule.listener >= 0) text += " listener=" + std::to_string(rule.listener);
  if (rule.override_on) text += " override";
  if (rule.layer > 0) text += " layer=" + std::to_string(rule.layer);
  if (!rule.name.empty()) text += " name=" + rule.name;
  return text;
}

// All rules, one a line; or the diagnostics where there is no Config.
inline std::string RulesOf(const Loaded& loaded) {
  if (!loaded.config) return ToText(loaded.diagnostics);
  std::string text;
  for (const Rule& rule : loaded.config->rules) text += TextOf(*loaded.config, rule) + "\n";
  return text;
}

// All diagnostics, each as "line:column message", with "| hint" where it has one.
inline std::vector<std::string> SaidBy(const Loaded& loaded) {
  std::vector<std::string> said;
  for (const Diagnostic& diagnostic : loaded.diagnostics) {
    std::string text =
        std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column) + " ";
    if (diagnostic.severity == Diagnostic::Severity::kWarning) text += "warning: ";
    text += diagnostic.message;
    if (!diagnostic.hint.empty()) text += " | " + diagnostic.hint;
    said.push_back(std::move(text));
  }
  return said;
}

}  // namespace quipd::config
