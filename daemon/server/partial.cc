// SPDX-License-Identifier: MIT
#include "server/partial.h"

#include <string>
#include <string_view>

#include "base/ascii.h"
#include "http/request_head.h"

namespace quipd::server {
namespace {

void AppendType(std::string_view type, std::string* out) {
  if (type.empty()) return;
  out->append("Content-Type: ").append(type).append("\r\n");
}

// Fields of a 200 that a 304 or a 206 has otherwise, or not at all.
bool IsLeftOut(std::string_view name, bool not_modified) {
  if (http::EqualsIgnoreCase(name, "content-length")) return true;
  if (http::EqualsIgnoreCase(name, "content-type")) return true;
  return not_modified && (http::EqualsIgnoreCase(name, "content-encoding") ||
                          http::EqualsIgnoreCase(name, "accept-ranges"));
}

// The field lines of a finished head but for Date.
std::string_view FieldsOf(const site::Response& response) {
  const std::string_view head(response.bytes, response.date_offset - site::kDateName);
  return head.substr(head.find("\r\n") + 2);
}

void AppendFields(std::string_view fields, bool not_modified, std::string* out) {
  http::FieldReader reader(fields);
  for (http::Field field; reader.Next(&field);) {
    if (IsLeftOut(field.name, not_modified)) continue;
    out->append(field.name).append(": ").append(field.value).append("\r\n");
  }
}

void AppendParts(const http::Ranges& ranges, const http::Multipart& frame, Message* message) {
  bool first = true;
  for (const http::ByteRange& range : ranges.all()) {
    frame.AppendBefore(range, first, &message->text);
    message->body.push_back({message->text.size(), range.first, range.size});
    first = false;
  }
  frame.AppendEnd(&message->text);
  message->body.push_back({message->text.size(), 0, 0});
}

}  // namespace

void AppendContentLength(uint64_t size, std::string* out) {
  out->append("Content-Length: ");
  AppendNumber(size, out);
  out->append("\r\n");
}

void EndHead(const std::array<char, http::kDateLength>& date, Message* message) {
  message->splice = message->text.size();
  message->text.append("Date: ").append(date.data(), date.size()).append("\r\n\r\n");
  message->head_size = message->text.size();
}

void AppendRanges(const http::Ranges& ranges, std::string_view type, uint64_t size,
                  const std::array<char, http::kDateLength>& date, Message* message) {
  std::string& text = message->text;
  if (ranges.count == 1) {
    const http::ByteRange& range = ranges.ranges[0];
    AppendType(type, &text);
    text.append("Content-Range: ");
    http::AppendContentRange(range, size, &text);
    text.append("\r\n");
    AppendContentLength(range.size, &text);
    EndHead(date, message);
    message->body.push_back({text.size(), range.first, range.size});
    return;
  }
  const http::Multipart frame(type, size);
  text.append("Content-Type: ");
  frame.AppendType(&text);
  text.append("\r\n");
  AppendContentLength(frame.LengthOf(ranges.all()), &text);
  EndHead(date, message);
  AppendParts(ranges, frame, message);
}

void ComposePartial(const site::Response& response, const http::Selection& selection,
                    const std::array<char, http::kDateLength>& date, Message* message) {
  const bool not_modified = selection.status == 304;
  const std::string_view fields = FieldsOf(response);
  message->Clear();
  message->text.append(not_modified ? "HTTP/1.1 304 Not Modified\r\n"
                                    : "HTTP/1.1 206 Partial Content\r\n");
  AppendFields(fields, not_modified, &message->text);
  if (not_modified) return EndHead(date, message);
  AppendRanges(selection.ranges, http::FindField(fields, "content-type"), response.body_size, date,
               message);
}

}  // namespace quipd::server
