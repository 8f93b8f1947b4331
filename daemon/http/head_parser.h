// SPDX-License-Identifier: MIT
// The parser behind ParseRequestHead, over any set of scanners. Private to http/ and its tests.
//
// Each step takes where it begins and returns where it ended, or nullptr: fault_ then tells a fault
// from an input that ended too soon. A step refuses a byte only for what stands before it, never
// for what follows; so the first fault in byte order decides, and any prefix of a head gets either
// kPartial or the answer of the whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "http/field_semantics.h"
#include "http/method.h"
#include "http/request_head.h"
#include "http/scan.h"

namespace quipd::http {

template <typename Scan>
class HeadParser {
 public:
  HeadParser(const HeadLimits& limits, RequestHead* head, const RequestHead* before = nullptr)
      : limits_(limits), head_(*head), before_(before) {}

  [[gnu::always_inline]] HeadResult Parse(std::string_view input) {
    Reset();
    end_ = input.data() + input.size();
    const char* const begin = EmptyLines(input.data());
    if (begin == nullptr) {
      return Stopped(input);
    }
    // What lies beyond the limit isn't looked at, however much of it is here.
    const bool cut = static_cast<size_t>(end_ - begin) >= limits_.head;
    end_ = cut ? begin + limits_.head : end_;
    const char* p = RequestLine(begin);
    p = p != nullptr ? Fields(p) : nullptr;
    if (p == nullptr) {
      fault_ = cut && fault_ == HeadFault::kNone ? HeadFault::kHeadTooLarge : fault_;
      return Stopped(input);
    }
    head_.bytes = View(begin, p);
    return {HeadState::kComplete, HeadFault::kNone, static_cast<size_t>(p - input.data())};
  }

 private:
  static constexpr int kEmptyLines = 8;

  // What Judge knows, by the length of the name: the letter that stands fourth from its end, with
  // the bits of kBlur set. They make one of both cases, and one of all letters that stand there in
  // known names of a length; the place tells these from what else browsers send.
  static constexpr char kBlur = 0x2d;
  static constexpr auto kFourthOfKnown = [] {
    std::array<char, 20> letters{};
    for (const std::string_view name :
         {"host", "range", "expect", "if-match", "connection", "if-none-match", "content-length",
          "accept-encoding", "transfer-encoding", "if-modified-since", "if-unmodified-since"}) {
      char& letter = letters[name.size()];
      const auto blurred = static_cast<char>(name[name.size() - 4] | kBlur);
      letter = letter == 0 || letter == blurred ? blurred : throw "two letters";
    }
    return letters;
  }();

  // What a complete head may leave unwritten, and what is told of one that isn't.
  void Reset() {
    head_.method = {};
    head_.target = {};
    head_.selecting = {};
    head_.authority = {};
    head_.query = {};
    head_.content_length = 0;
    head_.method_id = Method::kOther;
    head_.http10 = false;
    head_.plain_path = false;
    head_.has_content_length = false;
    head_.chunked = false;
    head_.close = false;
    head_.keep_alive_10 = false;
    head_.selectors = 0;
    head_.expect_continue = false;
  }

  static std::string_view View(const char* begin, const char* end) {
    return {begin, static_cast<size_t>(end - begin)};
  }

  HeadResult Stopped(std::string_view input) const {
    if (fault_ == HeadFault::kNone) {
      return {HeadState::kPartial, HeadFault::kNone, input.size()};
    }
    return {HeadState::kFault, fault_, 0};
  }

  const char* Refuse(HeadFault fault) {
    fault_ = fault;
    return nullptr;
  }

  // "\r\n" at p, or `fault` where another byte stands.
  [[gnu::always_inline]] const char* LineEnd(const char* p, HeadFault fault) {
    if (end_ - p >= 2 && std::memcmp(p, "\r\n", 2) == 0) [[likely]] {
      return p + 2;
    }
    return p == end_ || (*p == '\r' && p + 1 == end_) ? nullptr : Refuse(fault);
  }

  // Skips what RFC 9112 2.2 allows in front of a request.
  [[gnu::always_inline]] const char* EmptyLines(const char* p) {
    return p != end_ && *p != '\r' ? p : SomeEmptyLines(p);
  }

  const char* SomeEmptyLines(const char* p) {
    for (int lines = 0; p != nullptr && p != end_ && *p == '\r'; ++lines) {
      if (lines == kEmptyLines) {
        return Refuse(HeadFault::kRequestLine);
      }
      p = LineEnd(p, HeadFault::kRequestLine);
    }
    return p == end_ ? nullptr : p;
  }

