// SPDX-License-Identifier: MIT
// The words for faults of YAML: where the cause of a misreading stands and what to write instead.
// YAML gives up long after the slip (a text that is not quoted, a block that is not indented), so
// these functions look at the lines as a person would. Pure; they know nothing of yaml-cpp but the
// reasons it gives. Every message ends up at the place that has to be changed.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "config/source.h"

namespace quipd::config {

// Why the file can't be read as YAML. `reason` and `mark` are yaml-cpp's.
[[nodiscard]] Diagnostic ExplainSyntax(const Source& source, std::string_view reason, Mark mark);

// A mapping or a list where a key is due; `outer` is the mapping that it is a key of.
[[nodiscard]] Diagnostic ExplainKey(const Source& source, Mark outer, Mark key);

// `//` at mark, in [] or {} and outside of quotes.
[[nodiscard]] Diagnostic ExplainSlashes(const Source& source, Mark mark);

// `!...` at mark.
[[nodiscard]] Diagnostic ExplainTag(const Source& source, Mark mark);

// `&name` at mark, and no `*name` anywhere.
[[nodiscard]] Diagnostic ExplainUnusedAnchor(const Source& source, Mark mark,
                                             std::string_view name);

// A `|` or `>` at mark that has no text; what it belongs to stands in column `parent_column`.
[[nodiscard]] Diagnostic ExplainEmptyBlock(const Source& source, Mark mark, uint32_t parent_column);

// What stands behind the end of the document, at mark.
[[nodiscard]] Diagnostic ExplainSecondDocument(const Source& source, Mark mark);

// A key with a no-break space in it, or an unquoted text that begins with one.
[[nodiscard]] Diagnostic ExplainNoBreakSpace(const Source& source, Mark mark);

}  // namespace quipd::config
