// SPDX-License-Identifier: MIT
// The one file that knows yaml-cpp. Its event interface is used, not its nodes: events carry the
// places of aliases and anchors, show duplicate keys, and cost a quarter of the memory.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <memory_resource>
#include <streambuf>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "config/value.h"
#include "config/yaml_hints.h"
#include "config/yaml_reader_bytes.h"

namespace quipd::config {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxValues = 4'000'000;    // in the file
constexpr size_t kMaxExpanded = 1'000'000;  // by aliases, beyond those in the file
constexpr size_t kMaxFaults = 100;          // reported of one file
constexpr size_t kFewMembers = 12;          // up to here duplicates are looked for by comparing all
constexpr size_t kNone = std::string_view::npos;
constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

// Ends the parse from inside a handler; what is wrong has been reported.
struct Stop {};

Mark FromYaml(const YAML::Mark& mark) {
  return {static_cast<uint32_t>(std::max(mark.pos, 0)),
          static_cast<uint32_t>(std::max(mark.line, 0)),
          static_cast<uint32_t>(std::max(mark.column, 0))};
}

// Reads memory without copying it.
class MemoryBuffer : public std::streambuf {
 public:
  explicit MemoryBuffer(std::string& bytes) {
    setg(bytes.data(), bytes.data(), bytes.data() + bytes.size());
  }
};

// A span of what begins at `first` in `from`, moved into the arena and cut off there.
template <typename T>
std::span<T> MoveToArena(std::pmr::memory_resource* arena, std::vector<T>& from, size_t first) {
  const size_t count = from.size() - first;
  if (count == 0) return {};
  auto* begin = static_cast<T*>(arena->allocate(count * sizeof(T), alignof(T)));
  std::uninitialized_copy(from.begin() + static_cast<ptrdiff_t>(first), from.end(), begin);
  from.resize(first);
  return {begin, count};
}

// Finds keys among members: by comparing while they are few, hashed from there on.
class KeyIndex {
 public:
  // The member of that key that was added before, or null.
  const Member* Find(std::string_view key) const {
    if (!hashed_.empty()) {
      const auto found = hashed_.find(key);
      return found == hashed_.end() ? nullptr : found->second;
    }
    for (const Member* member : few_) {
      if (member->key.text == key) return member;
    }
    return nullptr;
  }

  void Add(const Member* member) {
    if (hashed_.empty() && few_.size() < kFewMembers) {
      few_.push_back(member);
      return;
    }
    for (const Member* earlier : few_) hashed_.emplace(earlier->key.text, earlier);
    few_.clear();
    hashed_.emplace(member->key.text, member);
  }

  void Clear() {
    few_.clear();
    // clear() would go over all buckets that a large mapping left behind, each time.
    if (!hashed_.empty()) hashed_ = {};
  }

 private:
  std::vector<const Member*> few_;
  std::unordered_map<std::string_view, const Member*> hashed_;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Document& document)
      : document_(document), source_(document.source()), bytes_(document.source().bytes()) {}

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override;

  // After the last event: reports anchors that nothing used and sets the root.
  void Finish();

  // Whether what was built is likely what was meant, faults aside.
  [[nodiscard]] bool legible() const { return legible_; }

  // Remembers a fault; the parse goes on.
  void Report(Mark mark, Diagnostic diagnostic);

  // Remembers the fault that ends the parse, unless its cause is known already.
  void ReportLast(Mark mark, Diagnostic diagnostic);

  // All that was reported, in the order of the file.
  Diagnostics TakeFaults();

 private:
  // A sequence or mapping whose end has not been seen.
  struct Frame {
    bool mapping = false;
    bool flow = false;
    bool has_key = false;      // of a mapping: a key waits for its value
    bool bad_key = false;      // ... and was none; the value goes with it
    bool merges = false;       // `<<` stands among the keys
    bool empty_block = false;  // a text without indentation may have become keys
    bool braces = false;       // it is `{{name}}`, meant as text
    uint32_t anchor = 0;
    uint32_t height = 0;  // levels below this one
    size_t first = 0;     // of its items_ or members_
    size_t weight = 1;    // values in it, aliases counted with all they stand for
    Mark mark;
    Value key;
  };

  struct Anchor {
    std::string name;
    Mark mark;
    bool used = false;
    bool complete = false;
    Value value;
    size_t weight = 1;
    uint32_t height = 0;
  };

