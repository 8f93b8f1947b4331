// SPDX-License-Identifier: MIT
// Parses one head N times, or asks N times what it selects, for callgrind to count the
// instructions:
//   valgrind --tool=callgrind parse_instructions small 1000
// The difference between two counts of N is what that alone costs.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bench/heads.h"
#include "http/content_coding.h"
#include "http/request_head.h"
#include "http/selection.h"

namespace {

using namespace quipd::http;

constexpr HeadLimits kLimits;
constexpr Validators kValidators{.etag = "\"0123456789abcdef\"", .last_modified = 784111777};

// Each of these is true in every round.
bool Parses(std::string_view input) {
  RequestHead head;
  return ParseRequestHead(input, kLimits, &head).state == HeadState::kComplete;
}

bool ChoosesBrotli(const RequestHead& head) {
  const uint8_t all = BitOf(Coding::kGzip) | BitOf(Coding::kBrotli);
  return Choose(WeightsOf(head.selecting), all) == Coding::kBrotli;
}

bool Selects(const RequestHead& head, int status) {
  return Select(head, kValidators, 1000, 1700000000).status == status;
}

// The browser's head with more fields.
std::string With(std::string_view fields) {
  std::string input(quipd::bench::kBrowserHead);
  input.insert(input.size() - 2, fields);
  return input;
}

template <typename Round>
bool Repeat(long count, Round round) {
  bool all = true;
  for (long i = 0; i < count; ++i) {
    all = round() && all;
  }
  return all;
}

bool Run(std::string_view what, long count) {
  if (what == "small" || what == "browser") {
    const std::string_view input =
        what == "small" ? quipd::bench::kSmallHead : quipd::bench::kBrowserHead;
    return Repeat(count, [input] { return Parses(input); });
  }
  std::string input(quipd::bench::kBrowserHead);
  if (what == "not_modified") {
    input = With(
        "If-None-Match: W/\"0123456789abcdef\"\r\n"
        "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  } else if (what == "range") {
    input = With("Range: bytes=0-99\r\nIf-Range: \"0123456789abcdef\"\r\n");
  }
  RequestHead head;
  if (ParseRequestHead(input, kLimits, &head).state != HeadState::kComplete) return false;
  if (what == "codings") return Repeat(count, [&head] { return ChoosesBrotli(head); });
  if (what == "not_modified") return Repeat(count, [&head] { return Selects(head, 304); });
  return what == "range" && Repeat(count, [&head] { return Selects(head, 206); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: parse_instructions small|browser|codings|not_modified|range COUNT\n",
               stderr);
    return 2;
  }
  return Run(argv[1], std::strtol(argv[2], nullptr, 10)) ? 0 : 1;
}