  [[gnu::always_inline]] const char* RequestLine(const char* p) {
    p = MethodToken(p);
    p = p != nullptr ? Target(p) : nullptr;
    p = p != nullptr ? Version(p) : nullptr;
    if (p == nullptr) {
      return nullptr;
    }
    if (head_.method_id == Method::kConnect) [[unlikely]] {
      return Refuse(HeadFault::kConnect);
    }
    // The version is told before the form: "PRI * HTTP/2.0" is another version, not a bad target.
    if (head_.target.front() != '/' && !OtherForm()) [[unlikely]] {
      return Refuse(HeadFault::kTarget);
    }
    return p;
  }

  // The method and the space behind it.
  [[gnu::always_inline]] const char* MethodToken(const char* p) {
    if (end_ - p >= 4 && std::memcmp(p, "GET ", 4) == 0) [[likely]] {
      head_.method = View(p, p + 3);
      head_.method_id = Method::kGet;
      return p + 4;
    }
    const char* const end = scan::Tables::NameEnd(p, end_);
    head_.method = View(p, end);
    if (end == end_) {
      return nullptr;
    }
    if (end == p || *end != ' ') {
      return Refuse(HeadFault::kRequestLine);
    }
    head_.method_id = MethodOf(head_.method);
    return end + 1;
  }

  // The target, byte by byte, and the space behind it; its form is judged later.
  [[gnu::always_inline]] const char* Target(const char* begin) {
    bool dotted = false;
    const char* const p = Scan::PathEnd(begin, end_, &dotted);
    const auto length = static_cast<size_t>(p - begin);
    if (p == end_ || *p != ' ' || length - 1 >= limits_.target) [[unlikely]] {
      return LongTarget(begin, p, dotted);
    }
    head_.target = View(begin, p);
    head_.path = head_.target;
    head_.plain_path = !dotted;
    return p + 1;
  }

  // The same where it isn't a path alone; the path goes to `p`.
  const char* LongTarget(const char* begin, const char* p, bool dotted) {
    const char* query = nullptr;  // behind the '?'
    while (p != end_ && (*p == '?' || *p == '%')) {
      if (*p == '?') {
        head_.path = View(begin, p);
        query = ++p;
      } else if (!Escape(&p)) {
        break;
      } else {
        dotted = dotted || query == nullptr;
      }
      p = query != nullptr ? Scan::QueryEnd(p, end_) : Scan::PathEnd(p, end_, &dotted);
    }
    head_.target = View(begin, p);
    if (head_.target.size() > limits_.target) {
      head_.target = head_.target.substr(0, limits_.target);  // however much more of it is here
      return Refuse(HeadFault::kTargetTooLong);
    }
    if (p == end_) {
      return nullptr;
    }
    if (broken_escape_ || (*p != ' ' && *p != '\r')) {
      return Refuse(HeadFault::kTarget);
    }
    if (*p == '\r' || p == begin) {
      return Refuse(HeadFault::kRequestLine);
    }
    if (query != nullptr) {
      head_.query = View(query, p);
    } else {
      head_.path = head_.target;
    }
    head_.plain_path = !dotted;
    return p + 1;
  }

  // Moves *p from a '%' behind its two digits; false where the input or the escape ends before.
  bool Escape(const char** p) {
    for (int digits = 0; digits < 2; ++digits) {
      ++*p;
      if (*p == end_ || !scan::Is(**p, scan::kHex)) {
        broken_escape_ = *p != end_;
        return false;
      }
    }
    ++*p;
    return true;
  }

  [[gnu::always_inline]] const char* Version(const char* p) {
    if (end_ - p >= 10 && std::memcmp(p, "HTTP/1.1\r\n", 10) == 0) [[likely]] {
      return p + 10;
    }
    return OtherVersion(p);
  }

  const char* OtherVersion(const char* p) {
    for (const char expected : std::string_view("HTTP/0.0\r\n")) {
      if (p == end_) {
        return nullptr;
      }
      const bool holds = expected == '0' ? scan::Is(*p, scan::kDigit) : *p == expected;
      if (!holds) {
        return Refuse(HeadFault::kRequestLine);
      }
      ++p;
    }
    head_.http10 = std::memcmp(p - 5, "1.0", 3) == 0;
    return p[-5] == '1' ? p : Refuse(HeadFault::kVersion);
  }