  struct Fault {
    uint32_t offset = 0;
    bool vague = false;  // gives way to what ends the parse at the same place
    Diagnostic diagnostic;
  };

  [[noreturn]] void Fail(Mark mark, Diagnostic diagnostic);
  bool IsWritten(Mark content) const;
  bool WaitsForKey() const {
    return !frames_.empty() && frames_.back().mapping && !frames_.back().has_key;
  }

  Mark ContentAt(Mark mark) const;
  std::string_view Keep(Mark mark, bool quoted, const std::string& text);
  void CheckTag(Mark mark, const std::string& tag);
  void CheckPlain(const Value& scalar);
  bool EndsTheFile(Mark block) const;

  void Open(bool mapping, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style);
  Frame Close();
  void Complete(YAML::anchor_t anchor, const Value& value, size_t weight, uint32_t height);
  void Add(const Value& value, size_t weight, uint32_t height);
  void AddKey(const Value& key);
  void AddMember(Frame& frame, const Value& value);
  Mark MissingPlace(const Value& key) const;
  Mark MissingItemPlace(Mark next) const;

  void DropDuplicates(size_t first);
  void ApplyMerges(size_t first);
  void MergeFrom(const Member& merge);
  void MergeMapping(const Value& mapping);

  Document& document_;
  const Source& source_;
  std::string_view bytes_;
  std::vector<Frame> frames_;
  std::vector<Value> items_;     // of all open sequences
  std::vector<Member> members_;  // of all open mappings
  std::vector<Member> merged_;   // scratch of ApplyMerges
  KeyIndex keys_;                // scratch of DropDuplicates and ApplyMerges
  std::vector<Anchor> anchors_;  // by number, from 1
  std::vector<Fault> faults_;
  Value root_;
  size_t values_ = 0;
  size_t expanded_ = 0;
  bool started_ = false;
  bool legible_ = true;
};

void TreeBuilder::Report(Mark mark, Diagnostic diagnostic) {
  faults_.push_back({mark.offset, false, std::move(diagnostic)});
  if (faults_.size() >= kMaxFaults) throw Stop{};
}

void TreeBuilder::ReportLast(Mark mark, Diagnostic diagnostic) {
  // Behind a block without text any error comes of it: its lines were read as keys.
  const bool of_empty_block = std::any_of(frames_.begin(), frames_.end(),
                                          [](const Frame& frame) { return frame.empty_block; });
  std::erase_if(faults_,
                [&](const Fault& fault) { return fault.vague && fault.offset == mark.offset; });
  const bool known = std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return fault.diagnostic.line == diagnostic.line && fault.diagnostic.column == diagnostic.column;
  });
  if (!of_empty_block && !known) faults_.push_back({mark.offset, false, std::move(diagnostic)});
}

void TreeBuilder::Fail(Mark mark, Diagnostic diagnostic) {
  faults_.push_back({mark.offset, false, std::move(diagnostic)});
  throw Stop{};
}

Diagnostics TreeBuilder::TakeFaults() {
  std::stable_sort(faults_.begin(), faults_.end(),
                   [](const Fault& a, const Fault& b) { return a.offset < b.offset; });
  Diagnostics diagnostics;
  diagnostics.reserve(faults_.size());
  for (Fault& fault : faults_) diagnostics.push_back(std::move(fault.diagnostic));
  return diagnostics;
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (started_) Fail(FromYaml(mark), ExplainSecondDocument(source_, FromYaml(mark)));
  started_ = true;
}

// Behind the anchor and the tag that a node begins with.
Mark TreeBuilder::ContentAt(Mark mark) const {
  const auto is_space = [](char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
  };
  size_t at = mark.offset;
  while (at < bytes_.size() && (bytes_[at] == '&' || bytes_[at] == '!')) {
    while (at < bytes_.size() && !is_space(bytes_[at]) && bytes_[at] != ',') ++at;
    while (at < bytes_.size() && (is_space(bytes_[at]) || bytes_[at] == '#')) {
      at = bytes_[at] == '#' ? std::min(bytes_.find('\n', at), bytes_.size()) : at + 1;
    }
  }
  for (size_t i = mark.offset; i < at; ++i) {
    const bool line_end = bytes_[i] == '\n';
    mark.line += line_end ? 1 : 0;
    mark.column = line_end ? 0 : mark.column + 1;
  }
  mark.offset = static_cast<uint32_t>(at);
  return mark;
}

