// SPDX-License-Identifier: MIT
// The request head: all sets of scanners say the same, views stay inside the input, a prefix is
// partial or has the answer of the whole, and the head before changes nothing. The first byte of
// the input picks the limits.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/check.h"
#include "http/head_parser.h"
#include "http/request_head.h"
#include "http/scan.h"

namespace quipd::http {
namespace {

using ParseFunction = HeadResult (*)(std::string_view, const HeadLimits&, RequestHead*);

HeadResult ParseWithTables(std::string_view input, const HeadLimits& limits, RequestHead* head) {
  return HeadParser<scan::Tables>(limits, head).Parse(input);
}

#if defined(__SSE2__)
// What ParseRequestHead takes where there is no AVX2, which it has wherever this is to find faults.
HeadResult ParseWithSse2(std::string_view input, const HeadLimits& limits, RequestHead* head) {
  if (input.size() < 16 || limits.head < 16) return ParseWithTables(input, limits, head);
  return HeadParser<scan::Sse2>(limits, head).Parse(input);
}
#endif

HeadResult ParseAlone(std::string_view input, const HeadLimits& limits, RequestHead* head) {
  return ParseRequestHead(input, limits, head);
}

// As the second of two heads that came in together.
HeadResult ParseBehindItself(std::string_view input, const HeadLimits& limits, RequestHead* head) {
  RequestHead before;
  const bool complete = ParseRequestHead(input, limits, &before).state == HeadState::kComplete;
  return ParseRequestHead(input, limits, head, complete ? &before : nullptr);
}

bool Inside(std::string_view outer, std::string_view inner) {
  return inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size();
}

void CheckViews(std::string_view input, const RequestHead& head) {
  Check(Inside(input, head.bytes) && head.bytes.ends_with("\r\n\r\n"));
  for (const std::string_view part : {head.method, head.target, head.fields}) {
    Check(Inside(head.bytes, part));
  }
  Check(head.path == "/" || Inside(head.target, head.path));
  Check(head.query.data() == nullptr || Inside(head.target, head.query));
  Check(head.authority.empty() || Inside(head.bytes, head.authority));
  Check(IsToken(head.method) && IsAuthority(head.authority));
  Check(head.path.front() == '/' || head.path == "*");
}

void CheckFields(const RequestHead& head) {
  FieldReader reader(head.fields);
  size_t bytes = 0;
  for (Field field; reader.Next(&field);) {
    Check(IsToken(field.name) && IsFieldValue(field.value));
    Check(Inside(head.fields, field.name) && Inside(head.fields, field.value));
    bytes += field.name.size() + 1 + field.value.size() + 2;
  }
  Check(bytes <= head.fields.size());
  Check(!head.chunked || (!head.has_content_length && !head.http10));
  Check(head.http10 || FindField(head.fields, "host").data() != nullptr);
}

// What a head says, as bytes.
std::string Text(const RequestHead& head) {
  std::string text;
  for (const std::string_view part :
       {head.authority, head.path, head.query, head.fields, head.selecting}) {
    text += std::string(part) + "|";
  }
  for (const bool flag : {head.plain_path, head.has_content_length, head.chunked, head.close,
                          head.keep_alive_10, head.expect_continue}) {
    text += flag ? '1' : '0';
  }
  return text + std::to_string(head.content_length) + " " + std::to_string(head.selectors) + " " +
         std::to_string(static_cast<int>(head.method_id));
}

// What a parse said, as bytes.
std::string Text(const HeadResult& result, const RequestHead& head) {
  std::string text = std::to_string(static_cast<int>(result.state)) + " " +
                     std::to_string(static_cast<int>(result.fault)) + " ";
  if (result.state == HeadState::kPartial) return text;
  text += std::to_string(result.length) + "|" + std::string(head.method) + "|" +
          std::string(head.target) + (head.http10 ? "|1.0|" : "|");
  return result.state == HeadState::kComplete ? text + Text(head) : text;
}

// The selectors of one field, and whether it is one that `selecting` spans.
unsigned SelectorsOf(const Field& field, bool* spanned) {
  const std::string name = Lower(field.name);
  *spanned = true;
  if (name == "if-match" || name == "if-none-match" || name == "if-modified-since" ||
      name == "if-unmodified-since") {
    return kConditional;
  }
  if (name == "range") return kRange;
  if (name == "accept-encoding") {
    const bool weighted = field.value.find(';') != std::string_view::npos;
    return weighted ? kAcceptEncoding | kWeightedCodings : kAcceptEncoding;
  }
  *spanned = name == "if-range";
  return 0;
}

// The selectors are those that the fields show, their lines the shortest that hold them.
void CheckSelectors(const RequestHead& head) {
  unsigned selectors = 0;
  const char* first = nullptr;
  const char* last = nullptr;
  FieldReader reader(head.fields);
  for (Field field; reader.Next(&field);) {
    bool spanned = false;
    selectors |= SelectorsOf(field, &spanned);
    if (!spanned) continue;
    first = first != nullptr ? first : field.name.data();
    last = field.name.data();
  }
  Check(head.selectors == selectors);
  Check(head.selecting.empty() == (first == nullptr));
  if (first == nullptr) return;
  Check(head.selecting.data() == first && head.selecting.ends_with("\r\n"));
  const size_t line = static_cast<size_t>(last - first);
  Check(head.selecting.find("\r\n", line) == head.selecting.size() - 2);
}

std::string Outcome(ParseFunction parse, std::string_view input, const HeadLimits& limits) {
  const auto heap = std::make_unique<char[]>(input.size());
  std::memcpy(heap.get(), input.data(), input.size());
  const std::string_view copy(heap.get(), input.size());
  RequestHead head;
  const HeadResult result = parse(copy, limits, &head);
  if (result.state == HeadState::kPartial) Check(result.length == input.size());
  if (result.state == HeadState::kFault) {
    Check(result.fault != HeadFault::kNone && StatusOf(result.fault) >= 400);
  }
  if (result.state == HeadState::kComplete) {
    CheckViews(copy, head);
    CheckFields(head);
    CheckSelectors(head);
  }
  return Text(result, head);
}

// Heads that stand one behind the other, each told with the one before and without.
void CheckPipelined(std::string_view input, const HeadLimits& limits) {
  RequestHead before;
  HeadResult result = ParseRequestHead(input, limits, &before);
  for (int count = 0; count < 8 && result.state == HeadState::kComplete; ++count) {
    input.remove_prefix(result.length);
    RequestHead alone;
    const HeadResult expected = ParseRequestHead(input, limits, &alone);
    RequestHead head;
    result = ParseRequestHead(input, limits, &head, &before);
    Check(Text(result, head) == Text(expected, alone));
    Check(result.state != HeadState::kComplete || Inside(head.bytes, head.fields));
    before = head;
  }
}

// The fields of a head that is accepted, repeated behind other request lines.
void CheckRepeated(std::string_view input, const HeadLimits& limits) {
  RequestHead head;
  const HeadResult result = ParseRequestHead(input, limits, &head);
  if (result.state != HeadState::kComplete) return;
  const std::string fields = std::string(head.fields) + "\r\n";
  std::string heads(input.substr(0, result.length));
  for (const char* line :
       {"GET / HTTP/1.1\r\n", "HEAD /a%20b?c HTTP/1.1\r\n", "PUT /a HTTP/1.0\r\n",
        "GET http://t/x HTTP/1.1\r\n", "OPTIONS * HTTP/1.1\r\n", "GET / HTTP/1.1\r\n"}) {
    heads.append(line).append(fields);
  }
  CheckPipelined(heads, limits);
}

HeadLimits LimitsOf(uint8_t choice) {
  if (choice < 0x80) {
    return {};
  }
  return {.head = choice & 0x7fU, .target = choice & 0x1fU, .header_count = choice & 3U};
}

void CheckHead(std::string_view input, const HeadLimits& limits) {
  const std::string whole = Outcome(ParseAlone, input, limits);
  const std::string partial = Outcome(ParseAlone, "", limits);
  Check(Outcome(ParseWithTables, input, limits) == whole);
#if defined(__SSE2__)
  Check(Outcome(ParseWithSse2, input, limits) == whole);
#endif
  Check(Outcome(ParseBehindItself, input, limits) == whole);
  CheckPipelined(input, limits);
  CheckRepeated(input, limits);
  // Every prefix of a short input, some of a long one.
  const size_t step = std::max<size_t>(1, input.size() / 64);
  bool decided = false;
  for (size_t length = 0; length < input.size(); length += step) {
    const std::string prefix = Outcome(ParseAlone, input.substr(0, length), limits);
    decided = decided || prefix != partial;
    Check(prefix == (decided ? whole : partial));
  }
}

}  // namespace
}  // namespace quipd::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) {
    const std::string text(data + 1, data + size);
    quipd::http::CheckHead(text, quipd::http::LimitsOf(data[0]));
  }
  return 0;
}
