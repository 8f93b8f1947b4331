// SPDX-License-Identifier: MIT
#include "site/compose.h"

#include <algorithm>

#include "http/media_type.h"
#include "http/request_head.h"
#include "http/status.h"

namespace quipd::site {
namespace {

using config::Action;

constexpr std::string_view kPlain = "text/plain; charset=utf-8";
constexpr std::string_view kNoStore = "no-store";

bool HasHeader(const Composition& composition, std::string_view name) {
  return std::ranges::any_of(composition.headers, [name](const config::Header* header) {
    return http::EqualsIgnoreCase(header->name, name);
  });
}

std::string_view CacheOf(const config::Config& config, const Composition& composition) {
  return config.dev ? kNoStore : composition.cache;
}

// A header that gives way to what quipd sends of that name.
bool GivesWay(const config::Config& config, const Composition& composition,
              const config::Header& header) {
  return http::EqualsIgnoreCase(header.name, "content-type") ||
         (http::EqualsIgnoreCase(header.name, "cache-control") &&
          !CacheOf(config, composition).empty());
}

void AddFields(const config::Config& config, const Composition& composition,
               CompiledTemplate* out) {
  if (!config.server_header.empty() && !HasHeader(composition, "server")) {
    out->AddText("Server: " + config.server_header + "\r\n");
  }
  for (const config::Header* header : composition.headers) {
    if (GivesWay(config, composition, *header)) continue;
    out->AddText(header->name + ": ");
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

std::string_view DefaultType(const config::Representation& shown) {
  switch (shown.action) {
    case Action::kEcho:
    case Action::kHealth:
      return kPlain;
    case Action::kHtml:
      return "text/html; charset=utf-8";
    case Action::kJson:
      return "application/json";
    case Action::kFile:
      return http::MediaTypeOf(shown.file);
    case Action::kStatus:
    case Action::kRedirect:
    case Action::kMoved:
    case Action::kDir:
    case Action::kReflect:
      break;
  }
  return {};
}

std::string_view TypeOf(const config::Representation& shown) {
  const std::string_view type = DefaultType(shown);
  const bool own = !type.empty() && shown.options != nullptr && shown.options->type.has_value();
  return own ? std::string_view(*shown.options->type) : type;
}

// How values are escaped in a body: a file's by its type.
Escape BodyEscape(const config::Representation& shown) {
  if (shown.action == Action::kHtml) return Escape::kHtml;
  if (shown.action == Action::kJson) return Escape::kJson;
  if (shown.action != Action::kFile) return Escape::kRaw;
  std::string_view type = TypeOf(shown);
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

void AddBody(const config::Representation& shown, CompiledTemplate* out) {
  if (shown.action == Action::kHealth) {
    out->AddBodyText("ok");
  } else if (shown.pieces.empty()) {
    out->AddBodyText(shown.payload);
  } else {
    out->AddBodyPieces(shown.pieces, BodyEscape(shown));
  }
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
  // RFC 9110 8.6: no length on 204, and none on a 304 that doesn't know the 200's.
  out.set_has_length(status != 204 && status != 304);
  if (http::HasNoContent(status)) return out;
  const std::string_view type = composition.shown != nullptr ? TypeOf(*composition.shown)
                                : composition.text.empty()   ? std::string_view()
                                                             : kPlain;
  if (type.empty()) return out;
  out.AddText("Content-Type: ");
  out.AddText(type);
  out.AddText("\r\n");
  if (composition.shown != nullptr) {
    AddBody(*composition.shown, &out);
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
  return composition;
}

std::string DefaultBody(int status) {
  return std::to_string(status) + ' ' + std::string(http::ReasonOf(status)) + '\n';
}

std::string RelayFieldsOf(const config::Config& config, const config::Rule& rule) {
  const Composition composition = OfRule(rule);
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

}  // namespace quipd::site
