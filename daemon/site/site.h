// SPDX-License-Identifier: MIT
// The compiled thing that answers: a Config turned into finished responses and an index over them.
// Immutable and shared by all workers; every member function is const, thread-safe and takes no
// lock; nothing but the rare case of Render allocates once its Scratch and string are warm. It
// lives as long as someone holds its shared_ptr: answers in flight do.
//
// A request is answered in steps, so that several pipelined ones overlap their cache misses:
//   Prepare (hash, prefetch the slot) -> Advance (prefetch the route) -> Find (the Answer).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"
#include "http/content_coding.h"
#include "http/request_head.h"
#include "http/selection.h"

namespace quipd::site {

inline constexpr uint32_t kNoRule = UINT32_MAX;  // quipd's own answer
inline constexpr size_t kMaxParams = 16;         // in one path; more are an error at load

struct Variants;

// A finished response. In memory: status line, fields, "Date: ", 29 bytes of date, CRLF CRLF, body.
// `Connection` is never stored: it is spliced in before "Date: " when sent.
struct Response {
  const char* bytes = nullptr;
  const Variants* variants = nullptr;  // not null: its codings; this is the identity
  uint32_t body_size = 0;              // behind the head; not sent to HEAD
  uint32_t head_size = 0;              // through CRLF CRLF
  uint32_t date_offset = 0;            // of the 29 bytes; the field's name is kDateName before it
  uint16_t status = 0;
  uint8_t selectors = 0;  // of http::Selector: fields of a request that this answer heeds; then
                          // Site::Select is asked. kAcceptEncoding only where there are variants
  http::Coding coding = http::Coding::kIdentity;
};
static_assert(sizeof(Response) == 32);
inline constexpr size_t kDateName = 6;  // "Date: "

// The same representation in other codings; bytes are null where there is none.
struct Variants {
  Response gzip;
  Response brotli;
};

// What a request with selecting fields gets of a kFixed answer.
struct Selected {
  const Response* response = nullptr;  // in the coding that was chosen; null: 406
  http::Selection selection;
};

// A rule whose files are opened for each request: `dir`, and `file` above limits.inline_file. What
// server/ needs to answer it.
struct FileRule {
  bool is_dir = false;
  std::string path;      // of the directory or file
  std::string type;      // `type`; empty: by extension
  std::string fields;    // field lines, each with its CRLF: Server, headers, Cache-Control; no
                         // type, validators, framing, Date
  std::string vary;      // what `headers` has for Vary, joined: not in `fields`
  bool has_etag = true;  // quipd's ETag is sent; false where `headers` has one or `etag: off`
  const config::Options* options =
      nullptr;  // etag, compress, listing, dotfiles, symlinks, fallback
  uint32_t rule = kNoRule;
};

struct Param {
  const char* data;  // canonical (http/path.h), into the request's path or Scratch::path
  uint32_t size;
};

// The memory of one lookup, from Prepare until its answer is rendered: kept by the worker, one for
// each request of a batch, reused. The Site alone writes it.
struct Scratch {
  std::string path;  // room for the canonical path, where the path sent isn't canonical itself
  std::string host;  // room for the canonical host
  Param params[kMaxParams];  // of the rule that Find took
  uint16_t param_count = 0;
  std::string_view canonical;  // the path, for Render
  const void* view = nullptr;  // as in Lookup, for Render
};

// A request as the Site sees it.
struct Request {
  const http::RequestHead* head = nullptr;
  uint32_t listener = 0;    // index into Config::listeners
  bool secure = false;      // came in by TLS
  std::string_view client;  // its address in text, without port
};

class CompiledTemplate;

struct Answer {
  enum class Kind : uint8_t {
    kFixed,     // send `response`
    kTemplate,  // Site::Render makes it
    kRelay,     // evhttp answers; the body is wanted
    kFile,      // a file of `files` is opened
  };
  Kind kind = Kind::kFixed;
  bool own = false;    // quipd's own answer (no rule): final at once where Expect: 100-continue
  bool close = false;  // the connection ends after it (a NUL in the path)
  uint32_t rule = kNoRule;
  uint16_t status = 0;                 // of an error or `own`, before `errors` has its say; else 0
  uint16_t allow = 0;                  // 1 << http::Method for Allow; internal to the Site
  const Response* response = nullptr;  // kFixed
  const CompiledTemplate* compiled = nullptr;  // kTemplate; null: an answer not made at load
  const Response* draining = nullptr;  // not null: sent instead of `response` while draining
  const FileRule* files = nullptr;     // kFile
  std::string_view below;  // kFile of a dir: the canonical path behind the rule's, "sub/a.txt", in
                           // Scratch or the request
};

// What a lookup carries from step to step.
struct Lookup {
  std::string_view path;  // canonical
  uint64_t hash = 0;
  const void* view = nullptr;   // the tables of this listener and host
  const void* entry = nullptr;  // what Advance found
  bool bad_path = false;        // a NUL was decoded: 400
};

class Site {
 public:
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  ~Site();