  // absolute-form, or the asterisk of OPTIONS (RFC 9112 3.2).
  bool OtherForm() {
    if (head_.target == "*") {
      return head_.method_id == Method::kOptions;
    }
    const std::string_view target = head_.target;
    const size_t scheme = target.find("://");
    if (scheme == std::string_view::npos ||
        !(EqualsIgnoreCase(target.substr(0, scheme), "http") ||
          EqualsIgnoreCase(target.substr(0, scheme), "https"))) {
      return false;
    }
    const size_t authority = scheme + 3;
    const size_t path = std::min(target.find_first_of("/?", authority), target.size());
    const size_t query = std::min(target.find('?', path), target.size());
    head_.authority = target.substr(authority, path - authority);
    head_.path = path == query ? std::string_view("/") : target.substr(path, query - path);
    bool dotted = false;
    const char* const path_end = head_.path.data() + head_.path.size();
    head_.plain_path =
        scan::Tables::PathEnd(head_.path.data(), path_end, &dotted) == path_end && !dotted;
    return !head_.authority.empty() && IsAuthority(head_.authority);
  }

  // The field lines and the empty line behind them.
  [[gnu::always_inline]] const char* Fields(const char* p) {
    const char* const begin = p;
    if (before_ != nullptr && Repeats(p)) {
      return TakeOver(p);
    }
    for (uint32_t left = limits_.header_count;; --left) {
      if (p == end_) {
        return nullptr;
      }
      if (*p == '\r') {
        break;
      }
      if (left == 0) {
        return Refuse(HeadFault::kHeadTooLarge);
      }
      p = FieldLine(p);
      if (p == nullptr) {
        return nullptr;
      }
    }
    head_.fields = View(begin, p);
    p = LineEnd(p, HeadFault::kField);
    if (p == nullptr) {
      return nullptr;
    }
    const HeadFault fault = semantics_.Conclude(&head_);
    return fault == HeadFault::kNone ? p : Refuse(fault);
  }

  // Whether the fields and the empty line at p are those of the head before, to the byte, and mean
  // the same: the version decides of persistence, an absolute-form of the authority.
  [[gnu::always_inline]] bool Repeats(const char* p) const {
    const size_t size = before_->fields.size() + 2;
    return static_cast<size_t>(end_ - p) >= size && before_->http10 == head_.http10 &&
           before_->target.front() == '/' && head_.target.front() == '/' &&
           std::memcmp(before_->fields.data(), p, size) == 0;
  }

  [[gnu::always_inline]] const char* TakeOver(const char* p) {
    const RequestHead& before = *before_;
    head_.fields = View(p, p + before.fields.size());
    if (before.authority.data() != nullptr) {
      head_.authority = {p + (before.authority.data() - before.fields.data()),
                         before.authority.size()};
    }
    if (before.selecting.data() != nullptr) {
      head_.selecting = {p + (before.selecting.data() - before.fields.data()),
                         before.selecting.size()};
    }
    head_.content_length = before.content_length;
    head_.has_content_length = before.has_content_length;
    head_.chunked = before.chunked;
    head_.close = before.close;
    head_.keep_alive_10 = before.keep_alive_10;
    head_.selectors = before.selectors;
    head_.expect_continue = before.expect_continue;
    return p + before.fields.size() + 2;
  }

  [[gnu::always_inline]] const char* FieldLine(const char* name) {
    const scan::Line line = Scan::ReadLine(name, end_);
    const char* const colon = line.name_end;
    const char* value_end = line.value_end;
    const char* next = value_end + 2;
    if (colon == name || end_ - value_end < 2 || std::memcmp(value_end, "\r\n", 2) != 0)
        [[unlikely]] {
      next = OddLine(name, colon, value_end);
      if (next == nullptr) {
        return nullptr;
      }
      value_end = next - 2;
    }
    const char* const value = colon + 1;
    const auto length = static_cast<size_t>(colon - name);
    // The request line stands before the first name, so that the place is there in any.
    if (length >= kFourthOfKnown.size() || (colon[-4] | kBlur) != kFourthOfKnown[length]) {
      return next;
    }
    const HeadFault fault = Judge(name, length, value, value_end);
    return fault == HeadFault::kNone ? next : Refuse(fault);
  }

  // Behind a line that isn't whole, isn't right, or has a tab in its value, which then goes on.
  [[gnu::noinline]] const char* OddLine(const char* name, const char* colon,
                                        const char* value_end) {
    if (colon == end_) {
      return nullptr;
    }
    if (*colon != ':' || colon == name) {
      return Refuse(HeadFault::kField);
    }
    while (value_end != end_ && *value_end == '\t') {
      value_end = Scan::ControlIn(value_end + 1, end_);
    }
    return LineEnd(value_end, HeadFault::kField);
  }

