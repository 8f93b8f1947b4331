// SPDX-License-Identifier: MIT
#include "server/reflect.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "http/path.h"
#include "http/request_head.h"

namespace quipd::server {
namespace {

using Json = nlohmann::ordered_json;

unsigned char ByteAt(std::string_view text, size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// RFC 4648 4, padded.
std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8U | (i < count ? ByteAt(bytes, at + i) : 0U);
    for (size_t i = 0; i < 4; ++i) {
      out += i <= count ? kDigits[group >> (18 - 6 * i) & 0x3FU] : '=';
    }
  }
  return out;
}

// Decoded and resolved.
std::string CanonicalPathText(std::string_view raw) {
  if (!raw.starts_with('/')) return std::string(raw);
  std::string canonical(raw.size(), '\0');
  size_t length = 0;
  if (http::CanonicalPath(raw, canonical.data(), &length) != http::PathFault::kNone) {
    return std::string(raw);
  }
  return http::DecodedText(std::string_view(canonical).substr(0, length));
}

const config::Rule& RuleOf(const Exchange& exchange) {
  return exchange.site->config().rules.at(exchange.rule);
}

// The parameters' names stand in the rule's path, their values in the Exchange, in one order.
Json Params(const Exchange& exchange) {
  Json params = Json::object();
  size_t number = 0;
  for (const config::Segment& segment : RuleOf(exchange).path.segments) {
    if (segment.kind == config::Segment::Kind::kLiteral) continue;
    if (number < exchange.params.size()) params[segment.name] = exchange.params[number];
    ++number;
  }
  return params;
}

std::string QueryText(std::string_view part) {
  std::string out;
  http::AppendPercentDecoded(part, /*plus_is_blank=*/true, &out);
  return out;
}

Json Query(std::string_view query) {
  Json list = Json::array();
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    list.push_back(Json::array({QueryText(pair.substr(0, equals)), QueryText(value)}));
  }
  return list;
}

Json Headers(std::string_view fields) {
  Json list = Json::array();
  http::FieldReader reader(fields);
  for (http::Field field; reader.Next(&field);) {
    list.push_back(Json::array({field.name, field.value}));
  }
  return list;
}

}  // namespace

std::string ReflectedJson(const Exchange& exchange) {
  const bool text = IsUtf8(exchange.body);
  Json out = Json::object();
  out["method"] = exchange.head.method;
  out["target"] = exchange.head.target;
  out["path"] = CanonicalPathText(exchange.head.path);
  out["params"] = Params(exchange);
  out["query"] = Query(exchange.head.query);
  out["headers"] = Headers(exchange.head.fields);
  out["body"] = text ? exchange.body : Base64(exchange.body);
  out["base64"] = !text;
  out["client"] = exchange.client;
  out["tls"] = exchange.secure;
  return out.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string ReflectedText(const Exchange& exchange) {
  std::string out;
  out.append(exchange.head.method).append(" ").append(exchange.head.target);
  out.append(exchange.head.http10 ? " HTTP/1.0\n" : " HTTP/1.1\n");
  http::FieldReader reader(exchange.head.fields);
  for (http::Field field; reader.Next(&field);) {
    out.append(field.name).append(": ").append(field.value).append("\n");
  }
  out.append("\n").append(exchange.body);
  return out;
}

void Reflect(Reply reply) {
  const Exchange& exchange = reply.exchange();
  const config::Representation& answer = RuleOf(exchange).answer;
  const bool text = answer.payload == "text";
  const std::string_view type = text ? "text/plain; charset=utf-8" : "application/json";
  std::string fields(exchange.site->RelayFields(exchange.rule));
  fields.append("Content-Type: ");
  fields.append(answer.options != nullptr && answer.options->type ? *answer.options->type : type);
  fields.append("\r\n");
  reply.Send(answer.status, fields, text ? ReflectedText(exchange) : ReflectedJson(exchange));
}

}  // namespace quipd::server
