// SPDX-License-Identifier: MIT
#include "unit/site/site_builder.h"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

#include "http/path.h"

namespace quipd::site {
namespace {

using config::Action;
using config::Segment;

constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";

Action ActionOf(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Action::kHealth); ++i) {
    constexpr std::string_view kNames[] = {"echo",  "html", "json", "status",  "redirect",
                                           "moved", "file", "dir",  "reflect", "health"};
    if (kNames[i] == name) return static_cast<Action>(i);
  }
  ADD_FAILURE() << "no action " << name;
  return Action::kEcho;
}

config::Methods MethodsOf(const std::string& names) {
  config::Methods methods;
  std::istringstream in(names);
  std::string token;
  while (std::getline(in, token, ',')) {
    const http::Method method = http::MethodOf(token);
    if (token == "ANY") {
      methods.any = true;
    } else if (method == http::Method::kOther) {
      methods.other.push_back(token);
    } else {
      methods.known = static_cast<uint16_t>(methods.known | (1u << static_cast<int>(method)));
    }
  }
  return methods;
}

std::string Canonical(std::string_view raw) {
  std::string out(raw.size(), '\0');
  size_t size = 0;
  EXPECT_EQ(http::CanonicalPath(raw, out.data(), &size), http::PathFault::kNone);
  out.resize(size);
  return out;
}

Segment MakeSegment(std::string_view text) {
  Segment segment;
  const size_t open = text.find('{');
  if (open == std::string_view::npos) {
    segment.before = text.empty() ? "" : Canonical('/' + std::string(text)).substr(1);
    return segment;
  }
  const size_t close = text.find('}');
  segment.before = text.substr(0, open);
  segment.after = text.substr(close + 1);
  segment.name = text.substr(open + 1, close - open - 1);
  segment.kind = segment.before.empty() && segment.after.empty() ? Segment::Kind::kParam
                                                                 : Segment::Kind::kMixed;
  if (segment.name.ends_with("...")) {
    segment.kind = Segment::Kind::kRest;
    segment.name.resize(segment.name.size() - 3);
  }
  return segment;
}

// As the path of a dir does: its last segment is all that is left.
void MatchAllBelow(config::Rule* rule) {
  config::Path& path = rule->path;
  if (path.segments.empty()) {
    std::istringstream in(std::exchange(path.canonical, "").substr(1));
    for (std::string text; std::getline(in, text, '/');) path.segments.push_back(MakeSegment(text));
    path.segments.emplace_back();
  }
  path.segments.back().kind = Segment::Kind::kRest;
}

uint16_t UsualStatus(Action action, const std::string& payload) {
  if (action == Action::kRedirect) return 302;
  if (action == Action::kMoved) return 301;
  return action == Action::kStatus ? static_cast<uint16_t>(std::stoi(payload)) : 200;
}

config::Piece MakePiece(std::string_view name, const config::Path& path) {
  config::Piece piece;
  uint16_t index = 0;
  for (const Segment& segment : path.segments) {
    if (segment.kind == Segment::Kind::kLiteral) continue;
    if (segment.name == name) {
      piece.kind = config::Piece::Kind::kParam;
      piece.index = index;
      piece.text = name;
      return piece;
    }
    ++index;
  }
  constexpr std::pair<std::string_view, config::Piece::Kind> kKinds[] = {
      {"host", config::Piece::Kind::kHost},      {"path", config::Piece::Kind::kPath},
      {"method", config::Piece::Kind::kMethod},  {"scheme", config::Piece::Kind::kScheme},
      {"client", config::Piece::Kind::kClient},  {"query.", config::Piece::Kind::kQuery},
      {"header.", config::Piece::Kind::kHeader}, {"cookie.", config::Piece::Kind::kCookie},
  };
  for (const auto& [word, kind] : kKinds) {
    if (!name.starts_with(word)) continue;
    piece.kind = kind;
    piece.text = name.substr(word.size());
    return piece;
  }
  ADD_FAILURE() << "no placeholder " << name;
  return piece;
}

}  // namespace

config::Path MakePath(std::string_view written) {
  config::Path path;
  path.written = written;
  if (written.find('{') == std::string_view::npos) {
    if (!written.empty()) path.canonical = Canonical(written);
    return path;
  }
  std::string_view rest = written.substr(1);
  for (;;) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    path.segments.push_back(MakeSegment(rest.substr(0, slash)));
    if (slash == rest.size()) return path;
    rest.remove_prefix(slash + 1);
  }
}

