// SPDX-License-Identifier: MIT
#include "server/canonical_request.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "http/request_head.h"
#include "server/exchanges.h"

namespace quipd::server {
namespace {

// Fields of the client's connection, of its framing, and those that are written anew.
constexpr std::array<std::string_view, 11> kDropped = {
    "Connection",     "Keep-Alive", "Proxy-Connection", "TE",   "Trailer",      "Transfer-Encoding",
    "Content-Length", "Upgrade",    "Expect",           "Host", kExchangeField,
};

// Whether a list of tokens, as in Connection, holds `name`.
bool Lists(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (http::EqualsIgnoreCase(Trimmed(list.substr(0, comma)), name)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// Whether a Connection field names `name` as one that concerns the connection alone.
bool IsOfConnection(std::string_view fields, std::string_view name) {
  http::FieldReader reader(fields);
  for (http::Field field; reader.Next(&field);) {
    if (http::EqualsIgnoreCase(field.name, "Connection") && Lists(field.value, name)) return true;
  }
  return false;
}

bool IsRelayed(std::string_view name) {
  return std::none_of(kDropped.begin(), kDropped.end(), [name](std::string_view dropped) {
    return http::EqualsIgnoreCase(name, dropped);
  });
}

void AppendField(std::string_view name, std::string_view value, std::string* out) {
  out->append(name).append(": ").append(value).append("\r\n");
}

std::string_view RelayedMethod(const Exchange& exchange) {
  switch (exchange.head.method_id) {
    case http::Method::kGet:
    case http::Method::kPost:
    case http::Method::kPut:
    case http::Method::kPatch:
    case http::Method::kDelete:
    case http::Method::kOptions:
      return exchange.head.method;
    case http::Method::kHead:
      // evhttp would leave a body in the stream, to be read as the next request.
      return exchange.body.empty() ? "HEAD" : "POST";
    default:
      return "POST";
  }
}

// evhttp reads "//host/" as an authority, so that the target begins with a single slash.
void AppendTarget(const http::RequestHead& head, std::string* out) {
  const size_t first = std::min(head.path.find_first_not_of('/'), head.path.size());
  out->append("/").append(head.path.substr(first));
  if (head.query.data() != nullptr) out->append("?").append(head.query);
}

}  // namespace

std::string CanonicalRequestHead(const Exchange& exchange, std::string_view id) {
  const http::RequestHead& head = exchange.head;
  std::string out;
  out.reserve(head.bytes.size() + 160);
  out.append(RelayedMethod(exchange)).append(" ");
  AppendTarget(head, &out);
  out.append(" HTTP/1.1\r\n");
  AppendField("Host", head.authority, &out);
  AppendField(kExchangeField, id, &out);
  AppendField("Content-Length", std::to_string(exchange.body.size()), &out);
  http::FieldReader reader(head.fields);
  for (http::Field field; reader.Next(&field);) {
    if (!IsRelayed(field.name) || IsOfConnection(head.fields, field.name)) continue;
    AppendField(field.name, field.value, &out);
  }
  out.append("\r\n");
  return out;
}

}  // namespace quipd::server
