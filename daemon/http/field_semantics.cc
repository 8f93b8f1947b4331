// SPDX-License-Identifier: MIT
#include "http/field_semantics.h"

#include <charconv>

#include "base/ascii.h"
#include "http/scan.h"

namespace quipd::http {
namespace {

// Calls `use` with each element of a comma-separated list, the empty ones as well.
template <typename Use>
void ForEachElement(std::string_view list, Use use) {
  for (;;) {
    const size_t comma = list.find(',');
    use(Trimmed(list.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return;
    }
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

HeadFault FieldSemantics::ContentLength(std::string_view value) {
  // A second one is refused even if it is equal, and so is a list: nobody but an attacker sends it.
  if (Saw(kContentLength) || value.empty() || !scan::All(value, scan::kDigit)) {
    return HeadFault::kContentLength;
  }
  const char* const end = value.data() + value.size();
  if (std::from_chars(value.data(), end, content_length_).ec != std::errc()) {
    return HeadFault::kContentLength;
  }
  seen_ |= kContentLength;
  return HeadFault::kNone;
}

HeadFault FieldSemantics::Expect(std::string_view value, bool http10) {
  bool known = true;
  ForEachElement(value, [&](std::string_view expectation) {
    if (EqualsIgnoreCase(expectation, "100-continue")) {
      seen_ |= kExpectContinue;
    } else if (!expectation.empty()) {
      known = false;
    }
  });
  return known || http10 ? HeadFault::kNone : HeadFault::kExpectation;
}

void FieldSemantics::TransferEncoding(std::string_view value) {
  seen_ |= kCoding;
  ForEachElement(value, [this](std::string_view coding) { TransferCoding(coding); });
}

void FieldSemantics::TransferCoding(std::string_view coding) {
  const std::string_view name = coding.substr(0, coding.find_first_of("; \t"));
  const bool chunked = EqualsIgnoreCase(name, "chunked");
  if (codings_ == Codings::kBroken || codings_ == Codings::kChunkedLast) {
    codings_ = Codings::kBroken;  // chunked again, or not at the end
  } else if (chunked && name.size() == coding.size()) {
    codings_ = Codings::kChunkedLast;
  } else if (chunked || EqualsIgnoreCase(name, "identity") || !IsToken(name)) {
    codings_ = Codings::kBroken;
  } else {
    codings_ = Codings::kOtherLast;
    seen_ |= kUnknownCoding;
  }
}

void FieldSemantics::Connection(std::string_view value) {
  ForEachElement(value, [this](std::string_view option) {
    if (EqualsIgnoreCase(option, "keep-alive")) {
      seen_ |= kKeepAlive;
    } else if (EqualsIgnoreCase(option, "close")) {
      seen_ |= kClose;
    }
  });
}

HeadFault FieldSemantics::FramingFault(bool http10) const {
  if (!Saw(kCoding)) {
    return HeadFault::kNone;
  }
  if (http10 || Saw(kContentLength) || codings_ != Codings::kChunkedLast) {
    return HeadFault::kTransferEncoding;
  }
  return Saw(kUnknownCoding) ? HeadFault::kTransferCoding : HeadFault::kNone;
}

HeadFault FieldSemantics::ConcludeRare(RequestHead* head) const {
  if (!Saw(kHost) && !head->http10) {
    return HeadFault::kHost;
  }
  if (const HeadFault fault = FramingFault(head->http10); fault != HeadFault::kNone) {
    return fault;
  }
  if (head->authority.empty()) {
    head->authority = host_;
  }
  head->content_length = content_length_;
  head->has_content_length = Saw(kContentLength);
  head->chunked = Saw(kCoding);
  head->keep_alive_10 = head->http10 && Saw(kKeepAlive) && !Saw(kClose);
  head->close = Saw(kClose) || (head->http10 && !Saw(kKeepAlive));
  head->expect_continue = Saw(kExpectContinue) && !head->http10 && head->HasBody();
  return HeadFault::kNone;
}

}  // namespace quipd::http