// The text of a scalar for as long as the document lives; the source's own bytes where it stands
// there as it is.
std::string_view TreeBuilder::Keep(Mark mark, bool quoted, const std::string& text) {
  const size_t begin = mark.offset + (quoted ? 1 : 0);
  if (begin <= bytes_.size()) {
    const std::string_view written = bytes_.substr(begin, text.size());
    if (written == text) return written;
  }
  auto* copy = static_cast<char*>(document_.arena()->allocate(text.size(), 1));
  std::copy(text.begin(), text.end(), copy);
  return {copy, text.size()};
}

void TreeBuilder::CheckTag(Mark mark, const std::string& tag) {
  const bool starts_here = mark.offset < bytes_.size() && bytes_[mark.offset] == '!';
  if (!starts_here && (tag == "?" || tag == "!")) return;
  const size_t found = starts_here ? mark.offset : bytes_.find('!', mark.offset);
  const Mark place = starts_here ? mark : source_.MarkAt(found);
  Report(place, ExplainTag(source_, place));
}

void TreeBuilder::CheckPlain(const Value& scalar) {
  if (scalar.style != Value::Style::kPlain) return;
  // `{"a": 1 // note` would be the text `1 // note`.
  const bool flow = !frames_.empty() && frames_.back().flow;
  if (flow && (scalar.text.starts_with("//") || scalar.text.find(" //") != kNone)) {
    size_t at = bytes_.find("//", scalar.mark.offset);
    while (at > scalar.mark.offset && at != kNone && bytes_[at - 1] > ' ') {
      at = bytes_.find("//", at + 1);
    }
    Report(source_.MarkAt(at), ExplainSlashes(source_, source_.MarkAt(at)));
  }
  const size_t found = scalar.text.find(kNoBreakSpace);
  if (found == kNone || (found > 0 && !WaitsForKey())) return;
  Mark mark = scalar.mark;
  mark.offset += static_cast<uint32_t>(found);
  Report(mark, ExplainNoBreakSpace(source_, mark));
  legible_ = false;  // keys stand elsewhere than they seem to
}

// Whether the text of a block goes on to the end of a file that has no line end there.
bool TreeBuilder::EndsTheFile(Mark block) const {
  if (bytes_.ends_with('\n')) return false;
  const size_t outer = frames_.empty() ? 0 : frames_.back().mark.column;
  size_t line = bytes_.find('\n', block.offset);
  while (line != kNone) {
    const size_t first = bytes_.find_first_not_of(' ', line + 1);
    if (first == kNone) break;
    const bool blank = bytes_[first] == '\n' || bytes_[first] == '\r';
    if (!blank && first - line - 1 <= outer && !frames_.empty()) return false;
    line = bytes_.find('\n', first);
  }
  return true;
}

void TreeBuilder::OnAnchor(const YAML::Mark& mark, const std::string& name) {
  Anchor anchor;
  anchor.name = name;
  anchor.mark = FromYaml(mark);
  anchors_.push_back(std::move(anchor));
}

// Nothing and an explicit null are one event. The place of nothing is the next token's: in [] and
// {} that is no text, and elsewhere it stands no deeper than the mapping or list around.
bool TreeBuilder::IsWritten(Mark content) const {
  if (frames_.empty()) return true;
  const Frame& frame = frames_.back();
  if (frame.has_key && content.offset == frame.key.mark.offset) return false;  // it has no colon
  const bool is_key = frame.mapping && !frame.has_key;
  return frame.flow || is_key || content.column > frame.mark.column;
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Value value;
  value.mark = anchor == 0 ? FromYaml(mark) : ContentAt(FromYaml(mark));
  const std::string_view rest = bytes_.substr(std::min<size_t>(value.mark.offset, bytes_.size()));
  const bool written = IsWritten(value.mark);
  if (written && (rest.starts_with("null") || rest.starts_with('~'))) {
    value.kind = Value::Kind::kNull;
    value.text = rest.substr(0, rest[0] == '~' ? 1 : 4);
  } else if (written && (rest.starts_with("Null") || rest.starts_with("NULL"))) {
    value.kind = Value::Kind::kScalar;  // to JSON and to people a word like others
    value.text = rest.substr(0, 4);
  }
  Complete(anchor, value, 1, 0);
}

