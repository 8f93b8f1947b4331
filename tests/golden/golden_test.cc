// SPDX-License-Identifier: MIT
// What people write and what quipd says of it, byte for byte. A case is cases/<name>.yaml; beside
// it <name>.expected holds all diagnostics as shown to people, or "ok" and what was understood.
// With QUIPD_GOLDEN_UPDATE=1 in the environment the expected files are written anew, to be
// reviewed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "config/loader.h"

namespace quipd::config {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// In double quotes, cut where it is long.
std::string Shown(const std::string& text) {
  std::string out = "\"";
  for (const char byte : text.substr(0, 200)) {
    if (byte == '\n') {
      out += "\\n";
    } else {
      out += byte;
    }
  }
  return out + (text.size() > 200 ? "...\" " + std::to_string(text.size()) + " bytes" : "\"");
}

std::string MethodsOf(const Methods& methods) {
  if (methods.any) return "ANY";
  std::string out;
  const auto add = [&out](std::string_view name) {
    out.append(out.empty() ? "" : ",").append(name);
  };
  for (unsigned bit = 0; bit < 16; ++bit) {
    if ((methods.known & (1U << bit)) != 0) add(http::NameOf(static_cast<http::Method>(bit)));
  }
  for (const std::string& name : methods.other) add(name);
  return out;
}

// A rule or an entry of `errors`, as it was understood.
std::string TextOf(const Representation& answer) {
  std::string out = std::string(NameOf(answer.action)) + " " + std::to_string(answer.status) + " ";
  const bool opened = answer.action == Action::kDir || answer.live;
  out += opened ? "at " + Shown(answer.file) : Shown(answer.payload);
  if (answer.options->type) out += " type " + Shown(*answer.options->type);
  if (answer.options->cache) out += " cache " + Shown(*answer.options->cache);
  for (const Header& header : answer.options->headers) {
    out += " " + header.name + ": " + Shown(header.value);
  }
  return out + "\n";
}

std::string TextOf(const Config& config) {
  std::string out;
  for (const Listener& listener : config.listeners) {
    if (listener.written == "8080") continue;
    out += "listen " + listener.written;
    for (const TlsPair& pair : listener.tls) out += " tls " + pair.certificate + " " + pair.key;
    out += "\n";
  }
  for (const Rule& rule : config.rules) {
    if (rule.override_on) out += "override ";
    out += MethodsOf(rule.methods) + " " + Shown(rule.path.written) + " " + TextOf(rule.answer);
  }
  for (const ErrorAnswer& error : config.scopes[0].errors) {
    const std::string status = error.status != 0 ? std::to_string(error.status)
                                                 : std::to_string(error.status_class) + "xx";
    out += "errors " + status + " " + TextOf(error.answer);
  }
  return out;
}

std::string Outcome(const std::string& name) {
  LoadRequest request;
  request.file = name;
  request.environment = [](const char*) -> const char* { return nullptr; };
  const Loaded loaded = Load(request);
  std::string text = ToText(loaded.diagnostics);
  if (loaded.config) text += "ok\n" + TextOf(*loaded.config);
  return text;
}

std::vector<fs::path> Cases() {
  std::vector<fs::path> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(".")) {
    if (entry.path().extension() == ".yaml") cases.push_back(entry.path().filename());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

TEST(Golden, DiagnosticsAreByteForByteAsReviewed) {
  fs::current_path(QUIPD_SOURCE_DIR "/tests/golden/cases");  // diagnostics show bare file names
  const bool update = std::getenv("QUIPD_GOLDEN_UPDATE") != nullptr;
  const std::vector<fs::path> cases = Cases();
  ASSERT_GT(cases.size(), 100u);
  for (const fs::path& path : cases) {
    SCOPED_TRACE(path);
    const std::string outcome = Outcome(path.string());
    const fs::path expected = fs::path(path).replace_extension(".expected");
    if (update) {
      std::ofstream(expected, std::ios::binary) << outcome;
    } else {
      EXPECT_EQ(outcome, ReadAll(expected));
    }
  }
}

}  // namespace
}  // namespace quipd::config
