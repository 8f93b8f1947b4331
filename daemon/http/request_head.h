// SPDX-License-Identifier: MIT
// The head of a request (RFC 9112 2 to 6), parsed strictly in one pass over bytes that stay where
// they are. Hides how bytes are scanned (SSE2 where there is, tables elsewhere).
//
// Pure functions: no allocation, no state, no exception; thread-safe. Every view points into the
// input, which must stay unchanged while the RequestHead is in use. Never reads past input.end().
// tests/conformance holds what is refused and with which status; the row numbers there are
// CONFORMANCE's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/method.h"

namespace quipd::http {

struct HeadLimits {
  uint32_t head = 16 * 1024;    // bytes: request line and fields with their CRLF
  uint32_t target = 8 * 1024;   // bytes of the request target
  uint32_t header_count = 100;  // field lines
};

// Fields that choose among representations or parts of one (RFC 9110 12.5.3, 13, 14); bits of
// RequestHead::selectors, and of site::Response::selectors for what an answer heeds.
enum Selector : uint8_t {
  kConditional = 1,      // If-Match, If-None-Match, If-Modified-Since or If-Unmodified-Since
  kRange = 2,            // Range
  kAcceptEncoding = 4,   // Accept-Encoding
  kWeightedCodings = 8,  // Accept-Encoding with a ';' in it, which alone can refuse identity
};

struct RequestHead {
  std::string_view bytes;       // from the method to the CRLF CRLF, both included
  std::string_view method;      // as sent
  std::string_view target;      // as sent
  std::string_view fields;      // the field lines, each with its CRLF; for FieldReader
  std::string_view selecting;   // of these, the lines from the first to the last that select
                                // (below) or are If-Range; empty: none
  std::string_view authority;   // uri-host[:port] of the target, else Host's value; empty: none
  std::string_view path;        // as sent: "/...", "*" of OPTIONS, "/" where absolute-form has none
  std::string_view query;       // behind the '?', without it; data() is null where there is no '?'
  uint64_t content_length = 0;  // of Content-Length; 0 where there is none
  Method method_id = Method::kOther;
  bool http10 = false;      // HTTP/1.0; else 1.1 or later, served as 1.1
  bool plain_path = false;  // no '%', no "//", no "/." in path: it is its own canonical form
  bool has_content_length = false;
  bool chunked = false;          // Transfer-Encoding: chunked
  bool close = false;            // the connection ends after this answer (RFC 9112 9.3)
  bool keep_alive_10 = false;    // HTTP/1.0 that asked to stay: answer Connection: keep-alive
  uint8_t selectors = 0;         // of enum Selector: such fields are there, whatever they say
  bool expect_continue = false;  // Expect: 100-continue that counts: HTTP/1.1 and a body follows

  // A body follows: chunked, or Content-Length above 0.
  [[nodiscard]] bool HasBody() const { return chunked || content_length > 0; }
};

// Why a head was refused; for logs and counters. StatusOf gives what is answered.
enum class HeadFault : uint8_t {
  kNone,
  kRequestLine,       // 400: not "METHOD SP TARGET SP HTTP/1.x CRLF"
  kTarget,            // 400: a byte or form that a target can't have
  kVersion,           // 505: another major version
  kField,             // 400: a malformed field line
  kHost,              // 400: none (1.1), two, or malformed
  kContentLength,     // 400
  kTransferEncoding,  // 400: chunked not alone, not final, with a length, or on HTTP/1.0
  kTransferCoding,    // 501: a coding that quipd doesn't know
  kExpectation,       // 417
  kConnect,           // 501: CONNECT
  kTargetTooLong,     // 414
  kHeadTooLarge,      // 431: bytes or count
};

// The status of the answer to a fault; the connection is closed after each (CONFORMANCE).
[[nodiscard]] int StatusOf(HeadFault fault);
// In words, such as "malformed field line", for logs.
[[nodiscard]] std::string_view NameOf(HeadFault fault);

enum class HeadState : uint8_t { kComplete, kPartial, kFault };

struct HeadResult {
  HeadState state = HeadState::kPartial;
  HeadFault fault = HeadFault::kNone;
  // kComplete: bytes from input.begin() to behind the head, skipped CRLFs included. kPartial: how
  // far the input was scanned without a fault, for the caller to know that more bytes without an LF
  // can't complete it. kFault: unset.
  size_t length = 0;
};

// Parses the head at the beginning of `input`, after up to 8 empty lines (RFC 9112 2.2). `head` is
// whole on kComplete only; on kFault its method, target and http10 are set as far as they were read
// (for logs and for an answer to HEAD). The same bytes give the same result however they come in.
// A head that can't fit its limits is refused as soon as that is seen, not when it is complete.
//
// `before` is the head that was accepted just before on the same connection under the same limits,
// its bytes still in place, or null: heads that come in together mostly repeat their fields to the
// byte, and what was found of those is taken over then. The result is the same without it.
[[nodiscard]] HeadResult ParseRequestHead(std::string_view input, const HeadLimits& limits,
                                          RequestHead* head, const RequestHead* before = nullptr);

struct Field {
  std::string_view name;   // as sent
  std::string_view value;  // without the white space around it
};

// Walks the field lines of a head that ParseRequestHead has accepted.
class FieldReader {
 public:
  explicit FieldReader(std::string_view fields) : rest_(fields) {}
  // The next field, false after the last.
  bool Next(Field* field);

 private:
  std::string_view rest_;
};

// The value of the first field of that name, whatever its case; data() is null where there is none.
[[nodiscard]] std::string_view FindField(std::string_view fields, std::string_view name);
// The same of a name that may stand once; data() is null where there are several as well.
[[nodiscard]] std::string_view FindOnlyField(std::string_view fields, std::string_view name);

// Whether a comma-separated list (RFC 9110 5.6.1) has that member, whatever its case.
[[nodiscard]] bool HasMember(std::string_view list, std::string_view name);

// Compares ASCII without case.
[[nodiscard]] bool EqualsIgnoreCase(std::string_view a, std::string_view b);
[[nodiscard]] bool IsTokenByte(char byte);               // tchar (RFC 9110 5.6.2)
[[nodiscard]] bool IsToken(std::string_view text);       // 1*tchar
[[nodiscard]] bool IsFieldValue(std::string_view text);  // RFC 9110 5.5, no CTL but HTAB

// uri-host[:port] as Host and a target's authority are checked (RFC 9110 7.2): a reg-name without
// commas, an IPv4 address or an IPv6 address in brackets; a port up to 65535 or empty. "" is valid.
[[nodiscard]] bool IsAuthority(std::string_view text);

}  // namespace quipd::http