  void Prepare(const Request& request, Scratch* scratch, Lookup* lookup) const;
  void Advance(Lookup* lookup) const;
  [[nodiscard]] Answer Find(const Request& request, const Lookup& lookup, Scratch* scratch) const;

  // The three steps in one.
  [[nodiscard]] Answer Find(const Request& request, Scratch* scratch) const;

  // What a request with fields of `response.selectors` gets of a kFixed answer. `now` is the time
  // in seconds since 1970.
  [[nodiscard]] Selected Select(const Response& response, const http::RequestHead& head,
                                int64_t now) const;

  // The error of `status` that the rule of `answer` (kFixed or kFile) has in place of its answer:
  // 404 and 500 of files, 406, 412, 416. kFixed, or a kTemplate to be rendered with the same
  // Scratch.
  [[nodiscard]] Answer ErrorOf(const Answer& answer, uint16_t status, const Request& request,
                               const Scratch& scratch) const;

  // The Content-Type of a file by its name: `types` before the built-in table.
  [[nodiscard]] std::string_view TypeOf(std::string_view name) const;

  // The answer to a fault of the parser (400, 408, 413, 414, 417, 431, 501, 505), to 503 for a
  // relay that is full, or 500 for a fault of ours. Top-level headers and `errors`, which may give
  // it another status.
  [[nodiscard]] const Response& FaultResponse(int status) const;

  // Appends the whole response of a kTemplate (head with a Date of `date`, body) to `out`, whose
  // capacity is kept by the caller. Returns the offset within `out` at which "Date: " begins (for
  // the splice of Connection), and writes the status. With `head_only`, no body. `scratch` is that
  // of the lookup. Allocates where it must compose: where `compiled` is null (few of quipd's own
  // answers: own_answers_builder.h), and for the 400 where a target needs a host that the request
  // lacks.
  size_t Render(const Answer& answer, const Request& request, const Scratch& scratch,
                std::string_view date, bool head_only, std::string* out, uint16_t* status) const;

  // The rule of an Answer, for logs, reflect and explain; Config is what this was compiled from.
  [[nodiscard]] const config::Config& config() const;
  // The fields that an answer by evhttp carries for that rule: Content-Type excluded, each with its
  // CRLF, Server included; Date, Connection and framing excluded.
  [[nodiscard]] std::string_view RelayFields(uint32_t rule) const;

  // Bytes held by responses, index and routes, for `quipd routes` and the benchmarks.
  [[nodiscard]] size_t memory_bytes() const;

 private:
  friend class Compiler;
  friend class TargetMaker;
  struct Impl;
  explicit Site(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

struct Compiled {
  std::shared_ptr<const Site> site;  // null where there is an error
  Diagnostics diagnostics;           // clashes are errors; rules that can never answer are warnings
  size_t bodies_coded = 0;           // that gzip and brotli were tried on
  size_t codings_kept = 0;           // bodies whose codings were taken over from `previous`
};

// A body that `previous` sends too isn't coded again; it is needed for this call alone.
[[nodiscard]] Compiled Compile(config::Config config,
                               const std::shared_ptr<const Site>& previous = nullptr);

}  // namespace quipd::site
