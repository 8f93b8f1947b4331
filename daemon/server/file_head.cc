// SPDX-License-Identifier: MIT
#include "server/file_head.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "http/selection.h"
#include "http/status.h"
#include "server/partial.h"

namespace quipd::server {
namespace {

// A strong entity tag: two states of a file differ in size or in the nanosecond of their change,
// two codings of one state in the name at the end. Not the inode, so that several machines with
// copies of a tree agree.
class Tag {
 public:
  explicit Tag(const ShownFile& file) {
    Append('"');
    Append(file.state.size);
    Append('-');
    Append(static_cast<uint64_t>(file.state.seconds) * 1'000'000'000 + file.state.nanoseconds);
    const std::string_view coding = http::NameOf(file.coding);
    if (!coding.empty()) {
      Append('-');
      end_ = std::ranges::copy(coding, end_).out;
    }
    Append('"');
  }
  Tag(const Tag&) = delete;
  Tag& operator=(const Tag&) = delete;

  [[nodiscard]] std::string_view text() const { return {bytes_.data(), end_}; }

 private:
  void Append(char byte) { *end_++ = byte; }
  void Append(uint64_t number) {
    end_ = std::to_chars(end_, bytes_.data() + bytes_.size(), number, 16).ptr;
  }

  std::array<char, 48> bytes_;
  char* end_ = bytes_.data();
};

// A date in the future would be taken for a later state's (RFC 9110 8.8.2.1), one before 1970 has
// no form that all understand.
int64_t LastModifiedOf(const FileState& state, int64_t now) {
  return std::max<int64_t>(0, std::min(state.seconds, now));
}

void AppendField(std::string_view name, std::string_view value, std::string* out) {
  out->append(name).append(": ").append(value).append("\r\n");
}

bool HasOwn(const site::FileRule& rule, std::string_view name) {
  return http::FindField(rule.fields, name).data() != nullptr;
}

// What the rule's headers say of these replaces what the file says.
void AppendValidators(const site::FileRule& rule, const http::Validators& validators,
                      std::string* out) {
  if (!HasOwn(rule, "last-modified")) {
    const std::array<char, http::kDateLength> date = http::FormatDate(*validators.last_modified);
    AppendField("Last-Modified", {date.data(), date.size()}, out);
  }
  if (!validators.etag.empty() && !HasOwn(rule, "etag")) {
    AppendField("ETag", validators.etag, out);
  }
}

void AppendAcceptRanges(const site::FileRule& rule, std::string* out) {
  if (!HasOwn(rule, "accept-ranges")) out->append("Accept-Ranges: bytes\r\n");
}

// `tag` is the file's own.
http::Validators ValidatorsOf(const site::FileRule& rule, const FileState& state,
                              std::string_view tag, int64_t now) {
  http::Validators validators;
  validators.etag = http::FindField(rule.fields, "etag");
  if (rule.has_etag) validators.etag = tag;
  const std::string_view date = http::FindField(rule.fields, "last-modified");
  validators.last_modified = date.data() == nullptr ? std::nullopt : http::ParseDate(date, now);
  if (!validators.last_modified) validators.last_modified = LastModifiedOf(state, now);
  return validators;
}

void AppendNegotiation(const site::FileRule& rule, const ShownFile& file, bool with_coding,
                       std::string* out) {
  AppendVary(rule, file.is_negotiated ? "Accept-Encoding" : "", out);
  if (with_coding && file.coding != http::Coding::kIdentity) {
    AppendField("Content-Encoding", http::NameOf(file.coding), out);
  }
}

uint16_t Unsatisfied(uint64_t size, Message* message) {
  message->text.append("Content-Range: ");
  http::AppendUnsatisfiedRange(size, &message->text);
  message->text.append("\r\n");
  return 416;
}

void ComposeWhole(const site::FileRule& rule, const ShownFile& file,
                  const http::Validators& validators, uint16_t status, const Moment& now,
                  Message* message) {
  std::string& text = message->text;
  BeginFileHead(rule, status, &text);
  AppendField("Content-Type", file.type, &text);
  AppendContentLength(file.state.size, &text);
  if (status == 200) {
    AppendValidators(rule, validators, &text);
    AppendAcceptRanges(rule, &text);
  }
  AppendNegotiation(rule, file, true, &text);
  EndHead(now.date, message);
  if (file.state.size > 0) message->body.push_back({text.size(), 0, file.state.size});
}

}  // namespace

void BeginFileHead(const site::FileRule& rule, uint16_t status, std::string* out) {
  if (status == 200) {
    out->append("HTTP/1.1 200 OK\r\n");
  } else {
    std::array<char, 3> digits;
    std::to_chars(digits.data(), digits.data() + digits.size(), status);
    out->append("HTTP/1.1 ").append(digits.data(), digits.size()).append(" ");
    out->append(http::ReasonOf(status)).append("\r\n");
  }
  out->append(rule.fields);
}

void AppendVary(const site::FileRule& rule, std::string_view name, std::string* out) {
  if (rule.vary.empty() && name.empty()) return;
  out->append("Vary: ").append(rule.vary);
  const bool is_said =
      name.empty() || http::HasMember(rule.vary, name) || http::HasMember(rule.vary, "*");
  if (!is_said) out->append(rule.vary.empty() ? "" : ", ").append(name);
  out->append("\r\n");
}

uint16_t ComposeFile(const site::FileRule& rule, const ShownFile& file,
                     const http::RequestHead& request, const Moment& now, Message* message) {
  const Tag tag(file);
  const http::Validators validators = ValidatorsOf(rule, file.state, tag.text(), now.unix_seconds);
  const uint16_t plain = rule.is_dir ? 200 : rule.options->status.value_or(200);
  constexpr uint8_t kHeeded = http::kConditional | http::kRange;
  if (plain != 200 || (request.selectors & kHeeded) == 0) {
    ComposeWhole(rule, file, validators, plain, now, message);
    return 0;
  }
  const http::Selection selection =
      http::Select(request, validators, file.state.size, now.unix_seconds);
  std::string& text = message->text;
  switch (selection.status) {
    case 200:
      ComposeWhole(rule, file, validators, 200, now, message);
      return 0;
    case 412:
      return 412;
    case 416:
      return Unsatisfied(file.state.size, message);
    default:
      break;
  }
  BeginFileHead(rule, selection.status, &text);
  AppendValidators(rule, validators, &text);
  if (selection.status == 304) {
    AppendNegotiation(rule, file, false, &text);
    EndHead(now.date, message);
  } else {
    AppendAcceptRanges(rule, &text);
    AppendNegotiation(rule, file, true, &text);
    AppendRanges(selection.ranges, file.type, file.state.size, now.date, message);
  }
  return 0;
}

}  // namespace quipd::server