  // Whether `name`, of the length of `lower` and without controls, is that name in any case. To set
  // the bit 0x20 makes no letter or '-' of any other byte but a control and the letter's upper
  // case.
  template <size_t N>
  static bool NameIs(const char* name, const char (&lower)[N]) {
    using Word = std::conditional_t<(N > 8), uint64_t, uint32_t>;
    constexpr size_t kLength = N - 1;
    constexpr auto kCase = static_cast<Word>(0x2020202020202020);
    for (size_t at = 0;; at = std::min(at + sizeof(Word), kLength - sizeof(Word))) {
      Word sent;
      Word known;
      std::memcpy(&sent, name + at, sizeof(Word));
      std::memcpy(&known, lower + at, sizeof(Word));
      if ((sent | kCase) != known) {
        return false;
      }
      if (at == kLength - sizeof(Word)) {
        return true;
      }
    }
  }

  static std::string_view Trimmed(const char* begin, const char* end) {
    while (begin != end && (*begin == ' ' || *begin == '\t')) {
      ++begin;
    }
    while (end != begin && (end[-1] == ' ' || end[-1] == '\t')) {
      --end;
    }
    return View(begin, end);
  }

  // A name or an IPv4 address, with a port of up to five digits; false tells nothing.
  bool IsPlainHost(std::string_view host) const {
    const char* const end = host.data() + host.size();
    const char* p = Scan::PlainHostEnd(host.data(), end_);
    if (p == host.data() || p == end) {
      return p == end;
    }
    return *p == ':' && end - p <= 6 && scan::All(View(p + 1, end), scan::kDigit) &&
           (end - p < 6 || std::memcmp(p + 1, "65535", 5) <= 0);
  }

  void Connection(std::string_view value) {
    if (value.size() == 10 && NameIs(value.data(), "keep-alive")) {
      semantics_.KeepAlive();
    } else {
      semantics_.Connection(value);
    }
  }

  HeadFault Host(const char* name, const char* value, const char* value_end) {
    if (!NameIs(name, "host")) {
      return HeadFault::kNone;
    }
    const std::string_view host = Trimmed(value, value_end);
    return semantics_.Host(host, IsPlainHost(host));
  }

  // The line from `name` on sets these selectors.
  void Selects(const char* name, const char* value_end, unsigned selectors) {
    head_.selectors = static_cast<uint8_t>(head_.selectors | selectors);
    const char* const first = head_.selecting.empty() ? name : head_.selecting.data();
    head_.selecting = View(first, value_end + 2);
  }

  HeadFault Judge(const char* name, size_t length, const char* value, const char* value_end) {
    // Each head has a Host; that one needn't take the way by a table of jumps.
    if (length == 4) {
      return Host(name, value, value_end);
    }
    switch (length) {
      case 5:
        if (NameIs(name, "range")) {
          Selects(name, value_end, kRange);
        }
        break;
      case 6:
        if (NameIs(name, "expect")) {
          return semantics_.Expect(Trimmed(value, value_end), head_.http10);
        }
        break;
      case 8:
        if (NameIs(name, "if-match")) {
          Selects(name, value_end, kConditional);
        } else if (NameIs(name, "if-range")) {
          Selects(name, value_end, 0);
        }
        break;
      case 10:
        if (NameIs(name, "connection")) {
          Connection(Trimmed(value, value_end));
        }
        break;
      case 13:
        if (NameIs(name, "if-none-match")) {
          Selects(name, value_end, kConditional);
        }
        break;
      case 14:
        if (NameIs(name, "content-length")) {
          return semantics_.ContentLength(Trimmed(value, value_end));
        }
        break;
      case 15:
        if (NameIs(name, "accept-encoding")) {
          const bool weighted = Scan::HasSemicolon(value, value_end, end_);
          Selects(name, value_end, weighted ? kAcceptEncoding | kWeightedCodings : kAcceptEncoding);
        }
        break;
      case 17:
        if (NameIs(name, "if-modified-since")) {
          Selects(name, value_end, kConditional);
        } else if (NameIs(name, "transfer-encoding")) {
          semantics_.TransferEncoding(Trimmed(value, value_end));
        }
        break;
      case 19:
        if (NameIs(name, "if-unmodified-since")) {
          Selects(name, value_end, kConditional);
        }
        break;
      default:
        break;
    }
    return HeadFault::kNone;
  }

  const HeadLimits& limits_;
  RequestHead& head_;
  const RequestHead* const before_;
  const char* end_ = nullptr;
  HeadFault fault_ = HeadFault::kNone;
  bool broken_escape_ = false;
  FieldSemantics semantics_;
};

}  // namespace quipd::http
