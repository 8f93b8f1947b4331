// SPDX-License-Identifier: MIT
#include "site/compose.h"

#include <algorithm>

#include "base/ascii.h"
#include "http/date.h"
#include "http/media_type.h"
#include "http/request_head.h"
#include "http/status.h"
#include "site/layout.h"

namespace quipd::site {
namespace {

using config::Action;

constexpr std::string_view kPlain = "text/plain; charset=utf-8";
constexpr std::string_view kNoStore = "no-store";
constexpr std::string_view kVariedBy = "Accept-Encoding";
constexpr size_t kLeastCoded = 1024;  // bytes of a body; less isn't worth it

const config::Header* HeaderOf(const Composition& composition, std::string_view name) {
  const auto found = std::ranges::find_if(
      composition.headers,
      [name](const config::Header* header) { return http::EqualsIgnoreCase(header->name, name); });
  return found == composition.headers.end() ? nullptr : *found;
}

bool HasHeader(const Composition& composition, std::string_view name) {
  return HeaderOf(composition, name) != nullptr;
}

std::string_view CacheOf(const config::Config& config, const Composition& composition) {
  return config.dev ? kNoStore : composition.cache;
}

// A header that gives way to what quipd sends of that name.
bool GivesWay(const config::Config& config, const Composition& composition,
              const config::Header& header) {
  return http::EqualsIgnoreCase(header.name, "content-type") ||
         (http::EqualsIgnoreCase(header.name, "cache-control") &&
          !CacheOf(config, composition).empty()) ||
         (composition.varies && http::EqualsIgnoreCase(header.name, "vary"));
}

// A strong ETag of `headers` that would stand for other bytes than its own: those of a coding.
bool IsSharedTag(const Composition& composition, const config::Header& header) {
  return composition.coding != http::Coding::kIdentity &&
         http::EqualsIgnoreCase(header.name, "etag") && !header.value.starts_with("W/");
}

// What `headers` has for Vary, joined.
std::string OwnVary(const Composition& composition) {
  std::string vary;
  for (const config::Header* header : composition.headers) {
    if (!http::EqualsIgnoreCase(header->name, "vary")) continue;
    vary.append(vary.empty() ? "" : ", ").append(header->value);
  }
  return vary;
}

// The same with what the answer varies by.
std::string WholeVary(const Composition& composition) {
  std::string vary = OwnVary(composition);
  if (http::HasMember(vary, "*")) return "*";
  if (!http::HasMember(vary, kVariedBy)) vary.append(vary.empty() ? "" : ", ").append(kVariedBy);
  return vary;
}

bool HasOwnEtag(const config::Representation& shown, const Composition& composition) {
  return (shown.options == nullptr || shown.options->etag) && !HasHeader(composition, "etag");
}

std::string_view BodyOf(const Composition& composition) {
  return composition.coding == http::Coding::kIdentity ? composition.shown->payload
                                                       : composition.coded;
}

std::string EtagOf(std::string_view body) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string tag = "\"................\"";
  uint64_t hash = HashOf(body, 0);
  for (size_t i = 16; i > 0; --i, hash >>= 4) tag[i] = kDigits[hash & 15];
  return tag;
}

// What caches and clients that ask for parts need.
void AddValidators(const Composition& composition, CompiledTemplate* out) {
  if (!composition.known) return;
  const config::Representation& shown = *composition.shown;
  if (HasOwnEtag(shown, composition)) {
    out->AddText("ETag: " + EtagOf(BodyOf(composition)) + "\r\n");
  }
  if (shown.modified > 0 && !HasHeader(composition, "last-modified")) {
    const auto date = http::FormatDate(shown.modified);
    out->AddText("Last-Modified: " + std::string(date.data(), date.size()) + "\r\n");
  }
  if (!HasHeader(composition, "accept-ranges")) out->AddText("Accept-Ranges: bytes\r\n");
}

void AddFields(const config::Config& config, const Composition& composition,
               CompiledTemplate* out) {
  if (!config.server_header.empty() && !HasHeader(composition, "server")) {
    out->AddText("Server: " + config.server_header + "\r\n");
  }
  for (const config::Header* header : composition.headers) {
    if (GivesWay(config, composition, *header)) continue;
    out->AddText(header->name + ": ");
    if (IsSharedTag(composition, *header)) out->AddText("W/");
    if (header->pieces.empty()) {
      out->AddText(header->value);
    } else {
      out->AddPieces(header->pieces, Escape::kHeader);
    }
    out->AddText("\r\n");
  }
  const std::string_view cache = CacheOf(config, composition);
  if (!cache.empty()) out->AddText("Cache-Control: " + std::string(cache) + "\r\n");
  if (!composition.allow.empty()) out->AddText("Allow: " + composition.allow + "\r\n");
}

std::string_view DefaultType(const config::Config& config, const config::Representation& shown) {
  switch (shown.action) {
    case Action::kEcho:
    case Action::kHealth:
      return kPlain;
    case Action::kHtml:
      return "text/html; charset=utf-8";
    case Action::kJson:
      return "application/json";
    case Action::kFile:
      return TypeOf(config, shown.file);
    case Action::kStatus:
    case Action::kRedirect:
    case Action::kMoved:
    case Action::kDir:
    case Action::kReflect:
      break;
  }
  return {};
}

std::string_view SentType(const config::Config& config, const config::Representation& shown) {
  const std::string_view type = DefaultType(config, shown);
  const bool own = !type.empty() && shown.options != nullptr && shown.options->type.has_value();
  return own ? std::string_view(*shown.options->type) : type;
}

// How values are escaped in a body: a file's by its type.
Escape BodyEscape(const config::Config& config, const config::Representation& shown) {
  if (shown.action == Action::kHtml) return Escape::kHtml;
  if (shown.action == Action::kJson) return Escape::kJson;
  if (shown.action != Action::kFile) return Escape::kRaw;
  std::string_view type = SentType(config, shown);
  type = type.substr(0, type.find(';'));
  if (type.ends_with("json")) return Escape::kJson;
  const bool markup = type.ends_with("html") || type.ends_with("xml");  // +xml: svg, xhtml
  return markup ? Escape::kHtml : Escape::kRaw;
}

void AddLocation(const Composition& composition, CompiledTemplate* out) {
  if (composition.shown == nullptr || HasHeader(composition, "location")) return;
  const config::Representation& shown = *composition.shown;
  if (!config::IsRedirect(shown.action)) return;
  out->AddText("Location: ");
  out->AddTarget(shown, shown.options == nullptr || shown.options->keep_query);
  out->AddText("\r\n");
}

void AddBody(const config::Config& config, const Composition& composition, CompiledTemplate* out) {
  const config::Representation& shown = *composition.shown;
  if (shown.action == Action::kHealth) {
    out->AddBodyText("ok");
  } else if (shown.pieces.empty()) {
    out->AddBodyText(BodyOf(composition));
  } else {
    out->AddBodyPieces(shown.pieces, BodyEscape(config, shown));
  }
}

bool IsKnown(const Composition& composition) {
  const config::Representation& shown = *composition.shown;
  const bool body = shown.action == Action::kEcho || shown.action == Action::kHtml ||
                    shown.action == Action::kJson || shown.action == Action::kFile;
  return body && !shown.live && composition.status == 200 && shown.pieces.empty() &&
         std::ranges::all_of(composition.headers, &config::Template::empty,
                             &config::Header::pieces);
}

std::string FieldsOf(const config::Config& config, const Composition& composition) {
  std::string fields;
  if (!config.server_header.empty() && !HasHeader(composition, "server")) {
    fields += "Server: " + config.server_header + "\r\n";
  }
  for (const config::Header* header : composition.headers) {
    if (GivesWay(config, composition, *header)) continue;
    fields += header->name + ": " + header->value + "\r\n";
  }
  const std::string_view cache = CacheOf(config, composition);
  if (!cache.empty()) fields += "Cache-Control: " + std::string(cache) + "\r\n";
  return fields;
}

}  // namespace

