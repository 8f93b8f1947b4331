// SPDX-License-Identifier: MIT
// The path of a rule: `/users/{id}.json`, `/docs/{rest...}`. Checked, percent-decoded once and
// split into segments as http/path.h has them. Pure; thread-safe.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/problem.h"

namespace quipd::config {

// Reads `prefix` and `path`, joined as text, into `out`. `prefix` is empty or was accepted by
// ParsePrefix; the problem's offset is into `path`.
[[nodiscard]] std::optional<Problem> ParsePath(std::string_view prefix, std::string_view path,
                                               Path* out);

// Reads the prefix of a group within `outer`: as a path, but it never ends in '/' and takes no
// `{name...}`.
[[nodiscard]] std::optional<Problem> ParsePrefix(std::string_view outer, std::string_view prefix,
                                                 Path* out);

// Makes a path that ends in '/' match all below it, as the path of a dir does: as `{name...}` in
// its place would, but without a name. What is written stays.
void MatchAllBelow(Path* path);

// The names of the path's parameters, in order: their index is that of Piece::index.
[[nodiscard]] std::vector<std::string_view> ParametersOf(const Path& path);

// A name of a parameter: [A-Za-z_][A-Za-z0-9_-]*.
[[nodiscard]] bool IsParameterName(std::string_view text);

}  // namespace quipd::config
