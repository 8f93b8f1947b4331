// SPDX-License-Identifier: MIT
#include "base/diagnostic.h"

#include <gtest/gtest.h>

namespace quipd {
namespace {

Diagnostic At(int line, int column, std::string source) {
  Diagnostic diagnostic;
  diagnostic.file = "routes.yaml";
  diagnostic.line = line;
  diagnostic.column = column;
  diagnostic.message = "unknown option \"cahce\"";
  diagnostic.source = std::move(source);
  return diagnostic;
}

TEST(Diagnostic, ShowsPlaceLineCaretAndHint) {
  Diagnostic diagnostic = At(12, 5, "    cahce: 1h");
  diagnostic.hint = "did you mean \"cache\"?";
  EXPECT_EQ(ToText(diagnostic),
            "routes.yaml:12:5: error: unknown option \"cahce\"\n"
            "        cahce: 1h\n"
            "        ^\n"
            "  hint: did you mean \"cache\"?\n");
}

TEST(Diagnostic, CaretCountsCharactersNotBytes) {
  EXPECT_EQ(ToText(At(1, 3, "äö x")),
            "routes.yaml:1:3: error: unknown option \"cahce\"\n    äö x\n      ^\n");
}

TEST(Diagnostic, LongLineIsCutAroundTheCaret) {
  const std::string text =
      ToText(At(1, 1001, std::string(1000, 'a') + "X" + std::string(500, 'b')));
  const size_t line = text.find('\n') + 1;
  const size_t caret_line = text.find('\n', line) + 1;
  EXPECT_LT(caret_line - line, 130u);
  const size_t caret = text.find('^', caret_line) - caret_line;
  EXPECT_EQ(text[line + caret], 'X');
}

TEST(Diagnostic, ControlsOfASourceDoNotReachATerminal) {
  const std::string text = ToText(At(1, 1, "\x1b[2Ja\tb"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("    .[2Ja b\n"), std::string::npos);
}

TEST(Diagnostic, WithoutAFileThereIsNoPlace) {
  EXPECT_EQ(ToText(Fault("listening on 0.0.0.0:80: permission denied")),
            "error: listening on 0.0.0.0:80: permission denied\n");
}

}  // namespace
}  // namespace quipd
