// SPDX-License-Identifier: MIT
#include "site/own_answers.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "http/request_head.h"
#include "site/compose.h"
#include "site/layout.h"

namespace quipd::site {
namespace {

// What an entry of `errors` says for itself.
void AddEntry(const config::ErrorAnswer& entry, Composition* composition) {
  if (entry.answer.options == nullptr) return;
  const config::Options& options = *entry.answer.options;
  std::erase_if(composition->headers, [&options](const config::Header* header) {
    return std::ranges::any_of(options.headers, [header](const config::Header& nearer) {
      return http::EqualsIgnoreCase(header->name, nearer.name);
    });
  });
  for (const config::Header& header : options.headers) composition->headers.push_back(&header);
  if (options.cache.has_value()) composition->cache = *options.cache;
}

// The status that an entry is sent with. A class keeps the one that it stands in for.
uint16_t StatusOf(const config::ErrorAnswer& entry, uint16_t status) {
  if (entry.status != 0 || config::IsRedirect(entry.answer.action)) return entry.answer.status;
  return entry.answer.options != nullptr ? entry.answer.options->status.value_or(status) : status;
}

std::vector<const config::Header*> HeadersOf(const config::Options* options) {
  std::vector<const config::Header*> headers;
  if (options == nullptr) return headers;
  for (const config::Header& header : options->headers) headers.push_back(&header);
  return headers;
}

std::string TextOf(const config::Template& pieces) {
  std::string text;
  for (const config::Piece& piece : pieces) {
    if (piece.kind == config::Piece::Kind::kText) text += piece.text;
  }
  return text;
}

bool WantsHost(const config::Representation& shown) {
  return config::IsRedirect(shown.action) &&
         std::ranges::any_of(shown.pieces, [](const config::Piece& piece) {
           return piece.kind == config::Piece::Kind::kHost;
         });
}

// The entry with nothing in place of its values.
config::ErrorAnswer WithoutValues(const config::ErrorAnswer& entry) {
  config::ErrorAnswer plain = entry;
  config::Representation& shown = plain.answer;
  if (!shown.pieces.empty()) shown.payload = TextOf(std::exchange(shown.pieces, {}));
  if (shown.options == nullptr) return plain;
  auto options = std::make_shared<config::Options>(*shown.options);
  for (config::Header& header : options->headers) {
    if (!header.pieces.empty()) header.value = TextOf(std::exchange(header.pieces, {}));
  }
  shown.options = std::move(options);
  return plain;
}

void AddError(const config::ErrorAnswer& entry, Composition* composition) {
  composition->status = StatusOf(entry, composition->status);
  composition->shown = &entry.answer;
  AddEntry(entry, composition);
}

}  // namespace

std::string AllowText(uint16_t allow, const Tokens& others) {
  std::string text;
  for (int i = 0; i < http::kKnownMethods; ++i) {
    const auto method = static_cast<http::Method>(i);
    if (((allow | BitOf(http::Method::kOptions)) & BitOf(method)) == 0) continue;
    text.append(text.empty() ? "" : ", ").append(http::NameOf(method));
  }
  for (const std::string& token : others) text.append(", ").append(token);
  return text;
}

CompiledTemplate ComposeError(const config::Config& config, const Scopes& scopes,
                              std::span<const ScopeId> around, uint16_t status,
                              const RuleError* error, std::string allow) {
  Composition composition;
  composition.status = status;
  composition.headers = error != nullptr ? HeadersOf(error->options) : scopes.Headers(around);
  if (error != nullptr && error->asked && error->options != nullptr &&
      error->options->cache.has_value()) {
    composition.cache = *error->options->cache;
  }
  composition.allow = std::move(allow);
  // For want of a coding. `status: 406` gets it too, which does no harm.
  composition.varies = error != nullptr && status == 406;
  const std::string text = DefaultBody(status);
  const config::ErrorAnswer* entry = scopes.ErrorFor(around, status);
  if (entry == nullptr) {
    composition.text = text;
  } else {
    AddError(*entry, &composition);
  }
  return Compose(config, composition);
}

CompiledTemplate ComposeOptions(const config::Config& config, const Scopes& scopes,
                                std::span<const ScopeId> around, std::string allow) {
  Composition composition;
  composition.status = 204;
  composition.headers = scopes.Headers(around);
  composition.allow = std::move(allow);
  return Compose(config, composition);
}

CompiledTemplate ComposeFault(const config::Config& config, const Scopes& scopes, uint16_t status) {
  constexpr ScopeId kTop[] = {0};
  Composition composition;
  composition.status = status;
  composition.headers = scopes.Headers(kTop);
  const config::ErrorAnswer* entry = scopes.ErrorFor(kTop, status);
  if (entry == nullptr || WantsHost(entry->answer)) {
    const std::string text = DefaultBody(status);
    composition.text = text;
    return Compose(config, composition);
  }
  const config::ErrorAnswer plain = WithoutValues(*entry);
  AddError(plain, &composition);
  return Compose(config, composition);
}

}  // namespace quipd::site