config::Template MakePieces(std::string_view text, const config::Path& path) {
  config::Template pieces;
  while (!text.empty()) {
    const size_t open = std::min(text.find("{{"), text.size());
    if (open > 0) {
      pieces.push_back({config::Piece::Kind::kText, 0, std::string(text.substr(0, open))});
    }
    if (open == text.size()) break;
    const size_t close = text.find("}}", open);
    pieces.push_back(MakePiece(text.substr(open + 2, close - open - 2), path));
    text.remove_prefix(close + 2);
  }
  return pieces;
}

config::Rule MakeRule(std::string_view key, std::string payload) {
  std::istringstream in{std::string(key)};
  std::string methods;
  std::string path;
  std::string action;
  in >> methods >> path >> action;
  config::Rule rule;
  rule.methods = MethodsOf(methods);
  rule.path = MakePath(path);
  rule.answer.action = ActionOf(action);
  rule.answer.status = UsualStatus(rule.answer.action, payload);
  rule.answer.payload = std::move(payload);
  if (rule.answer.action == Action::kDir) {
    rule.answer.file = std::exchange(rule.answer.payload, "");
    MatchAllBelow(&rule);
  }
  return rule;
}

SiteBuilder::SiteBuilder() {
  config.listeners.emplace_back().name = "first";
  config.scopes.emplace_back().options = std::make_shared<config::Options>();
}

config::Options& SiteBuilder::Edit(std::shared_ptr<const config::Options>* options) {
  auto copy = *options == nullptr ? std::make_shared<config::Options>()
                                  : std::make_shared<config::Options>(**options);
  *options = copy;
  return *copy;
}

void SiteBuilder::SetHeader(std::shared_ptr<const config::Options>* options, std::string name,
                            std::string value) {
  config::Options& edited = Edit(options);
  std::erase_if(edited.headers, [&name](const config::Header& header) {
    return http::EqualsIgnoreCase(header.name, name);
  });
  edited.headers.push_back({std::move(name), std::move(value), {}});
}

config::Rule& SiteBuilder::Add(std::string_view key, std::string payload) {
  config::Rule rule = MakeRule(key, std::move(payload));
  const config::Scope& scope = config.scopes[open_.back()];
  rule.path = MakePath(scope.prefix.written + rule.path.written);
  rule.answer.options = scope.options;
  rule.scope = open_.back();
  rule.host_set = scope.host_set;
  rule.listener = scope.listener;
  rule.override_on = scope.override_on;
  rule.place.mark.line = static_cast<uint32_t>(config.rules.size());
  if (rule.answer.action == Action::kDir) MatchAllBelow(&rule);
  const bool redirect =
      rule.answer.action == Action::kRedirect || rule.answer.action == Action::kMoved;
  if (redirect && rule.answer.payload.find("{{") != std::string::npos) {
    rule.answer.pieces = MakePieces(rule.answer.payload, rule.path);
  }
  return config.rules.emplace_back(std::move(rule));
}

config::Rule& SiteBuilder::AddTemplate(std::string_view key, std::string payload) {
  config::Rule& rule = Add(key, std::move(payload));
  rule.answer.pieces = MakePieces(rule.answer.payload, rule.path);
  return rule;
}

uint32_t SiteBuilder::HostSet(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return 0;
  config.host_sets.push_back(hosts);
  return static_cast<uint32_t>(config.host_sets.size() - 1);
}

config::Scope& SiteBuilder::Begin(std::string_view prefix, std::vector<std::string> hosts,
                                  int32_t listener) {
  const config::Scope& outer = config.scopes[open_.back()];
  config::Scope scope;
  scope.parent = open_.back();
  scope.host_set = hosts.empty() ? outer.host_set : HostSet(hosts);
  scope.listener = listener >= 0 ? listener : outer.listener;
  scope.override_on = outer.override_on;
  scope.prefix = MakePath(outer.prefix.written + std::string(prefix));
  scope.options = outer.options;
  open_.push_back(static_cast<uint32_t>(config.scopes.size()));
  return config.scopes.emplace_back(std::move(scope));
}

void SiteBuilder::End() { open_.pop_back(); }