CompiledTemplate Compose(const config::Config& config, const Composition& composition) {
  CompiledTemplate out;
  const int status = composition.status;
  out.set_status(composition.status);
  out.AddText("HTTP/1.1 " + std::to_string(status) + ' ' + std::string(http::ReasonOf(status)) +
              "\r\n");
  AddFields(config, composition, &out);
  AddLocation(composition, &out);
  AddValidators(composition, &out);
  if (composition.varies) out.AddText("Vary: " + WholeVary(composition) + "\r\n");
  // RFC 9110 8.6: no length on 204, and none on a 304 that doesn't know the 200's.
  out.set_has_length(status != 204 && status != 304);
  if (http::HasNoContent(status)) return out;
  const std::string_view type = composition.shown != nullptr ? SentType(config, *composition.shown)
                                : composition.text.empty()   ? std::string_view()
                                                             : kPlain;
  if (type.empty()) return out;
  out.AddText("Content-Type: ");
  out.AddText(type);
  out.AddText("\r\n");
  if (composition.coding != http::Coding::kIdentity) {
    out.AddText("Content-Encoding: " + std::string(http::NameOf(composition.coding)) + "\r\n");
  }
  if (composition.shown != nullptr) {
    AddBody(config, composition, &out);
  } else {
    out.AddBodyText(composition.text);
  }
  return out;
}