void TreeBuilder::OnScalar(const YAML::Mark& yaml_mark, const std::string& tag,
                           YAML::anchor_t anchor, const std::string& text) {
  const Mark mark = FromYaml(yaml_mark);
  CheckTag(mark, tag);
  Value value;
  value.kind = Value::Kind::kScalar;
  value.mark = ContentAt(mark);
  const char first = value.mark.offset < bytes_.size() ? bytes_[value.mark.offset] : ' ';
  if (tag != "?" && (first == '"' || first == '\'')) value.style = Value::Style::kQuoted;
  if (tag != "?" && (first == '|' || first == '>')) value.style = Value::Style::kBlock;
  value.text = Keep(value.mark, value.style == Value::Style::kQuoted, text);
  // ReadEvents ends the last line where the file doesn't; the text shall not show it.
  if (value.style == Value::Style::kBlock && text.ends_with('\n') && EndsTheFile(value.mark)) {
    value.text.remove_suffix(1);
  }
  CheckPlain(value);
  if (value.style == Value::Style::kBlock && text.empty()) {
    const uint32_t column = frames_.empty() ? 0 : frames_.back().mark.column;
    Report(value.mark, ExplainEmptyBlock(source_, value.mark, column));
    if (!frames_.empty()) frames_.back().empty_block = true;
  }
  Complete(anchor, value, 1, 0);
}

void TreeBuilder::OnAlias(const YAML::Mark& yaml_mark, YAML::anchor_t number) {
  const Mark mark = FromYaml(yaml_mark);
  Check(number > 0 && number <= anchors_.size());
  Anchor& anchor = anchors_[number - 1];
  anchor.used = true;
  if (!anchor.complete) {
    Fail(mark, source_.Error(mark, "alias *" + anchor.name + " stands inside what it stands for",
                             "an alias can't hold itself"));
  }
  expanded_ += anchor.weight;
  if (expanded_ > kMaxExpanded) {
    Fail(mark, source_.Error(mark, "the aliases of this file stand for more than " +
                                       std::to_string(kMaxExpanded) + " values"));
  }
  if (frames_.size() + anchor.height > kMaxDepth) {
    Fail(mark, source_.Error(mark, "alias *" + anchor.name + " makes this deeper than " +
                                       std::to_string(kMaxDepth) + " levels"));
  }
  const Value value = anchor.value;
  Add(value, anchor.weight, anchor.height);
}

void TreeBuilder::Open(bool mapping, const YAML::Mark& yaml_mark, const std::string& tag,
                       YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  const Mark mark = FromYaml(yaml_mark);
  CheckTag(mark, tag);
  if (frames_.size() >= kMaxDepth) {
    Fail(mark, source_.Error(
                   mark, "this is nested deeper than " + std::to_string(kMaxDepth) + " levels"));
  }
  Frame frame;
  frame.mapping = mapping;
  frame.flow = style == YAML::EmitterStyle::Flow;
  frame.anchor = static_cast<uint32_t>(anchor);
  frame.first = mapping ? members_.size() : items_.size();
  frame.mark = anchor == 0 ? mark : ContentAt(mark);
  frames_.push_back(frame);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  Open(false, mark, tag, anchor, style);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  Open(true, mark, tag, anchor, style);
}

TreeBuilder::Frame TreeBuilder::Close() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  return frame;
}

void TreeBuilder::OnSequenceEnd() {
  const Frame frame = Close();
  const std::span<Value> items = MoveToArena(document_.arena(), items_, frame.first);
  Value value;
  value.kind = Value::Kind::kSequence;
  value.flow = frame.flow;
  value.mark = frame.mark;
  value.items = items;
  Complete(frame.anchor, value, frame.weight, frame.height + 1);
}