void SiteBuilder::AddError(std::string_view status, std::string_view action, std::string payload) {
  config::ErrorAnswer error;
  if (status.ends_with("xx")) {
    error.status_class = static_cast<uint16_t>(status[0] - '0');
  } else {
    error.status = static_cast<uint16_t>(std::stoi(std::string(status)));
  }
  error.answer.action = ActionOf(action);
  const bool redirect =
      error.answer.action == Action::kRedirect || error.answer.action == Action::kMoved;
  error.answer.status = redirect ? UsualStatus(error.answer.action, "") : error.status;
  if (payload.find("{{") != std::string::npos) error.answer.pieces = MakePieces(payload);
  error.answer.payload = std::move(payload);
  error.answer.options = std::make_shared<config::Options>();
  config.scopes[open_.back()].errors.push_back(std::move(error));
}

void SiteBuilder::AddListener(std::string name) {
  config.listeners.emplace_back().name = std::move(name);
}

std::shared_ptr<const Site> SiteBuilder::Build() {
  Compiled compiled = Compile(std::move(config));
  EXPECT_NE(compiled.site, nullptr) << ToText(compiled.diagnostics);
  return compiled.site;
}

Heard::Heard(std::string bytes) : text(std::move(bytes)) {
  EXPECT_EQ(http::ParseRequestHead(text, {}, &head).state, http::HeadState::kComplete) << text;
}

Asked AskSite(const Site& site, const Ask& ask) { return AskError(site, ask, 0); }

Asked AskError(const Site& site, const Ask& ask, uint16_t status) {
  std::string text = ask.method + ' ' + ask.target + " HTTP/1.1\r\n";
  if (!ask.host.empty()) text += "Host: " + ask.host + "\r\n";
  if (ask.host.empty()) text = ask.method + ' ' + ask.target + " HTTP/1.0\r\n";
  text += ask.fields + "\r\n";
  const Heard heard(std::move(text));
  const Request request{&heard.head, ask.listener, ask.secure, ask.client};
  Scratch scratch;
  Asked asked;
  asked.answer = site.Find(request, &scratch);
  if (status != 0) asked.answer = site.ErrorOf(asked.answer, status, request, scratch);
  asked.below = asked.answer.below;
  if (ask.composed) {
    asked.answer.kind = Answer::Kind::kTemplate;
    asked.answer.compiled = nullptr;
  }
  const bool head_only = ask.method == "HEAD";
  if (asked.answer.kind == Answer::Kind::kTemplate) {
    const size_t date =
        site.Render(asked.answer, request, scratch, kDate, head_only, &asked.bytes, &asked.status);
    EXPECT_EQ(asked.bytes.substr(date, kDateName + kDate.size() + 4),
              "Date: " + std::string(kDate) + "\r\n\r\n");
    asked.bytes.replace(date + kDateName, kDate.size(), "<date>");
  } else if (asked.answer.kind == Answer::Kind::kFixed) {
    const Response& response = *asked.answer.response;
    asked.status = response.status;
    asked.bytes.assign(response.bytes, response.head_size + (head_only ? 0 : response.body_size));
    EXPECT_EQ(asked.bytes.substr(response.date_offset - kDateName, kDateName), "Date: ");
    EXPECT_EQ(asked.bytes.substr(response.date_offset + kDate.size(), 4), "\r\n\r\n");
    EXPECT_EQ(response.date_offset + kDate.size() + 4, response.head_size);
    asked.bytes.replace(response.date_offset, kDate.size(), "<date>");
  }
  return asked;
}

Asked AskSite(const Site& site, std::string method, std::string target) {
  Ask ask;
  ask.method = std::move(method);
  ask.target = std::move(target);
  return AskSite(site, ask);
}

std::string FieldOf(const std::string& answer, std::string_view name) {
  const size_t begin = answer.find("\r\n") + 2;
  const size_t end = answer.find("\r\n\r\n");
  const std::string_view value =
      http::FindField(std::string_view(answer).substr(begin, end + 2 - begin), name);
  return value.data() == nullptr ? "(none)" : std::string(value);
}

std::string EtagFor(std::string_view body) {
  char tag[19];
  std::snprintf(tag, sizeof tag, "\"%016llx\"",
                static_cast<unsigned long long>(XXH3_64bits(body.data(), body.size())));
  return tag;
}

std::string BodyOf(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

}  // namespace quipd::site
