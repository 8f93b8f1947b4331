// SPDX-License-Identifier: MIT
// The parser's table of keys, quipd.yaml(5) and the sample configuration say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "config/keys.h"
#include "config/loader.h"
#include "config/value.h"

namespace quipd::config {
namespace {

using testing::HasSubstr;

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The manual: section -> name of the entry -> its last sentence.
using Entries = std::map<std::string, std::map<std::string, std::string>>;

// Words of a macro's line without its macro: ".Ic text" reads "text".
std::string TextOf(const std::string& line) {
  return line.starts_with(".") ? line.substr(std::min(line.size(), line.find(' ') + 1)) : line;
}

Entries ReadManual() {
  std::istringstream manual(ReadWhole(QUIPD_SOURCE_DIR "/man/quipd.yaml.5"));
  Entries entries;
  std::string section;
  std::string* entry = nullptr;
  for (std::string line; std::getline(manual, line);) {
    if (line.starts_with(".Sh ")) {
      section = line.substr(4);
      entry = nullptr;
    } else if (line.starts_with(".It Ic ")) {
      entry = &entries[section][line.substr(7)];
    } else if (line.starts_with(".It ") || line.starts_with(".El")) {
      entry = nullptr;
    } else if (entry != nullptr) {
      const bool sentence = entry->empty() || entry->ends_with('.');
      *entry = sentence ? TextOf(line) : *entry + " " + TextOf(line);
    }
  }
  return entries;
}

std::string_view SectionOf(Level level) {
  switch (level) {
    case Level::kTop:
      return "TOP LEVEL";
    case Level::kGroup:
      return "GROUPS";
    case Level::kRule:
      return "RULE OPTIONS";
    case Level::kErrorEntry:
      return "ERROR ANSWERS";
    case Level::kListener:
      return "LISTENERS";
    case Level::kTls:
      return "TLS";
    case Level::kLimits:
      return "LIMITS";
    case Level::kTimeouts:
      return "TIMEOUTS";
    case Level::kLog:
      return "LOG";
    case Level::kAccessLog:
      return "ACCESS LOG";
  }
  return "";
}

const std::string* FindEntry(const Entries& manual, const Key& key) {
  std::vector<std::string> sections{std::string(SectionOf(key.level))};
  if (key.level == Level::kGroup) {
    sections.emplace_back("RULE OPTIONS");  // a group may have nearly all of them
  }
  for (const std::string& section : sections) {
    const auto found = manual.find(section);
    if (found != manual.end()) {
      const auto entry = found->second.find(std::string(key.name));
      if (entry != found->second.end()) {
        return &entry->second;
      }
    }
  }
  return nullptr;
}

bool IsAction(std::string_view name) {
  for (const std::string_view action : Actions()) {
    if (action == name) {
      return true;
    }
  }
  return false;
}

TEST(Manual, HasAnEntryForEveryKeyThatEndsInItsDefault) {
  const Entries manual = ReadManual();
  for (const Key& key : Keys()) {
    SCOPED_TRACE(testing::Message() << key.name << " in " << SectionOf(key.level));
    if (!key.served || (key.level == Level::kErrorEntry && IsAction(key.name))) {
      continue;
    }
    const std::string* entry = FindEntry(manual, key);
    ASSERT_NE(entry, nullptr);
    EXPECT_THAT(*entry, HasSubstr("he default is "));
    EXPECT_THAT(*entry, testing::EndsWith("."));
    EXPECT_THAT(*entry, HasSubstr(std::string(key.default_value)));
  }
}

std::string NotYetServed() {
  const std::string manual = ReadWhole(QUIPD_SOURCE_DIR "/man/quipd.yaml.5");
  const size_t begin = manual.find(".Sh NOT YET SERVED\n");
  EXPECT_NE(begin, std::string::npos);
  return manual.substr(begin, manual.find(".Sh ", begin + 4) - begin);
}

TEST(Manual, HasAnEntryForEveryAction) {
  const auto entries = ReadManual().at("RULE ACTIONS");
  const std::string not_yet = NotYetServed();
  for (const std::string_view action : Actions()) {
    EXPECT_TRUE(entries.contains(std::string(action)) || not_yet.find(action) != std::string::npos)
        << action;
  }
}

TEST(Manual, HasNoEntryForWhatIsNotAKey) {
  std::map<std::string, std::set<std::string>> served;
  for (const Key& key : Keys()) {
    if (key.served) {
      served[std::string(SectionOf(key.level))].emplace(key.name);
    }
  }
  const Entries manual = ReadManual();
  for (const auto& [section, names] : served) {
    for (const auto& [name, text] : manual.at(section)) {
      EXPECT_TRUE(name == "x-NAME" || names.contains(name)) << name << " in " << section;
    }
  }
}

TEST(Manual, NamesWhatIsNotServedYet) {
  const std::string not_yet = NotYetServed();
  for (const Key& key : Keys()) {
    if (!key.served) {
      EXPECT_THAT(not_yet, HasSubstr(std::string(key.name)));
    }
  }
  for (const std::string_view word : ReservedWords()) {
    EXPECT_THAT(not_yet, HasSubstr(std::string(word)));
  }
}

// The settings that the sample shows as defaults: its lines "#key: value", without the '#'.
std::string SampleDefaults() {
  std::istringstream sample(ReadWhole(QUIPD_SOURCE_DIR "/config/quipd.yaml"));
  std::string defaults;
  for (std::string line; std::getline(sample, line);) {
    if (line == "routes:") {
      break;
    }
    if (line.size() > 1 && line[0] == '#' && (line[1] != ' ' || line.starts_with("#  "))) {
      defaults.append(line, 1).append("\n");
    }
  }
  return defaults;
}

void ExpectDefaults(Level level, const Value& mapping) {
  static const std::map<std::string_view, Level> nested = {
      {"limits", Level::kLimits}, {"timeouts", Level::kTimeouts}, {"log", Level::kLog}};
  for (const Member& member : mapping.members) {
    SCOPED_TRACE(member.key.text);
    const Key* key = FindKey(level, member.key.text);
    ASSERT_NE(key, nullptr);
    EXPECT_TRUE(key->served);
    const auto below = nested.find(member.key.text);
    if (level == Level::kTop && below != nested.end()) {
      ExpectDefaults(below->second, member.value);
    } else if (member.value.kind == Value::Kind::kScalar) {
      EXPECT_EQ(member.value.text, key->default_value);
    } else {
      EXPECT_TRUE(member.value.members.empty());
    }
  }
}

TEST(Sample, ShowsEveryTopLevelKeyWithItsDefault) {
  const ParsedDocument parsed =
      ParseYaml(std::make_shared<const Source>("quipd.yaml", "", SampleDefaults()));
  ASSERT_EQ(ToText(parsed.diagnostics), "");
  const Value& root = parsed.document->root();
  ExpectDefaults(Level::kTop, root);
  const std::map<Level, const Value*> shown = {{Level::kTop, &root},
                                               {Level::kLimits, root.Find("limits")},
                                               {Level::kTimeouts, root.Find("timeouts")},
                                               {Level::kLog, root.Find("log")}};
  for (const Key& key : Keys()) {
    const auto level = shown.find(key.level);
    const bool live = key.level == Level::kTop && (key.name == "include" || key.name == "routes");
    if (key.served && level != shown.end() && !live) {
      ASSERT_NE(level->second, nullptr);
      EXPECT_NE(level->second->Find(key.name), nullptr) << key.name;
    }
  }
}

TEST(Sample, ItsDefaultsAreThoseOfTheLoader) {
  const std::string path =
      testing::TempDir() + "/quipd_manual_test." + std::to_string(getpid()) + ".yaml";
  std::ofstream(path) << SampleDefaults() << "routes:\n  - GET / echo: x\n";
  LoadRequest request;
  request.file = path;
  request.environment = [](const char*) -> const char* { return nullptr; };
  const Loaded written = Load(request);
  std::filesystem::remove(path);
  request.file.reset();
  request.rules = {"GET / echo: x"};
  const Loaded bare = Load(request);

  ASSERT_EQ(ToText(written.diagnostics), "");
  ASSERT_EQ(ToText(bare.diagnostics), "");
  const Config& a = *written.config;
  const Config& b = *bare.config;
  ASSERT_EQ(a.listeners.size(), b.listeners.size());
  EXPECT_EQ(a.listeners[0].address.port, b.listeners[0].address.port);
  EXPECT_EQ(a.listeners[0].address.family, b.listeners[0].address.family);
  EXPECT_EQ(a.profile, b.profile);
  EXPECT_EQ(a.workers, b.workers);
  EXPECT_EQ(a.types, b.types);
  EXPECT_EQ(a.server_header, b.server_header);
  EXPECT_EQ(a.log.level, b.log.level);
  EXPECT_EQ(a.log.json, b.log.json);
  EXPECT_EQ(a.log.target, b.log.target);
  EXPECT_EQ(a.access_log, b.access_log);
  EXPECT_EQ(a.limits.head, b.limits.head);
  EXPECT_EQ(a.limits.target, b.limits.target);
  EXPECT_EQ(a.limits.header_count, b.limits.header_count);
  EXPECT_EQ(a.limits.body, b.limits.body);
  EXPECT_EQ(a.limits.connections, b.limits.connections);
  EXPECT_EQ(a.limits.inline_file, b.limits.inline_file);
  EXPECT_EQ(a.timeouts.head, b.timeouts.head);
  EXPECT_EQ(a.timeouts.idle, b.timeouts.idle);
  EXPECT_EQ(a.timeouts.body, b.timeouts.body);
  EXPECT_EQ(a.timeouts.write, b.timeouts.write);
  EXPECT_EQ(a.timeouts.drain, b.timeouts.drain);
}

// The parts of a text between `begin` and `end`, both whole lines.
std::vector<std::string> BlocksOf(const std::string& text, std::string_view begin,
                                  std::string_view end) {
  std::vector<std::string> blocks;
  for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    blocks.push_back(text.substr(at, text.find(end, at) - at));
  }
  return blocks;
}

// Loads a file with these bytes, in a folder that has a logo.png and a site in public/.
std::string DiagnosticsOf(const std::string& bytes) {
  const std::string folder = testing::TempDir() + "/quipd_manual_test." + std::to_string(getpid());
  std::filesystem::create_directories(folder + "/public");
  std::ofstream(folder + "/logo.png") << "an image";
  std::ofstream(folder + "/public/index.html") << "a page";
  std::ofstream(folder + "/quipd.yaml") << bytes;
  LoadRequest request;
  request.file = folder + "/quipd.yaml";
  request.environment = [](const char*) -> const char* { return nullptr; };
  const std::string diagnostics = ToText(Load(request).diagnostics);
  std::filesystem::remove_all(folder);
  return diagnostics;
}

TEST(Readme, ItsRulesLoadWithoutAWarning) {
  const auto blocks = BlocksOf(ReadWhole(QUIPD_SOURCE_DIR "/README.md"), "\n```yaml\n", "```\n");
  EXPECT_GE(blocks.size(), 2U);
  for (const std::string& block : blocks) {
    EXPECT_EQ(DiagnosticsOf(block), "") << block;
  }
}

// Blocks of the manual that begin with a rule, or with a key of the top level.
TEST(Manual, ItsExamplesLoadWithoutAWarning) {
  size_t loaded = 0;
  for (std::string block : BlocksOf(ReadWhole(QUIPD_SOURCE_DIR "/man/quipd.yaml.5"),
                                    "\n.Bd -literal -offset indent\n", ".Ed\n")) {
    if (block.starts_with("{") || block.starts_with("[") || block.starts_with("#")) {
      continue;  // what reflect and a listing send; routes.conf
    }
    if (block.starts_with("- ")) {
      block.insert(0, "routes:\n");
    } else if (block.find("routes:") == std::string::npos) {
      block.append("routes:\n  - GET / echo: x\n");
    }
    EXPECT_EQ(DiagnosticsOf(block), "") << block;
    ++loaded;
  }
  EXPECT_GE(loaded, 5U);
}

}  // namespace
}  // namespace quipd::config
