// SPDX-License-Identifier: MIT
#include "http/request_head.h"

#include <algorithm>

#include "base/ascii.h"
#include "http/head_parser.h"
#include "http/scan.h"

namespace quipd::http {

int StatusOf(HeadFault fault) {
  switch (fault) {
    case HeadFault::kVersion:
      return 505;
    case HeadFault::kTransferCoding:
    case HeadFault::kConnect:
      return 501;
    case HeadFault::kExpectation:
      return 417;
    case HeadFault::kTargetTooLong:
      return 414;
    case HeadFault::kHeadTooLarge:
      return 431;
    default:
      return 400;
  }
}

std::string_view NameOf(HeadFault fault) {
  switch (fault) {
    case HeadFault::kNone:
      return "no fault";
    case HeadFault::kRequestLine:
      return "malformed request line";
    case HeadFault::kTarget:
      return "malformed request target";
    case HeadFault::kVersion:
      return "unknown HTTP version";
    case HeadFault::kField:
      return "malformed field line";
    case HeadFault::kHost:
      return "missing, repeated or malformed Host";
    case HeadFault::kContentLength:
      return "repeated or malformed Content-Length";
    case HeadFault::kTransferEncoding:
      return "ambiguous or malformed Transfer-Encoding";
    case HeadFault::kTransferCoding:
      return "unknown transfer coding";
    case HeadFault::kExpectation:
      return "unknown expectation";
    case HeadFault::kConnect:
      return "CONNECT is not served";
    case HeadFault::kTargetTooLong:
      return "request target above the limit";
    case HeadFault::kHeadTooLarge:
      return "request head above the limit";
  }
  return "unknown fault";
}

#if defined(QUIPD_SCAN_AVX2)
namespace {

const bool kHasAvx2 = scan::HasAvx2();

// All of the parser that runs for each line is drawn in here, and so compiled for AVX2.
[[gnu::target("avx2,bmi"), gnu::flatten]] HeadResult ParseByAvx2(std::string_view input,
                                                                 const HeadLimits& limits,
                                                                 RequestHead* head,
                                                                 const RequestHead* before) {
  return HeadParser<scan::Avx2>(limits, head, before).Parse(input);
}

}  // namespace
#endif

HeadResult ParseRequestHead(std::string_view input, const HeadLimits& limits, RequestHead* head,
                            const RequestHead* before) {
#if defined(__SSE2__)
  // The parser looks at `limits.head` bytes at most; see http/scan.h for the 16.
  if (input.size() >= 16 && limits.head >= 16) [[likely]] {
#if defined(QUIPD_SCAN_AVX2)
    if (kHasAvx2) {
      return ParseByAvx2(input, limits, head, before);
    }
#endif
    return HeadParser<scan::Sse2>(limits, head, before).Parse(input);
  }
#endif
  return HeadParser<scan::Tables>(limits, head, before).Parse(input);
}

bool FieldReader::Next(Field* field) {
  if (rest_.empty()) {
    return false;
  }
  // The lines were accepted: each has a colon, and its first CR ends it.
  const size_t colon = rest_.find(':');
  size_t first = colon + 1;
  const size_t line_end = rest_.find('\r', first);
  size_t last = line_end;
  while (first < last && (rest_[first] == ' ' || rest_[first] == '\t')) {
    ++first;
  }
  while (last > first && (rest_[last - 1] == ' ' || rest_[last - 1] == '\t')) {
    --last;
  }
  field->name = rest_.substr(0, colon);
  field->value = rest_.substr(first, last - first);
  rest_.remove_prefix(line_end + 2);
  return true;
}

std::string_view FindField(std::string_view fields, std::string_view name) {
  FieldReader reader(fields);
  for (Field field; reader.Next(&field);) {
    if (EqualsIgnoreCase(field.name, name)) {
      return field.value;
    }
  }
  return {};
}

std::string_view FindOnlyField(std::string_view fields, std::string_view name) {
  std::string_view value;
  FieldReader reader(fields);
  for (Field field; reader.Next(&field);) {
    if (!EqualsIgnoreCase(field.name, name)) continue;
    if (value.data() != nullptr) return {};
    value = field.value;
  }
  return value;
}

bool HasMember(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (EqualsIgnoreCase(Trimmed(list.substr(0, comma)), name)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  const auto lower = [](char byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; };
  if (a.size() != b.size()) {
    return false;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && lower(a[i]) != lower(b[i])) {
      return false;
    }
  }
  return true;
}

bool IsTokenByte(char byte) { return scan::Is(byte, scan::kToken); }

bool IsToken(std::string_view text) { return !text.empty() && scan::All(text, scan::kToken); }

bool IsFieldValue(std::string_view text) { return scan::All(text, scan::kValue); }

}  // namespace quipd::http
