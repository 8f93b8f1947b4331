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

bool IsTag(std::string_view text, EntityTag* tag) { return TakeTag(&text, tag) && text.empty(); }

// What the fields of one name say of one tag. They are one list, whose tags may hold commas.
class TagList {
 public:
  TagList(std::string_view current, bool strong) : strong_(strong) {
    has_current_ = IsTag(current, &current_);
  }

  void Add(std::string_view value) {
    bool separated = true;  // nothing stands in front of the first
    while (well_formed_) {
      value = Trimmed(value);
      if (value.empty()) return;
      if (value.front() == ',') {
        value.remove_prefix(1);
        separated = true;
        continue;
      }
      well_formed_ = separated && Member(&value);
      separated = false;
    }
  }

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
    const bool comparable = !strong_ || (!tag.weak && !current_.weak);
    matched_ = matched_ || (has_current_ && comparable && tag.opaque == current_.opaque);
    return true;
  }

  const bool strong_;
  EntityTag current_;
  bool has_current_ = false;
  bool well_formed_ = true;
  bool any_ = false;
  bool matched_ = false;
  size_t members_ = 0;
};

// What the fields of that name say of `etag`; none where there are none.
std::optional<bool> Match(const RequestHead& head, std::string_view name, std::string_view etag,
                          bool strong) {
  TagList list(etag, strong);
  bool found = false;
  FieldReader reader(head.fields);
  for (Field field; reader.Next(&field);) {
    if (!EqualsIgnoreCase(field.name, name)) continue;
    found = true;
    list.Add(field.value);
  }
  return found ? std::optional(list.Matches()) : std::nullopt;
}

// Steps 1 and 2 of RFC 9110 13.2.2.
bool MayGoOn(const RequestHead& head, const Validators& validators, int64_t now) {
  const auto match = Match(head, "if-match", validators.etag, true);
  if (match) return *match;
  if (!validators.last_modified) return true;
  const auto since = ParseDate(FindOnlyField(head.fields, "if-unmodified-since"), now);
  return !since || *validators.last_modified <= *since;
}

// Steps 3 and 4.
bool IsNew(const RequestHead& head, const Validators& validators, bool reads, int64_t now) {
  const auto match = Match(head, "if-none-match", validators.etag, false);
  if (match) return !*match;
  if (!reads || !validators.last_modified) return true;
  const auto since = ParseDate(FindOnlyField(head.fields, "if-modified-since"), now);
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
  if (!MayGoOn(head, validators, now)) return Condition::kFailed;
  const bool reads = head.method_id == Method::kGet || head.method_id == Method::kHead;
  if (IsNew(head, validators, reads, now)) return Condition::kHolds;
  return reads ? Condition::kNotModified : Condition::kFailed;
}

bool IfRangeHolds(const RequestHead& head, const Validators& validators, int64_t now) {
  if (FindField(head.fields, "if-range").data() == nullptr) return true;
  const std::string_view value = FindOnlyField(head.fields, "if-range");
  EntityTag asked;
  if (IsTag(value, &asked)) {
    EntityTag current;
    return IsTag(validators.etag, &current) && !asked.weak && !current.weak &&
           asked.opaque == current.opaque;
  }
  const auto& modified = validators.last_modified;
  const auto date = ParseDate(value, now);
  return date && modified && *date == *modified && *modified < now;
}

}  // namespace quipd::http
