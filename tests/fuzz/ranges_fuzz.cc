// SPDX-License-Identifier: MIT
// Ranges: what is parsed is what a slow reading of the same value says, byte by byte where the
// representation is small; the order of a set's members is that of its ranges and changes nothing
// else; a multipart body is as long as it says. The first byte of the input picks the size.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/check.h"
#include "http/ranges.h"

namespace quipd::http {
namespace {

using Members = std::vector<std::string>;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// The members of a set that are not empty; none where the value is of another unit.
std::optional<Members> MembersOf(std::string_view value) {
  if (Lower(value.substr(0, 6)) != "bytes=") return std::nullopt;
  Members members;
  std::string member;
  for (const char byte : std::string(value.substr(6)) + ",") {
    if (byte != ',') {
      member.push_back(byte);
    } else {
      if (!Trimmed(member).empty()) members.emplace_back(Trimmed(member));
      member.clear();
    }
  }
  return members;
}

// A number of digits alone, the greatest of 64 bits where it is beyond them.
std::optional<uint64_t> NumberOf(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, IsDigit)) return std::nullopt;
  uint64_t number = 0;
  for (const char digit : text) {
    const auto value = static_cast<uint64_t>(digit - '0');
    if (number > (kMost - value) / 10) return kMost;
    number = number * 10 + value;
  }
  return number;
}

enum class Meaning : uint8_t { kMalformed, kUnsatisfiable, kOfNothing, kRange };

// What one member asks of `size` bytes.
Meaning MeaningOf(const std::string& member, uint64_t size, ByteRange* range) {
  const size_t dash = member.find('-');
  if (dash == std::string::npos) return Meaning::kMalformed;
  const auto first = NumberOf(std::string_view(member).substr(0, dash));
  const auto last = NumberOf(std::string_view(member).substr(dash + 1));
  const bool open = dash + 1 == member.size();
  if (dash == 0) {
    if (!last) return Meaning::kMalformed;
    if (*last == 0) return Meaning::kUnsatisfiable;
    if (size == 0) return Meaning::kOfNothing;
    *range = *last >= size ? ByteRange{0, size} : ByteRange{size - *last, *last};
    return Meaning::kRange;
  }
  if (!first || (!last && !open) || (last && *last < *first)) return Meaning::kMalformed;
  if (*first >= size) return Meaning::kUnsatisfiable;
  *range = {*first, (last && *last < size ? *last + 1 : size) - *first};
  return Meaning::kRange;
}

bool SharesBytes(const ByteRange& a, const ByteRange& b) {
  return std::max(a.first, b.first) <= std::min(a.first + (a.size - 1), b.first + (b.size - 1));
}

size_t Overlapping(const std::vector<ByteRange>& ranges) {
  size_t count = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    bool shared = false;
    for (size_t j = 0; j < ranges.size(); ++j) {
      shared = shared || (i != j && SharesBytes(ranges[i], ranges[j]));
    }
    count += shared ? 1 : 0;
  }
  return count;
}

// Of a small representation by its bytes: a range shares one that lies in more than one.
size_t OverlappingBytes(const std::vector<ByteRange>& ranges, uint64_t size) {
  std::vector<int> uses(size);
  for (const ByteRange& range : ranges) {
    for (uint64_t i = 0; i < range.size; ++i) ++uses[range.first + i];
  }
  return static_cast<size_t>(std::ranges::count_if(ranges, [&uses](const ByteRange& range) {
    const auto begin = uses.begin() + static_cast<ptrdiff_t>(range.first);
    return std::any_of(begin, begin + static_cast<ptrdiff_t>(range.size),
                       [](int count) { return count > 1; });
  }));
}

struct Expected {
  Ranges::Kind kind = Ranges::Kind::kIgnored;
  std::vector<ByteRange> ranges;
};

Expected Expect(std::string_view value, uint64_t size) {
  const auto members = MembersOf(value);
  if (!members || members->empty() || members->size() > kMaxRanges) return {};
  Expected expected;
  for (const std::string& member : *members) {
    ByteRange range;
    const Meaning meaning = MeaningOf(member, size, &range);
    if (meaning == Meaning::kMalformed || meaning == Meaning::kOfNothing) return {};
    if (meaning == Meaning::kRange) expected.ranges.push_back(range);
  }
  const size_t overlapping = Overlapping(expected.ranges);
  Check(size > 1000 || overlapping == OverlappingBytes(expected.ranges, size));
  if (overlapping > 2) return {};
  expected.kind = expected.ranges.empty() ? Ranges::Kind::kUnsatisfiable : Ranges::Kind::kSome;
  return expected;
}

bool Same(const ByteRange& a, const ByteRange& b) { return a.first == b.first && a.size == b.size; }

void CheckReversed(std::string_view value, uint64_t size, const Ranges& ranges) {
  const auto members = MembersOf(value);
  if (!members) return;
  std::string reversed = "bytes=";
  for (size_t i = members->size(); i > 0; --i) reversed += (*members)[i - 1] + " ,\t";
  const Ranges other = ParseRanges(reversed, size);
  Check(other.kind == ranges.kind);
  if (ranges.kind != Ranges::Kind::kSome) return;
  Check(std::ranges::equal(std::vector(other.all().rbegin(), other.all().rend()), ranges.all(),
                           Same));
}

void CheckMultipart(uint64_t size, const Ranges& ranges, std::string_view type) {
  const Multipart multipart(type, size);
  std::string frame;
  uint64_t content = 0;
  for (const ByteRange& range : ranges.all()) {
    multipart.AppendBefore(range, content == 0, &frame);
    content += range.size;
  }
  multipart.AppendEnd(&frame);
  Check(multipart.LengthOf(ranges.all()) == frame.size() + content);
}

void CheckRanges(std::string_view value, uint64_t size) {
  const Ranges ranges = ParseRanges(value, size);
  const Expected expected = Expect(value, size);
  Check(ranges.kind == expected.kind);
  CheckReversed(value, size, ranges);
  if (ranges.kind != Ranges::Kind::kSome) return;
  Check(ranges.count > 0 && std::ranges::equal(ranges.all(), expected.ranges, Same));
  for (const ByteRange& range : ranges.all()) {
    Check(range.size > 0 && range.size <= size && range.first <= size - range.size);
    // What Content-Range names is that range again.
    std::string text;
    AppendContentRange(range, size, &text);
    Check(text.starts_with("bytes ") && text.ends_with("/" + std::to_string(size)));
    const Ranges again = ParseRanges("bytes=" + text.substr(6, text.find('/') - 6), size);
    Check(again.count == 1 && Same(again.ranges[0], range));
  }
  CheckMultipart(size, ranges, "");
  CheckMultipart(size, ranges, "text/plain");
}

uint64_t SizeOf(uint8_t choice) {
  constexpr uint64_t kLarge[] = {1000, 65536, uint64_t{1} << 32, (uint64_t{1} << 63) - 1};
  return choice < 252 ? choice : kLarge[choice - 252];
}

}  // namespace
}  // namespace quipd::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) {
    const std::string text(data + 1, data + size);
    const uint64_t bytes = quipd::http::SizeOf(data[0]);
    quipd::http::CheckRanges(text, bytes);
    quipd::http::CheckRanges("bytes=" + text, bytes);
  }
  return 0;
}