void TreeBuilder::OnMapEnd() {
  const Frame frame = Close();
  DropDuplicates(frame.first);
  if (frame.merges) ApplyMerges(frame.first);
  const std::span<Member> members = MoveToArena(document_.arena(), members_, frame.first);
  Value value;
  value.kind = Value::Kind::kMapping;
  value.flow = frame.flow;
  value.mark = frame.mark;
  value.members = members;
  if (frame.braces) {
    value.kind = Value::Kind::kScalar;
    value.style = Value::Style::kQuoted;
    value.text = bytes_.substr(frame.mark.offset);
    value.text = value.text.substr(0, std::min(value.text.find("}}"), value.text.size() - 2) + 2);
    value.members = {};
  }
  Complete(frame.anchor, value, frame.weight, frame.height + 1);
}

// A node is whole: kept for the aliases of its anchor, and put where it belongs.
void TreeBuilder::Complete(YAML::anchor_t number, const Value& value, size_t weight,
                           uint32_t height) {
  if (number != 0) {
    Anchor& anchor = anchors_[number - 1];
    anchor.value = value;
    anchor.weight = weight;
    anchor.height = height;
    anchor.complete = true;
  }
  if (++values_ > kMaxValues) {
    Fail(value.mark, source_.Error(value.mark, "the file holds more than " +
                                                   std::to_string(kMaxValues) + " values"));
  }
  Add(value, weight, height);
}

void TreeBuilder::Add(const Value& value, size_t weight, uint32_t height) {
  if (frames_.empty()) {
    root_ = value;
    return;
  }
  Frame& frame = frames_.back();
  frame.weight += weight;
  frame.height = std::max(frame.height, height);
  if (frame.mapping) {
    if (frame.has_key) {
      AddMember(frame, value);
    } else {
      AddKey(value);
    }
    return;
  }
  if (value.kind == Value::Kind::kMissing) {
    const Mark mark = frame.flow ? value.mark : MissingItemPlace(value.mark);
    Report(mark, source_.Error(mark, frame.flow ? "a value is missing before this comma"
                                                : "a value is missing behind this dash"));
    return;
  }
  items_.push_back(value);
}

void TreeBuilder::AddKey(const Value& key) {
  Frame& frame = frames_.back();
  frame.has_key = true;
  frame.bad_key = false;
  frame.key = key;
  if (key.kind == Value::Kind::kScalar || key.kind == Value::Kind::kNull) {
    if (key.text == "<<" && key.style == Value::Style::kPlain) frame.merges = true;
    frame.key.kind = Value::Kind::kScalar;
    return;
  }
  frame.bad_key = true;
  if (key.kind == Value::Kind::kMissing) {
    Report(key.mark, source_.Error(key.mark, "a key is missing here"));
    faults_.back().vague = true;
  } else {
    frame.braces = bytes_.substr(frame.mark.offset).starts_with("{{");
    Report(key.mark, ExplainKey(source_, frame.mark, key.mark));
  }
}

void TreeBuilder::AddMember(Frame& frame, const Value& value) {
  frame.has_key = false;
  if (frame.bad_key) return;
  const bool missing = value.kind == Value::Kind::kMissing;
  if (missing && frame.empty_block) return;  // a line of the block's text
  members_.push_back({frame.key, value});
  if (missing) members_.back().value.mark = MissingPlace(frame.key);
}

Mark TreeBuilder::MissingPlace(const Value& key) const {
  return key.style == Value::Style::kBlock ? key.mark : EndOf(source_, key);
}

// The dash without a value: the last one on a line before the next token, comments aside.
Mark TreeBuilder::MissingItemPlace(Mark next) const {
  size_t end = std::min<size_t>(next.offset, bytes_.size());
  while (end > 0) {
    const size_t line_end = bytes_.rfind('\n', end - 1);
    const size_t begin = line_end == kNone ? 0 : line_end + 1;
    std::string_view line = bytes_.substr(begin, end - begin);
    const size_t comment = line.starts_with('#') ? 0 : line.find(" #");
    line = line.substr(0, std::min(comment, line.size()));
    const size_t last = line.find_last_not_of(" \t\r");
    if (last != kNone && line[last] == '-') return source_.MarkAt(begin + last);
    if (last != kNone || begin == 0) break;
    end = begin - 1;
  }
  return next;
}

