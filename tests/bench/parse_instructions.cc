// SPDX-License-Identifier: MIT
// Parses one head N times, for callgrind to count its instructions:
//   valgrind --tool=callgrind parse_instructions small 1000
// The difference between two counts of N is what the parse alone costs.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/heads.h"
#include "http/request_head.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: parse_instructions small|browser COUNT\n", stderr);
    return 2;
  }
  const bool small = std::string_view(argv[1]) == "small";
  const std::string_view input = small ? quipd::bench::kSmallHead : quipd::bench::kBrowserHead;
  const long count = std::strtol(argv[2], nullptr, 10);
  const quipd::http::HeadLimits limits;
  long complete = 0;
  for (long i = 0; i < count; ++i) {
    quipd::http::RequestHead head;
    const auto result = quipd::http::ParseRequestHead(input, limits, &head);
    complete += result.state == quipd::http::HeadState::kComplete ? 1 : 0;
  }
  return complete == count ? 0 : 1;
}
