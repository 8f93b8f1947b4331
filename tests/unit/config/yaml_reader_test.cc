// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "config/value.h"
#include "unit/config/value_text.h"

namespace quipd::config {
namespace {

ParsedDocument Parse(std::string bytes) {
  return ParseYaml(std::make_shared<const Source>("t.yaml", "", std::move(bytes)));
}

// The tree, or else the first diagnostic as one line.
std::string Read(std::string bytes) {
  const ParsedDocument parsed = Parse(std::move(bytes));
  if (!parsed.diagnostics.empty()) return ToLine(parsed.diagnostics.front());
  return TextOf(parsed.document->root());
}

TEST(YamlReader, BuildsTheTreeThatIsMeant) {
  struct Case {
    const char* yaml;
    const char* tree;
  };
  const Case kCases[] = {
      {"a: x", "{a: x}"},
      {"- GET / echo: x\n  cache: 1h\n", "[{GET / echo: x, cache: 1h}]"},
      {"routes:\n- GET / echo: x", "{routes: [{GET / echo: x}]}"},
      {"[GET / echo: x, GET /b echo: y]", "[{GET / echo: x}, {GET /b echo: y}]"},
      {"- {GET / echo: x, cache: 1h}", "[{GET / echo: x, cache: 1h}]"},
      {"{\"routes\":[{\"GET / echo\":\"x\"}]}", "{\"routes\": [{\"GET / echo\": \"x\"}]}"},
      {"---\na: x\n...\n", "{a: x}"},
      {"? GET / echo\n: x\n", "{GET / echo: x}"},
      {"a : x", "{a: x}"},
      {"a:\tx", "{a: x}"},
      {"a: |\n  x\n  y\n", "{a: |x\ny\n}"},
      {"a: |-\n  x\n\n", "{a: |x}"},
      {"a: |+\n  x\n\n", "{a: |x\n\n}"},
      {"a: |\n  x", "{a: |x}"},
      {"a: |+\n  x", "{a: |x}"},
      {"a: |\n  x\nb: y", "{a: |x\n, b: y}"},
      {"- |\n x", "[|x]"},
      {"|\n x", "|x"},
      {"a: >\n  x\n  y\n", "{a: |x y\n}"},
      {"a: |2\n   x\n", "{a: | x\n}"},
      {"a: |\r\n  x\r\n  y\r\n", "{a: |x\ny\n}"},
      {"a: 'it''s'", "{a: \"it's\"}"},
      {"a: \"x\\ty\"", "{a: \"x\ty\"}"},
      {"a: x\n  y", "{a: x y}"},
      {"[no, on, 0123, 1e3, 12:30, 2024-01-01, .inf, Null, TRUE]",
       "[no, on, 0123, 1e3, 12:30, 2024-01-01, .inf, Null, TRUE]"},
      {"[null, ~]", "[<null>, <~>]"},
      {"a: null", "{a: <null>}"},
      {"a: ~ # c", "{a: <~>}"},
      {"a:", "{a: <missing>}"},
      {"a:\nb: x", "{a: <missing>, b: x}"},
      {"a: #fff\nb: x", "{a: <missing>, b: x}"},
      {"a:\nnull: x", "{a: <missing>, null: x}"},
      {"a:\n  b:\nnull: x", "{a: {b: <missing>}, null: x}"},
      {"a:\n  b: null\nnull: x", "{a: {b: <null>}, null: x}"},
      {"a: null\nnull: null", "{a: <null>, null: <null>}"},
      {"{a: [null], null: x}", "{a: [<null>], null: x}"},
      {"null: x", "{null: x}"},
      {"a:\nnullable: x", "{a: <missing>, nullable: x}"},
      {"a:\n  b:\n~che: x", "{a: {b: <missing>}, ~che: x}"},
      {"a:\n  null\nb: x", "{a: <null>, b: x}"},
      {"null", "<null>"},
      {"{null}", "{null: <missing>}"},
      {"{a:1, b: 2}", "{a:1: <missing>, b: 2}"},
      {"{Vary: Accept, Origin}", "{Vary: Accept, Origin: <missing>}"},
      {"a: &x null\nb: *x", "{a: <null>, b: <null>}"},
      {"x-a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}", "{x-a: {p: 1, q: 2}, b: {q: 3, p: 1}}"},
      {"x-a: &x {p: 1}\nx-b: &y {p: 2, q: 2}\nb: {<<: [*x, *y], r: 3}",
       "{x-a: {p: 1}, x-b: {p: 2, q: 2}, b: {r: 3, p: 1, q: 2}}"},
      {"x-a: &x {p: 1}\nx-b: &y {<<: *x, q: 2}\nb: {<<: *y}",
       "{x-a: {p: 1}, x-b: {q: 2, p: 1}, b: {q: 2, p: 1}}"},
      {"a: {\"<<\": 1}", "{a: {\"<<\": 1}}"},
      {"a: &x\n  - 1\nb: *x", "{a: [1], b: [1]}"},
      {"x: &k a\n*k : 1", "{x: a, a: 1}"},
      {"\uFEFF"
       "a: x",
       "{a: x}"},
      {"a: \xE2\x80\x9Chi\xE2\x80\x9D", "{a: \xE2\x80\x9Chi\xE2\x80\x9D}"},
      {"[1 2]", "[1 2]"},
      {"[1, 2, ]", "[1, 2]"},
      {"", "t.yaml:1:1: error: the configuration is empty"},
      {"# nothing\n", "t.yaml:1:1: error: the configuration is empty"},
      {"---\n", "t.yaml:1:1: error: the configuration is empty"},
      {"...\n", "t.yaml:1:1: error: the configuration is empty"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.yaml);
    EXPECT_EQ(Read(test.yaml), test.tree);
  }
}

TEST(YamlReader, MarksAreWhereThingsStand) {
  const ParsedDocument parsed = Parse("routes:\r\n  - GET / echo: x\r\n    q: \"y\"\r\n    e:\r\n");
  ASSERT_TRUE(parsed.document);
  const Value& rule = parsed.document->root().members[0].value.items[0];
  EXPECT_EQ(rule.members[0].key.mark, (Mark{13, 1, 4}));
  EXPECT_EQ(rule.members[0].value.mark, (Mark{25, 1, 16}));
  EXPECT_EQ(rule.members[1].value.mark, (Mark{35, 2, 7}));
  EXPECT_EQ(rule.members[2].value.mark, (Mark{45, 3, 5}));  // the colon behind the key
  EXPECT_EQ(EndOf(parsed.document->source(), rule.members[1].value).column, 10u);
}

TEST(YamlReader, CutByCommentSeesWhatIsNotSetOff) {
  struct Case {
    const char* yaml;
    int column;  // from 1; 0: no cut
  };
  const Case kCases[] = {
      {"a: x", 0},      {"a: x #b", 6},      {"a: x # y", 6},       {"a: x  # y", 0},
      {"a: x  #y", 7},  {"a: #fff", 4},      {"a: 'x' #b", 0},      {"a: x#b", 0},
      {"a: x  #", 0},   {"a: x\n  y #z", 5}, {"a: |\n  x #y\n", 0}, {"a: x\n#b", 0},
      {"a: x\t# y", 0}, {"a: x\t#y", 6},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.yaml);
    const ParsedDocument parsed = Parse(test.yaml);
    ASSERT_TRUE(parsed.document);
    const auto cut =
        CutByComment(parsed.document->source(), parsed.document->root().members[0].value);
    EXPECT_EQ(cut ? static_cast<int>(cut->column) + 1 : 0, test.column);
  }
}

TEST(YamlReader, NamesWhatIsWrong) {
  struct Case {
    std::string yaml;
    const char* line;
  };
  const Case kCases[] = {
      {"a: 1\nb: 2\n\"a\": 3", "t.yaml:3:1: error: the key \"a\" stands twice, first on line 1"},
      {"a: [1,,2]", "t.yaml:1:7: error: a value is missing before this comma"},
      {"a:\n  -\n  - 1", "t.yaml:2:3: error: a value is missing behind this dash"},
      {"a:\n  -\nnull: 1", "t.yaml:2:3: error: a value is missing behind this dash"},
      {"a:\n  - 1\n  - # c\n", "t.yaml:3:3: error: a value is missing behind this dash"},
      {"a: 1\n---\nb: 2", "t.yaml:2:1: error: a second document begins here, and a file holds one"},
      {"- a\nb: 1", "t.yaml:2:1: error: this line belongs to nothing above it"},
      {"? [a]\n: b", "t.yaml:1:3: error: a key must be text, not a mapping or a list"},
      {": b", "t.yaml:1:1: error: a key is missing here"},
      {"a: !x b", "t.yaml:1:4: error: an unquoted ! begins a YAML tag, and quipd knows none"},
      {"a: !!str b", "t.yaml:1:4: error: an unquoted ! begins a YAML tag, and quipd knows none"},
      {"a: ! b", "t.yaml:1:4: error: an unquoted ! begins a YAML tag, and quipd knows none"},
      {"a: ! 'b'", "t.yaml:1:4: error: an unquoted ! begins a YAML tag, and quipd knows none"},
      {"a: !x [b]", "t.yaml:1:4: error: an unquoted ! begins a YAML tag, and quipd knows none"},
      {"a: &x !y b\nc: *x",
       "t.yaml:1:7: error: an unquoted ! begins a YAML tag, and quipd knows none"},
      {"a: &copy; b", "t.yaml:1:4: error: an unquoted & begins an anchor, and nothing uses &copy;"},
      {"a: &x [*x]", "t.yaml:1:8: error: alias *x stands inside what it stands for"},
      {"a: &x {<<: *x}", "t.yaml:1:12: error: alias *x stands inside what it stands for"},
      {"a: {<<: 1}", "t.yaml:1:5: error: << takes a mapping or a list of mappings"},
      {"a: \"x\nb: 1\n", "t.yaml:1:4: error: this quote is never closed"},
      {"a: 'x\nb: 1", "t.yaml:1:4: error: this quote is never closed"},
      {"a: [1, 2\nb: 1", "t.yaml:1:4: error: this [ is never closed"},
      {"a: |\nb: 1", "t.yaml:1:4: error: this block has no text"},
      {",", "t.yaml:1:1: error: an unquoted text can't begin with ,"},
      {",}[\\", "t.yaml:1:1: error: an unquoted text can't begin with ,"},
      {std::string("a: \0", 4),
       "t.yaml:1:4: error: control character 0x00 has no place in a configuration"},
      {"a: \x04", "t.yaml:1:4: error: control character 0x04 has no place in a configuration"},
      {"a: 0123456\x7F",
       "t.yaml:1:11: error: control character 0x7F has no place in a configuration"},
      {"a: ä\xFF", "t.yaml:1:5: error: byte 0xFF is not valid UTF-8"},
      {"a: \xED\xA0\x80", "t.yaml:1:4: error: byte 0xED is not valid UTF-8"},
      {"a: \xF0\x9F\x98", "t.yaml:1:4: error: byte 0xF0 is not valid UTF-8"},
      {"a: b\n\uFEFFc: d", "t.yaml:2:1: error: a byte order mark (U+FEFF) stands inside the file"},
      {std::string("\xFF\xFE"
                   "a\0",
                   4),
       "t.yaml:1:1: error: the file is UTF-16, not UTF-8"},
      {std::string("a\0:\0", 4), "t.yaml:1:2: error: the file is UTF-16, not UTF-8"},
      {"a: b\rc: d\r",
       "t.yaml:1:5: error: a carriage return (0x0D) without a line feed ends this line"},
      {"a:\n\xC2\xA0 b: c",
       "t.yaml:2:1: error: a no-break space (U+00A0) stands where a blank should"},
      {"a:\n  b: c\n \xC2\xA0 d: e",
       "t.yaml:3:2: error: a no-break space (U+00A0) stands where a blank should"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.yaml);
    EXPECT_EQ(Read(test.yaml), test.line);
  }
}

TEST(YamlReader, GoesOnAfterFaultsThatLeaveATree) {
  const ParsedDocument parsed = Parse("a: 1\na: 2\nb: &x 3\nc: [1,,2]\nd: !t e\n");
  ASSERT_TRUE(parsed.document);
  EXPECT_EQ(TextOf(parsed.document->root()), "{a: 1, b: 3, c: [1, 2], d: e}");
  ASSERT_EQ(parsed.diagnostics.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(parsed.diagnostics[static_cast<size_t>(i)].line, i + 2);
}

TEST(YamlReader, LinesOfAnEmptyBlockAreNotFaultsOfTheirOwn) {
  const ParsedDocument parsed = Parse("- GET / echo: |\n  some text\n  more\n- GET /b echo: y\n");
  ASSERT_EQ(parsed.diagnostics.size(), 1u);
  EXPECT_EQ(ToLine(parsed.diagnostics[0]), "t.yaml:1:15: error: this block has no text");
}

TEST(YamlReader, ManyKeysAreComparedQuickly) {
  std::string yaml;
  for (int i = 0; i < 50'000; ++i) yaml += "key" + std::to_string(i) + ": v\n";
  const ParsedDocument good = Parse(yaml);
  ASSERT_TRUE(good.document);
  EXPECT_EQ(good.document->root().members.size(), 50'000u);
  EXPECT_EQ(Read(yaml + "key7: w\n"),
            "t.yaml:50001:1: error: the key \"key7\" stands twice, first on line 8");
}

// What is hostile is refused in words, whatever its size.
TEST(YamlReader, DepthIsBounded) {
  constexpr int kLevels = 100'000;
  for (const char* step : {"[", "{a: ", "- ", "? "}) {
    SCOPED_TRACE(step);
    std::string yaml;
    for (int i = 0; i < kLevels; ++i) yaml += step;
    EXPECT_EQ(Read(yaml).substr(0, 9), "t.yaml:1:") << Read(yaml);
    EXPECT_NE(Read(yaml).find("nested deeper than 64 levels"), std::string::npos) << Read(yaml);
  }
  std::string stairs;
  for (int i = 0; i < 400; ++i) stairs += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(Read(stairs), "t.yaml:65:65: error: this is nested deeper than 64 levels");
}

TEST(YamlReader, AliasesAreBounded) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    bomb += name + ": &" + name + " [" + last;
    for (int k = 1; k < 10; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_EQ(Read(bomb).substr(0, 9), "t.yaml:6:");
  EXPECT_NE(Read(bomb).find("stand for more than 1000000 values"), std::string::npos);

  std::string merges = "m0: &m0 {k: 1}\n";
  for (int i = 1; i < 100; ++i) {
    merges += "m" + std::to_string(i) + ": &m" + std::to_string(i) + " {v: *m" +
              std::to_string(i - 1) + "}\n";
  }
  EXPECT_NE(Read(merges).find("deeper than 64 levels"), std::string::npos) << Read(merges);
}

TEST(YamlReader, RubbishIsNamed) {
  uint32_t state = 12345;
  std::string rubbish;
  for (int i = 0; i < 1'000'000; ++i) {
    state = state * 1664525 + 1013904223;
    rubbish += static_cast<char>(state >> 24);
  }
  EXPECT_NE(Read(rubbish).find("t.yaml:1:"), std::string::npos);
  EXPECT_EQ(Parse(rubbish).diagnostics.size(), 1u);
}

TEST(YamlReader, FaultsOfOneFileAreBounded) {
  std::string yaml = "a: [";
  for (int i = 0; i < 10'000; ++i) yaml += ",";
  EXPECT_EQ(Parse(yaml + "]").diagnostics.size(), 100u);
}

}  // namespace
}  // namespace quipd::config
