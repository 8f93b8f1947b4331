// SPDX-License-Identifier: MIT
// What people write and what quipd says of it, byte for byte. A case is cases/<name>.yaml; beside it
// <name>.expected holds all diagnostics as shown to people, or "ok" and what was understood. With
// QUIPD_GOLDEN_UPDATE=1 in the environment the expected files are written anew, to be reviewed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "config/value.h"
#include "unit/config/value_text.h"

namespace quipd::config {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string Outcome(const std::string& name) {
  const auto source = ReadSource(name);
  if (!source) return ToText(source.error());
  const ParsedDocument parsed = ParseYaml(*source);
  std::string text = ToText(parsed.diagnostics);
  if (!HasErrors(parsed.diagnostics)) text += "ok\n" + TextOf(parsed.document->root()) + "\n";
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
