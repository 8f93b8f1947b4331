// SPDX-License-Identifier: MIT
#include "http/selection.h"

namespace quipd::http {

Selection Select(const RequestHead& head, const Validators& validators, uint64_t size,
                 int64_t now) {
  Selection selection;
  switch (Evaluate(head, validators, now)) {
    case Condition::kHolds:
      break;
    case Condition::kNotModified:
      selection.status = 304;
      return selection;
    case Condition::kFailed:
      selection.status = 412;
      return selection;
  }
  if ((head.selectors & kRange) == 0 || head.method_id != Method::kGet ||
      !IfRangeHolds(head, validators, now)) {
    return selection;
  }
  // Several Range fields are a list of such, which is none.
  selection.ranges = ParseRanges(FindOnlyField(head.selecting, "range"), size);
  if (selection.ranges.kind != Ranges::Kind::kIgnored) {
    selection.status = selection.ranges.kind == Ranges::Kind::kSome ? 206 : 416;
  }
  return selection;
}

}  // namespace quipd::http
