// SPDX-License-Identifier: MIT
// Paths: the canonical form is never longer than what was sent, has no dot or empty segment, and
// the canonical form of its own encoding is itself. Any bytes as an authority: the canonical host
// of a canonical host is itself.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/path.h"
#include "http/request_head.h"

namespace quipd::http {
namespace {

void CheckSegments(std::string_view canonical) {
  Check(!canonical.empty() && canonical.front() == '/');
  canonical.remove_prefix(1);
  for (;;) {
    const size_t slash = canonical.find('/');
    const std::string_view segment = canonical.substr(0, slash);
    Check(segment != "." && segment != "..");
    if (slash == std::string_view::npos) {
      return;
    }
    Check(!segment.empty());
    canonical.remove_prefix(slash + 1);
  }
}

// Of the exact size that the contract asks for.
std::string Canonical(std::string_view raw, PathFault* fault) {
  const auto out = std::make_unique<char[]>(raw.size());
  size_t length = 0;
  *fault = CanonicalPath(raw, out.get(), &length);
  Check(*fault != PathFault::kNone || (length > 0 && length <= raw.size()));
  return {out.get(), length};
}

void CheckPath(std::string_view raw) {
  PathFault fault;
  const std::string canonical = Canonical(raw, &fault);
  if (fault != PathFault::kNone) {
    return;
  }
  CheckSegments(canonical);
  std::string encoded;
  AppendPercentEncoded(canonical, true, &encoded);
  Check(Canonical(encoded, &fault) == canonical && fault == PathFault::kNone);
}

void CheckText(std::string_view text) {
  std::string encoded;
  AppendPercentEncoded(text, false, &encoded);
  std::string decoded;
  Check(AppendPercentDecoded(encoded, true, &decoded));
  Check(decoded == DecodedText(text));
  std::string any;
  AppendPercentDecoded(text, false, &any);
  Check(any.size() <= text.size());
}

void CheckHost(std::string_view text) {
  const auto out = std::make_unique<char[]>(text.size());
  const std::string_view host(out.get(), CanonicalHost(text, out.get()));
  Check(host.size() <= text.size());
  if (IsAuthority(text) && !host.ends_with('.')) {
    const auto again = std::make_unique<char[]>(host.size());
    Check(std::string_view(again.get(), CanonicalHost(host, again.get())) == host);
  }
}

}  // namespace
}  // namespace quipd::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  quipd::http::CheckPath("/" + text);
  quipd::http::CheckText(text);
  quipd::http::CheckHost(text);
  return 0;
}
