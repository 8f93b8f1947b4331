// SPDX-License-Identifier: MIT
#include "server/reply.h"

#include <event2/http.h>

#include <utility>

#include "base/check.h"
#include "http/request_head.h"
#include "http/status.h"
#include "server/event_handles.h"

namespace quipd::server {
namespace {

constexpr int kServerFault = 500;

void FreeBody(const void* /*data*/, size_t /*size*/, void* body) {
  delete static_cast<std::string*>(body);
}

// The body without a copy: the buffer owns the string.
Buffer BufferOf(std::string body) {
  Buffer buffer(evbuffer_new());
  Check(buffer != nullptr);
  if (body.empty()) return buffer;
  auto owned = std::make_unique<std::string>(std::move(body));
  const int added =
      evbuffer_add_reference(buffer.get(), owned->data(), owned->size(), FreeBody, owned.get());
  Check(added == 0);
  (void)owned.release();
  return buffer;
}

void AddFields(evhttp_request* request, std::string_view fields) {
  evkeyvalq* const out = evhttp_request_get_output_headers(request);
  http::FieldReader reader(fields);
  for (http::Field field; reader.Next(&field);) {
    if (http::EqualsIgnoreCase(field.name, "Content-Length")) continue;
    evhttp_add_header(out, std::string(field.name).c_str(), std::string(field.value).c_str());
  }
}

}  // namespace

Reply::Reply(Reply&& other) noexcept
    : request_(std::exchange(other.request_, nullptr)),
      exchange_(std::move(other.exchange_)),
      alive_(std::move(other.alive_)) {}

Reply::~Reply() {
  if (request_ == nullptr || !*alive_) return;
  try {
    SendFault(kServerFault);
  } catch (...) {
    // Out of memory: the bare status still fits.
  }
  evhttp_request* const request = Take();
  if (request != nullptr) evhttp_send_reply(request, kServerFault, nullptr, nullptr);
}

evhttp_request* Reply::Take() {
  evhttp_request* const request = std::exchange(request_, nullptr);
  return *alive_ ? request : nullptr;
}

void Reply::Send(uint16_t status, std::string_view fields, std::string body) {
  if (request_ == nullptr || !*alive_) return;
  const bool to_head = exchange_ != nullptr && exchange_->head.method_id == http::Method::kHead;
  const std::string reason(http::ReasonOf(status));
  AddFields(request_, fields);
  if (to_head && !http::HasNoContent(status)) {
    evhttp_add_header(evhttp_request_get_output_headers(request_), "Content-Length",
                      std::to_string(body.size()).c_str());
  }
  const bool with_body = !to_head && !http::HasNoContent(status) && !body.empty();
  const Buffer buffer = with_body ? BufferOf(std::move(body)) : nullptr;
  // Sent last: behind it the request, and its connection too, may be gone.
  evhttp_send_reply(Take(), status, reason.c_str(), buffer.get());
}

void Reply::SendFault(int status) {
  if (exchange_ == nullptr) return Send(static_cast<uint16_t>(status), {}, {});
  const site::Response& response = exchange_->site->FaultResponse(status);
  const std::string_view head(response.bytes, response.date_offset - site::kDateName);
  const size_t fields = head.find("\r\n") + 2;
  Send(response.status, head.substr(fields),
       std::string(response.bytes + response.head_size, response.body_size));
}

}  // namespace quipd::server
