// SPDX-License-Identifier: MIT
#include "config/include.h"

#include <fnmatch.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/reader.h"
#include "config/source.h"
#include "config/spelling.h"

namespace quipd::config {
namespace {

constexpr size_t kMostFiles = 10'000;
constexpr const char* kLeftovers[] = {"*~", ".*", "#*#", "*.dpkg-*", "*.rpm*"};

bool IsGlob(const std::string& path) { return path.find_first_of("*?[") != path.npos; }

// What an editor or a package manager leaves beside a file.
bool IsLeftover(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return std::any_of(std::begin(kLeftovers), std::end(kLeftovers),
                     [&](const char* pattern) { return fnmatch(pattern, name.c_str(), 0) == 0; });
}

// The files that match, in byte order; folders are none.
std::vector<std::string> Matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), GLOB_NOSORT | GLOB_MARK, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      const std::string path = found.gl_pathv[i];
      if (!path.ends_with('/') && !IsLeftover(path)) paths.push_back(path);
    }
  }
  globfree(&found);
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What makes two names the same file.
std::string IdentityOf(const std::string& path) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(path, error);
  return error ? path : canonical.string();
}

Result<std::shared_ptr<const Source>> ReadStandardInput() {
  std::string bytes;
  while (bytes.size() <= kMaxFileBytes) {
    char chunk[64 * 1024];
    const ssize_t count = read(STDIN_FILENO, chunk, sizeof(chunk));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return Fail("can't read standard input: " + std::generic_category().message(errno));
    }
    if (count == 0) return std::make_shared<const Source>("-", "", std::move(bytes));
    bytes.append(chunk, static_cast<size_t>(count));
  }
  return Fail("can't read standard input: it is larger than 64 MiB");
}

Problem ExplainRoot(const Value& root) {
  if (root.kind == Value::Kind::kSequence) {
    return {"a mapping is due here, not a list", "the list of rules stands under routes:", 0};
  }
  if (root.kind == Value::Kind::kScalar) {
    return {"a mapping is due here, not text", "a file holds keys such as routes:", 0};
  }
  return {"the file is empty", "a file holds keys such as routes:", 0};
}

}  // namespace

void Files::Say(const Place* origin, Diagnostic diagnostic) {
  if (origin == nullptr) return report_->Fault(std::move(diagnostic));
  report_->Error(*origin, "include: " + diagnostic.message, std::move(diagnostic.hint));
}

void Files::ReadMain(const std::string& path) {
  if (path != "-") return ReadFile(path, nullptr, &parts_, false);
  auto source = ReadStandardInput();
  if (!source) return Say(nullptr, std::move(source.error().front()));
  ReadDocument(std::move(*source), path, &parts_, false);
}

const Value* Files::ReadText(const std::string& name, const std::string& text, uint32_t* source) {
  auto bytes = std::make_shared<const Source>(name, "", text);
  *source = report_->Add(bytes);
  ParsedDocument parsed = ParseYaml(std::move(bytes));
  report_->Adopt(*source, std::move(parsed.diagnostics));
  if (parsed.document == nullptr) return nullptr;
  documents_.push_back(std::move(parsed.document));
  return &documents_.back()->root();
}

bool Files::IsPossible(const std::string& path, const std::string& identity, const Place* origin) {
  if (std::find(open_.begin(), open_.end(), identity) != open_.end()) {
    Say(origin, Fault(path + " includes itself", "a file can't be laid over itself"));
    return false;
  }
  if (paths_.size() < kMostFiles) return true;
  if (!too_many_) {
    Say(origin, Fault("more than " + std::to_string(kMostFiles) + " files are included"));
  }
  too_many_ = true;
  return false;
}

void Files::ReadFile(const std::string& path, const Place* origin, Parts* parts, bool in_profile) {
  std::string identity = IdentityOf(path);
  if (!IsPossible(path, identity, origin)) return;
  paths_.push_back(path);
  auto source = ReadSource(path);
  if (!source) return Say(origin, std::move(source.error().front()));
  open_.push_back(std::move(identity));
  ReadDocument(std::move(*source), path, parts, in_profile);
  open_.pop_back();
}

void Files::ReadDocument(std::shared_ptr<const Source> source, const std::string& path,
                         Parts* parts, bool in_profile) {
  const uint32_t number = report_->Add(source);
  ParsedDocument parsed =
      path.ends_with(".conf") ? ParseRoutesConf(std::move(source)) : ParseYaml(std::move(source));
  report_->Adopt(number, std::move(parsed.diagnostics));
  if (parsed.document == nullptr) return;
  documents_.push_back(std::move(parsed.document));
  const Value& root = documents_.back()->root();
  if (root.kind != Value::Kind::kMapping) {
    Problem problem = ExplainRoot(root);
    return report_->Error({number, root.mark}, std::move(problem.message), std::move(problem.hint));
  }
  const Part part{number, &root};
  parts->push_back(part);
  if (!in_profile) ReadProfiles(part);
  ReadInclude(part, parts, in_profile);
}

void Files::ReadInclude(const Part& part, Parts* parts, bool in_profile) {
  const Value* const include = part.top->Find("include");
  if (include == nullptr || include->kind == Value::Kind::kMissing) return;
  Reader reader(report_, environment_, part.source);
  for (const Text& entry : reader.ReadTexts(*include, "include")) {
    if (entry.text.empty()) {
      reader.Error(*entry.value, "include: the path is empty");
      continue;
    }
    const std::string& folder = reader.source().folder();
    const bool relative = entry.text.front() != '/' && !folder.empty();
    const std::string path = (relative ? folder + "/" : "") + std::string(entry.text);
    ReadEntry(path, reader.At(*entry.value), parts, in_profile);
  }
}

void Files::ReadEntry(const std::string& path, Place place, Parts* parts, bool in_profile) {
  if (!IsGlob(path)) return ReadFile(path, &place, parts, in_profile);
  const std::vector<std::string> matches = Matches(path);
  if (matches.empty()) {
    report_->Warning(place, "include: no file matches " + path);
  }
  for (const std::string& match : matches) ReadFile(match, &place, parts, in_profile);
}

Files::Parts* Files::PartsOf(std::string_view profile) {
  for (Profile& known : profiles_) {
    if (known.name == profile) return &known.parts;
  }
  return &profiles_.emplace_back(Profile{std::string(profile), {}}).parts;
}

void Files::ReadProfiles(const Part& part) {
  const Value* const profiles = part.top->Find("profiles");
  if (profiles == nullptr || profiles->kind == Value::Kind::kMissing) return;
  Reader reader(report_, environment_, part.source);
  if (!reader.IsMapping(*profiles, "profiles")) return;
  for (const Member& member : profiles->members) {
    const std::string name(member.key.text);
    Parts* const parts = PartsOf(name);
    if (member.value.kind == Value::Kind::kMissing) {
      reader.Missing(*profiles, member);
    } else if (reader.IsMapping(member.value, "profiles." + name)) {
      const Part overlay{part.source, &member.value};
      Parts found{overlay};
      ReadInclude(overlay, &found, true);
      parts->insert(parts->end(), found.begin(), found.end());
    }
  }
}

}  // namespace quipd::config
