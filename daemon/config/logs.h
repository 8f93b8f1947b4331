// SPDX-License-Identifier: MIT
// `log` and `access_log`: where the daemon's own words and the requests that it answered go.
// Mappings merge into what was said before, a text replaces it. Used by one thread.
#pragma once

#include <optional>

#include "config/config.h"
#include "config/reader.h"

namespace quipd::config {

// A member of the mapping `log`.
void ReadLog(Reader& reader, const Member& member, Log* log);

// The value of `access_log`: off, a target, or a mapping. None: nothing was said before.
void ReadAccessLog(Reader& reader, const Value& value, std::optional<AccessLog>* access_log);

}  // namespace quipd::config
