// SPDX-License-Identifier: MIT
#include "exchange_of.h"

#include <gtest/gtest.h>

#include <utility>

namespace quipd::server {
namespace {

config::Segment SegmentOf(config::Segment::Kind kind, std::string text) {
  config::Segment segment;
  segment.kind = kind;
  (kind == config::Segment::Kind::kLiteral ? segment.before : segment.name) = std::move(text);
  return segment;
}

config::Rule ReflectRule(std::string payload, std::shared_ptr<const config::Options> options) {
  config::Rule rule;
  rule.methods.any = true;
  rule.path.written = "/greet/{who}/{rest...}";
  rule.path.segments = {SegmentOf(config::Segment::Kind::kLiteral, "greet"),
                        SegmentOf(config::Segment::Kind::kParam, "who"),
                        SegmentOf(config::Segment::Kind::kRest, "rest")};
  rule.answer.action = config::Action::kReflect;
  rule.answer.payload = std::move(payload);
  rule.answer.options = std::move(options);
  return rule;
}

}  // namespace

std::shared_ptr<const site::Site> ReflectSite(std::string payload) {
  auto top = std::make_shared<config::Options>();
  auto options = std::make_shared<config::Options>();
  options->headers = {{"X-Rule", "yes", {}}};
  config::Config config;
  config.listeners.emplace_back();
  config.scopes.emplace_back();
  config.scopes[0].options = top;
  config.rules.push_back(ReflectRule(std::move(payload), options));
  site::Compiled compiled = site::Compile(std::move(config));
  EXPECT_EQ(ToText(compiled.diagnostics), "");
  return compiled.site;
}

std::unique_ptr<Exchange> ExchangeOf(std::shared_ptr<const site::Site> site, std::string_view head,
                                     std::string body) {
  auto exchange = std::make_unique<Exchange>();
  for (const char byte : head) {
    if (byte == '\n') exchange->head_bytes += '\r';
    exchange->head_bytes += byte;
  }
  exchange->head_bytes += "\r\n\r\n";
  http::HeadLimits limits;
  limits.head = 1024 * 1024;
  const http::HeadResult result =
      http::ParseRequestHead(exchange->head_bytes, limits, &exchange->head);
  EXPECT_EQ(result.state, http::HeadState::kComplete) << head;
  exchange->site = std::move(site);
  exchange->rule = 0;
  exchange->params = {"Ada", "x/y"};
  exchange->body = std::move(body);
  exchange->client = "192.0.2.7";
  return exchange;
}

}  // namespace quipd::server
