// SPDX-License-Identifier: MIT
#include "http/conditions.h"

#include "base/ascii.h"
#include "http/date.h"

namespace quipd::http {
namespace {

struct EntityTag {
  std::string_view opaque;  // with its quotes
  bool weak = false;
};

// Of an opaque-tag between its quotes (RFC 9110 8.8.3): no space, quote, control or DEL.
bool IsTagByte(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return value == 0x21 || (value >= 0x23 && value != 0x7f);
}

// Takes the entity tag at the beginning of *text; false where there is none.
bool TakeTag(std::string_view* text, EntityTag* tag) {
  tag->weak = text->starts_with("W/");
  const std::string_view rest = text->substr(tag->weak ? 2 : 0);
  if (!rest.starts_with('"')) return false;
  size_t end = 1;
  while (end < rest.size() && IsTagByte(rest[end])) ++end;
  if (end == rest.size() || rest[end] != '"') return false;
  tag->opaque = rest.substr(0, end + 1);
  *text = rest.substr(end + 1);
  return true;
}

// What the fields of one name say of the tag `current`. They are one list; its tags may hold
// commas. A current tag that is none itself equals no tag of a list.
class TagList {
 public:
  TagList(std::string_view current, bool strong)
      : weak_(current.starts_with("W/")), strong_(strong), opaque_(current.substr(weak_ ? 2 : 0)) {}

  void Add(std::string_view value) {
    found_ = true;
    bool separated = true;  // nothing stands in front of the first
    while (well_formed_ && !value.empty()) {
      const char first = value.front();
      if (first == ',' || IsBlank(first)) {
        separated = separated || first == ',';
        value.remove_prefix(1);
        continue;
      }
      well_formed_ = separated && Member(&value);
      separated = false;
    }
  }

  // Whether there was a field of that name.
  [[nodiscard]] bool found() const { return found_; }

  // Malformed lists match nothing; "*" stands alone.
  [[nodiscard]] bool Matches() const { return well_formed_ && (any_ ? members_ == 1 : matched_); }

 private:
  bool Member(std::string_view* value) {
    ++members_;
    if (value->front() == '*') {
      any_ = true;
      value->remove_prefix(1);
      return true;
    }
    EntityTag tag;
    if (!TakeTag(value, &tag)) return false;
    const bool comparable = !strong_ || (!tag.weak && !weak_);
    matched_ = matched_ || (comparable && tag.opaque == opaque_);
    return true;
  }

  const bool weak_;
  const bool strong_;
  const std::string_view opaque_;
  bool found_ = false;
  bool well_formed_ = true;
  bool any_ = false;
  bool matched_ = false;
  size_t members_ = 0;
};

// The value of a field that may stand once; several are a list, which no such field is.
struct Single {
  std::string_view value;
  int count = 0;

  void Add(std::string_view another) {
    value = another;
    ++count;
  }
  [[nodiscard]] std::optional<int64_t> Date(int64_t now) const {
    return count == 1 ? ParseDate(value, now) : std::nullopt;
  }
};

// What a head says of conditions.
struct Conditions {
  Conditions(const RequestHead& head, std::string_view etag)
      : match(etag, true), none_match(etag, false) {
    FieldReader reader(head.selecting);
    for (Field field; reader.Next(&field);) Add(field);
  }

  void Add(const Field& field) {
    const auto is = [&field](std::string_view name) { return EqualsIgnoreCase(field.name, name); };
    switch (field.name.size()) {
      case 8:
        if (is("if-match")) match.Add(field.value);
        break;
      case 13:
        if (is("if-none-match")) none_match.Add(field.value);
        break;
      case 17:
        if (is("if-modified-since")) modified_since.Add(field.value);
        break;
      case 19:
        if (is("if-unmodified-since")) unmodified_since.Add(field.value);
        break;
      default:
        break;
    }
  }

  TagList match;
  TagList none_match;
  Single modified_since;
  Single unmodified_since;
};

// Steps 1 and 2 of RFC 9110 13.2.2.
bool MayGoOn(const Conditions& conditions, const Validators& validators, int64_t now) {
  if (conditions.match.found()) return conditions.match.Matches();
  if (!validators.last_modified) return true;
  const auto since = conditions.unmodified_since.Date(now);
  return !since || *validators.last_modified <= *since;
}

// Steps 3 and 4.
bool IsNew(const Conditions& conditions, const Validators& validators, bool reads, int64_t now) {
  if (conditions.none_match.found()) return !conditions.none_match.Matches();
  if (!reads || !validators.last_modified) return true;
  const auto since = conditions.modified_since.Date(now);
  return !since || *validators.last_modified > *since;
}

// Whether conditions count for it at all (RFC 9110 13.2.1).
bool HasConditions(Method method) {
  return method != Method::kOptions && method != Method::kTrace && method != Method::kConnect;
}

}  // namespace

Condition Evaluate(const RequestHead& head, const Validators& validators, int64_t now) {
  if ((head.selectors & kConditional) == 0 || !HasConditions(head.method_id)) {
    return Condition::kHolds;
  }
  const Conditions conditions(head, validators.etag);
  if (!MayGoOn(conditions, validators, now)) return Condition::kFailed;
  const bool reads = head.method_id == Method::kGet || head.method_id == Method::kHead;
  if (IsNew(conditions, validators, reads, now)) return Condition::kHolds;
  return reads ? Condition::kNotModified : Condition::kFailed;
}

bool IfRangeHolds(const RequestHead& head, const Validators& validators, int64_t now) {
  Single if_range;
  FieldReader reader(head.selecting);
  for (Field field; reader.Next(&field);) {
    if (EqualsIgnoreCase(field.name, "if-range")) if_range.Add(field.value);
  }
  if (if_range.count != 1) return if_range.count == 0;
  EntityTag asked;
  std::string_view rest = if_range.value;
  if (TakeTag(&rest, &asked))
    return rest.empty() && if_range.value == validators.etag && !asked.weak;
  const auto& modified = validators.last_modified;
  const auto date = if_range.Date(now);
  return date && modified && *date == *modified && *modified < now;
}

}  // namespace quipd::http