Composition OfRule(const config::Rule& rule) {
  Composition composition;
  composition.status = rule.answer.status;
  composition.shown = &rule.answer;
  if (rule.answer.options != nullptr) {
    for (const config::Header& header : rule.answer.options->headers) {
      composition.headers.push_back(&header);
    }
    if (rule.answer.options->cache.has_value()) composition.cache = *rule.answer.options->cache;
  }
  if (rule.answer.action == Action::kHealth) composition.cache = kNoStore;
  composition.known = IsKnown(composition);
  return composition;
}

uint8_t SelectorsOf(const Composition& composition) {
  if (!composition.known) return 0;
  unsigned selectors = http::kConditional | http::kWeightedCodings;
  const config::Header* ranges = HeaderOf(composition, "accept-ranges");
  if (ranges == nullptr || http::HasMember(ranges->value, "bytes")) selectors |= http::kRange;
  if (composition.varies) selectors |= http::kAcceptEncoding;
  return static_cast<uint8_t>(selectors);
}

bool IsWorthCoding(const config::Config& config, const Composition& composition) {
  if (!composition.known || composition.shown->payload.size() < kLeastCoded) return false;
  const config::Options* options = composition.shown->options.get();
  if (options != nullptr && !options->compress) return false;
  return !HasHeader(composition, "content-encoding") &&
         http::IsCompressible(SentType(config, *composition.shown));
}

CompiledTemplate ComposeSlash(const config::Config& config, const config::Rule& rule) {
  config::Representation slash;
  slash.action = Action::kMoved;
  slash.pieces = {{config::Piece::Kind::kPath, 0, {}}, {config::Piece::Kind::kText, 0, "/"}};
  Composition composition = OfRule(rule);
  composition.status = 301;
  composition.shown = &slash;
  return Compose(config, composition);
}

std::string_view TypeOf(const config::Config& config, std::string_view name) {
  if (!config.types.empty()) {
    const std::string_view last = name.substr(name.rfind('/') + 1);
    const size_t dot = last.rfind('.');
    if (dot != std::string_view::npos && dot != 0) {
      const auto found = config.types.find(Lower(last.substr(dot + 1)));
      if (found != config.types.end()) return found->second;
    }
  }
  return http::MediaTypeOf(name);
}

std::string DefaultBody(int status) {
  return std::to_string(status) + ' ' + std::string(http::ReasonOf(status)) + '\n';
}

std::string RelayFieldsOf(const config::Config& config, const config::Rule& rule) {
  return FieldsOf(config, OfRule(rule));
}

FileRule FileRuleOf(const config::Config& config, uint32_t rule) {
  static const config::Options kNoOptions;
  const config::Representation& shown = config.rules[rule].answer;
  Composition composition = OfRule(config.rules[rule]);
  FileRule files;
  files.vary = OwnVary(composition);
  std::erase_if(composition.headers, [](const config::Header* header) {
    return http::EqualsIgnoreCase(header->name, "vary");
  });
  files.is_dir = shown.action == Action::kDir;
  files.path = shown.file;
  files.fields = FieldsOf(config, composition);
  files.has_etag = HasOwnEtag(shown, composition);
  files.options = shown.options == nullptr ? &kNoOptions : shown.options.get();
  files.type = files.options->type.value_or("");
  files.rule = rule;
  return files;
}

}  // namespace quipd::site
