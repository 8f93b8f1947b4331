// SPDX-License-Identifier: MIT
// The command line: `quipd COMMAND [options]`. One file a command; this one hides the parser.
// Main thread only; no exception leaves it.
#pragma once

namespace quipd::cli {

// The exit status: 0, 1 for a fault (told on stderr), 2 for a command line that can't be read.
[[nodiscard]] int Main(int argc, char** argv);

}  // namespace quipd::cli
