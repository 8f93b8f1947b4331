// SPDX-License-Identifier: MIT
// Any bytes as a configuration file: read, walked as the loader would, loaded as a whole, and every
// diagnostic shown.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/check.h"
#include "base/file_descriptor.h"
#include "config/loader.h"
#include "config/value.h"

namespace quipd::config {
namespace {

// Reads all of a tree, and holds what a Document promises of it.
size_t Walk(const Source& source, const Value& value, int depth) {
  Check(depth <= 65);
  size_t seen = value.text.size();
  Check(value.mark.offset <= source.bytes().size() + 1);
  if (value.kind != Value::Kind::kSequence && value.kind != Value::Kind::kMapping) {
    if (const auto cut = CutByComment(source, value)) Check(source.bytes()[cut->offset] == '#');
  }
  for (const Value& item : value.items) {
    Check(item.kind != Value::Kind::kMissing);
    seen += Walk(source, item, depth + 1);
  }
  for (const Member& member : value.members) {
    Check(member.key.kind == Value::Kind::kScalar);
    seen += Walk(source, member.key, depth + 1) + Walk(source, member.value, depth + 1);
  }
  return seen;
}

void Use(const ParsedDocument& parsed) {
  Check(parsed.document != nullptr || HasErrors(parsed.diagnostics));
  if (parsed.document) Walk(parsed.document->source(), parsed.document->root(), 0);
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    Check(diagnostic.line > 0 && diagnostic.column > 0 && !diagnostic.message.empty());
    Check(!ToText(diagnostic).empty());
  }
}

// The same bytes as the file of -c, and as the text of -e.
void LoadAll(const std::string& bytes) {
  const FileDescriptor file(memfd_create("quipd-fuzz", MFD_CLOEXEC));
  Check(static_cast<bool>(file));
  Check(write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  LoadRequest request;
  request.environment = [](const char*) -> const char* { return nullptr; };
  request.file = "/proc/self/fd/" + std::to_string(file.get());
  const Loaded from_file = Load(request);
  Check(from_file.config.has_value() != HasErrors(from_file.diagnostics));
  Check(from_file.config || !ToText(from_file.diagnostics).empty());
  request.file.reset();
  request.rules = {bytes};
  const Loaded from_rule = Load(request);
  Check(from_rule.config.has_value() != HasErrors(from_rule.diagnostics));
}

}  // namespace
}  // namespace quipd::config

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace quipd::config;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto source = std::make_shared<const Source>("fuzz", "", bytes);
  Use(ParseYaml(source));
  Use(ParseRoutesConf(source));
  LoadAll(bytes);
  return 0;
}
