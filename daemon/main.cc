// SPDX-License-Identifier: MIT
#include "cli/cli.h"

int main(int argc, char** argv) { return quipd::cli::Main(argc, argv); }
