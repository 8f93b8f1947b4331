// SPDX-License-Identifier: MIT
#include "server/response_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "http/request_head.h"

namespace quipd::server {
namespace {

constexpr size_t kHeadLimit = 1024 * 1024;
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kVersion = "HTTP/1.1 ";

// Content-Length as RFC 9112 6.2 writes it: digits alone, without overflow.
bool ParseLength(std::string_view text, uint64_t* length) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), IsDigit)) return false;
  return std::from_chars(text.data(), text.data() + text.size(), *length).ec == std::errc();
}

// Fields that concern this connection alone, or that the client's connection writes itself.
bool IsOfConnection(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"Date",    "Keep-Alive", "Proxy-Connection",
                                                      "Trailer", "TE",         "Upgrade"};
  return std::any_of(kNames.begin(), kNames.end(), [name](std::string_view known) {
    return http::EqualsIgnoreCase(name, known);
  });
}

}  // namespace

ResponseReader::Step ResponseReader::Read(std::string_view input) {
  switch (where_) {
    case Where::kHead:
      return ReadHead(input);
    case Where::kLength:
      return ReadLength(input);
    case Where::kChunked:
      return ReadChunked(input);
    case Where::kEnd:
      return {Event::kEnd, 0, {}};
    case Where::kFault:
      break;
  }
  return Fault();
}

ResponseReader::Step ResponseReader::Fault() {
  where_ = Where::kFault;
  return {Event::kFault, 0, {}};
}

ResponseReader::Step ResponseReader::ReadHead(std::string_view input) {
  const size_t before = partial_.size();
  std::string_view seen = input;
  if (before > 0) {
    partial_.append(input);
    seen = partial_;
  }
  const size_t end = seen.find(kHeadEnd, before - std::min(before, kHeadEnd.size() - 1));
  if (std::min(end, seen.size()) > kHeadLimit) return Fault();
  if (end == std::string_view::npos) {
    if (before == 0) partial_.assign(input);
    return {Event::kMore, input.size(), {}};
  }
  if (!ParseHead(seen.substr(0, end + 2))) return Fault();
  partial_.clear();
  return {Event::kHead, end + kHeadEnd.size() - before, {}};
}

ResponseReader::Step ResponseReader::ReadLength(std::string_view input) {
  if (left_ == 0) {
    where_ = Where::kEnd;
    return {Event::kEnd, 0, {}};
  }
  if (input.empty()) return {Event::kMore, 0, {}};
  const size_t part = static_cast<size_t>(std::min<uint64_t>(left_, input.size()));
  left_ -= part;
  return {Event::kBody, part, input.substr(0, part)};
}

ResponseReader::Step ResponseReader::ReadChunked(std::string_view input) {
  size_t consumed = 0;
  while (consumed < input.size()) {
    const http::ChunkedDecoder::Step step = decoder_->Decode(input.substr(consumed));
    consumed += step.consumed;
    if (step.state == http::ChunkedDecoder::State::kDone) {
      where_ = Where::kEnd;
      if (step.data.empty()) return {Event::kEnd, consumed, {}};
    } else if (step.state != http::ChunkedDecoder::State::kMore) {
      return Fault();
    }
    if (!step.data.empty()) return {Event::kBody, consumed, step.data};
  }
  return {Event::kMore, consumed, {}};
}

// `bytes`: the status line and the field lines, each with its CRLF.
bool ResponseReader::ParseHead(std::string_view bytes) {
  bool first = true;
  while (!bytes.empty()) {
    const size_t end = bytes.find("\r\n");
    const std::string_view line = bytes.substr(0, end);
    if (first ? !ParseStatusLine(line) : !ParseField(line)) return false;
    first = false;
    bytes.remove_prefix(end + 2);
  }
  return ChooseFraming();
}

bool ResponseReader::ParseStatusLine(std::string_view line) {
  if (!line.starts_with(kVersion)) return false;
  line.remove_prefix(kVersion.size());
  if (line.size() < 4 || line[3] != ' ' || !http::IsFieldValue(line.substr(4))) return false;
  const std::string_view code = line.substr(0, 3);
  if (!std::all_of(code.begin(), code.end(), IsDigit)) return false;
  std::from_chars(code.data(), code.data() + code.size(), head_.status);
  return head_.status >= 200 && head_.status <= 599;
}

bool ResponseReader::ParseField(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trimmed(line.substr(colon + 1));
  if (!http::IsToken(name) || !http::IsFieldValue(value)) return false;
  bool framing = false;
  if (!TakeFraming(name, value, &framing)) return false;
  if (framing || IsOfConnection(name)) return true;
  head_.fields.append(name).append(": ").append(value).append("\r\n");
  return true;
}

// False where a framing field is malformed or comes twice; `framing` tells whether it was one.
bool ResponseReader::TakeFraming(std::string_view name, std::string_view value, bool* framing) {
  *framing = true;
  if (http::EqualsIgnoreCase(name, "Content-Length")) {
    if (head_.has_length) return false;
    head_.has_length = true;
    return ParseLength(value, &head_.content_length);
  }
  if (http::EqualsIgnoreCase(name, "Transfer-Encoding")) {
    if (chunked_) return false;
    chunked_ = true;
    return http::EqualsIgnoreCase(value, "chunked");
  }
  if (http::EqualsIgnoreCase(name, "Connection")) {
    // The other end is ours and sends one word; any but keep-alive ends the connection.
    close_ = close_ || !http::EqualsIgnoreCase(value, "keep-alive");
    return true;
  }
  *framing = false;
  return true;
}

bool ResponseReader::ChooseFraming() {
  if (chunked_ && head_.has_length) return false;
  head_.no_content = to_head_ || head_.status == 204 || head_.status == 304;
  if (head_.no_content) {
    where_ = Where::kEnd;
    return true;
  }
  if (chunked_) {
    decoder_.emplace(UINT64_MAX);
    where_ = Where::kChunked;
    return true;
  }
  left_ = head_.content_length;
  where_ = Where::kLength;
  return head_.has_length;
}

}  // namespace quipd::server