// Keys are unique (YAML 1.2 3.2.1.3). The first stays.
void TreeBuilder::DropDuplicates(size_t first) {
  const size_t count = members_.size() - first;
  if (count < 2) return;
  keys_.Clear();
  size_t kept = first;
  for (size_t i = first; i < members_.size(); ++i) {
    const Value& key = members_[i].key;
    if (const Member* earlier = keys_.Find(key.text); earlier != nullptr) {
      Report(key.mark, source_.Error(key.mark, "the key \"" + std::string(key.text) +
                                                   "\" stands twice, first on line " +
                                                   std::to_string(earlier->key.mark.line + 1)));
      continue;
    }
    members_[kept] = members_[i];
    keys_.Add(&members_[kept]);
    ++kept;
  }
  members_.resize(kept);
}

// Replaces the `<<` of the members from `first` by what they bring that has no key of its own
// there.
void TreeBuilder::ApplyMerges(size_t first) {
  const auto is_merge = [](const Member& member) {
    return member.key.text == "<<" && member.key.style == Value::Style::kPlain;
  };
  const auto begin = members_.begin() + static_cast<ptrdiff_t>(first);
  const auto found = std::find_if(begin, members_.end(), is_merge);
  if (found == members_.end()) return;  // it was a duplicate of a quoted "<<"
  const Member merge = *found;
  members_.erase(found);
  keys_.Clear();
  merged_.clear();
  // KeyIndex keeps pointers: no member moves until both lists are complete.
  for (size_t i = first; i < members_.size(); ++i) keys_.Add(&members_[i]);
  MergeFrom(merge);
  members_.insert(members_.end(), merged_.begin(), merged_.end());
}

void TreeBuilder::MergeFrom(const Member& merge) {
  const Value& value = merge.value;
  const bool list = value.kind == Value::Kind::kSequence;
  const auto is_mapping = [](const Value& item) { return item.kind == Value::Kind::kMapping; };
  if (!is_mapping(value) &&
      !(list && std::all_of(value.items.begin(), value.items.end(), is_mapping))) {
    Report(merge.key.mark, source_.Error(merge.key.mark, "<< takes a mapping or a list of mappings",
                                         "write <<: *name, where &name stands before a mapping"));
    return;
  }
  if (!list) return MergeMapping(value);
  for (const Value& item : value.items) MergeMapping(item);
}

void TreeBuilder::MergeMapping(const Value& mapping) {
  for (const Member& member : mapping.members) {
    if (keys_.Find(member.key.text) != nullptr) continue;
    merged_.push_back(member);
    keys_.Add(&member);
  }
}

void TreeBuilder::Finish() {
  for (const Anchor& anchor : anchors_) {
    if (anchor.used) continue;
    Mark mark = anchor.mark;  // the node's, where a tag may stand first
    if (mark.offset < bytes_.size() && bytes_[mark.offset] != '&') {
      mark = source_.MarkAt(bytes_.find('&', mark.offset));
    }
    Report(mark, ExplainUnusedAnchor(source_, mark, anchor.name));
  }
  if (root_.kind == Value::Kind::kMissing && faults_.empty()) {
    Fail({}, source_.Error({}, "the configuration is empty"));
  }
  document_.set_root(root_);
}

// Feeds the source to yaml-cpp. True if it came to the end; else the reason has been reported.
bool ReadEvents(const Source& source, TreeBuilder& builder) {
  // The marker behind the end shows a quote that was never closed, which yaml-cpp lets pass.
  std::string bytes;
  bytes.reserve(source.bytes().size() + 5);
  bytes.append(source.bytes()).append(source.bytes().ends_with('\n') ? "...\n" : "\n...\n");
  MemoryBuffer buffer(bytes);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    parser.HandleNextDocument(builder);
    builder.Finish();
    return true;
  } catch (const Stop&) {
    return false;
  } catch (const YAML::Exception& exception) {
    const Mark mark = FromYaml(exception.mark);
    builder.ReportLast(mark, ExplainSyntax(source, exception.msg, mark));
    return false;
  }
}

}  // namespace

ParsedDocument ParseYaml(std::shared_ptr<const Source> source) {
  ParsedDocument parsed;
  if (std::optional<Diagnostic> fault = FindBadByte(*source)) {
    parsed.diagnostics.push_back(std::move(*fault));
    return parsed;
  }
  auto document = std::make_unique<Document>(source);
  TreeBuilder builder(*document);
  const bool complete = ReadEvents(*source, builder);
  parsed.diagnostics = builder.TakeFaults();
  if (complete && builder.legible()) parsed.document = std::move(document);
  return parsed;
}

}  // namespace quipd::config
