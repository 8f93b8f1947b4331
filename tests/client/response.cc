// SPDX-License-Identifier: MIT
#include "client/response.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "client/multipart.h"

namespace quipd::test {
namespace {

constexpr std::string_view kCrlf = "\r\n";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsToken(std::string_view text) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return IsDigit(c) || (Lower(c) >= 'a' && Lower(c) <= 'z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
  });
}

// IMF-fixdate by its shape: "Sun, 06 Nov 1994 08:49:37 GMT".
bool IsDate(std::string_view text) {
  constexpr std::string_view kShape = "Aaa, 00 Aaa 0000 00:00:00 GMT";
  if (text.size() != kShape.size()) {
    return false;
  }
  for (size_t i = 0; i < kShape.size(); ++i) {
    const char shape = kShape[i];
    const bool letter = (Lower(text[i]) >= 'a' && Lower(text[i]) <= 'z');
    const bool fits = shape == '0'                     ? IsDigit(text[i])
                      : (shape == 'A' || shape == 'a') ? letter
                                                       : text[i] == shape;
    if (!fits) {
      return false;
    }
  }
  return true;
}

// A strong or weak one (RFC 9110 8.8.3).
bool IsEntityTag(std::string_view text) {
  if (text.substr(0, 2) == "W/") {
    text.remove_prefix(2);
  }
  return text.size() >= 2 && text.front() == '"' && text.find('"', 1) == text.size() - 1 &&
         text.find(' ') == std::string_view::npos;
}

// Whether the list `field` names `member`, which is in lower case.
bool HasMember(std::string_view field, std::string_view member) {
  while (!field.empty()) {
    const size_t end = std::min(field.find(','), field.size());
    std::string_view one = field.substr(0, end);
    field.remove_prefix(std::min(end + 1, field.size()));
    while (!one.empty() && one.front() == ' ') {
      one.remove_prefix(1);
    }
    if (EqualNames(one, member)) {
      return true;
    }
  }
  return false;
}

bool ParseNumber(std::string_view text, int base, uint64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, base);
  return !text.empty() && error == std::errc() && end == text.data() + text.size() &&
         IsToken(text) && text.front() != '-';
}

// The reading of one response; each step returns kDone when it has read its part.
class Reader {
 public:
  Reader(std::string_view bytes, bool to_head, bool at_end)
      : bytes_(bytes), to_head_(to_head), at_end_(at_end) {}

  ParsedResponse Read() {
    ParseState state = ReadHead();
    if (state == ParseState::kDone) {
      state = CheckFraming();
    }
    if (state == ParseState::kDone) {
      state = CheckFields();
    }
    if (state == ParseState::kDone) {
      state = ReadBody();
    }
    if (state == ParseState::kMore && at_end_) {
      state = Broken(bytes_.empty() ? "closed without a response" : "the response breaks off");
    }
    if (state == ParseState::kDone) {
      response_.raw = std::string(bytes_.substr(0, at_));
    } else {
      response_.raw = std::string(bytes_.substr(0, std::min<size_t>(bytes_.size(), 2000)));
    }
    return {state, at_, std::move(response_)};
  }

 private:
  ParseState Broken(std::string why) {
    response_.fault = std::move(why);
    response_.status = 0;
    return ParseState::kBroken;
  }

  // The next line without its CRLF. A bare CR or LF shows as a byte that no line may hold.
  ParseState NextLine(std::string_view* line) {
    const size_t end = bytes_.find(kCrlf, at_);
    if (end == std::string_view::npos) {
      return ParseState::kMore;
    }
    *line = bytes_.substr(at_, end - at_);
    at_ = end + kCrlf.size();
    return IsPlain(*line) ? ParseState::kDone : Broken("a control character in a line");
  }

  ParseState ReadHead() {
    std::string_view line;
    ParseState state = NextLine(&line);
    if (state != ParseState::kDone) {
      // What can't become a status line is refused without waiting for its end.
      const std::string_view start = bytes_.substr(0, 9);
      return state == ParseState::kMore &&
                     start != std::string_view("HTTP/1.1 ").substr(0, start.size())
                 ? Broken("stray bytes instead of a status line")
                 : state;
    }
    state = ReadStatusLine(line);
    while (state == ParseState::kDone) {
      state = NextLine(&line);
      if (state != ParseState::kDone || line.empty()) {
        return state;
      }
      state = ReadField(line);
    }
    return state;
  }

  ParseState ReadStatusLine(std::string_view line) {
    if (line.size() < 13 || line.substr(0, 9) != "HTTP/1.1 " || line[12] != ' ' ||
        !std::all_of(line.begin() + 9, line.begin() + 12, IsDigit)) {
      return Broken("malformed status line: " + std::string(line));
    }
    response_.status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    response_.reason = line.substr(13);
    return response_.status >= 100 && response_.status <= 599 ? ParseState::kDone
                                                              : Broken("status out of range");
  }

  ParseState ReadField(std::string_view line) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) {
      return Broken("malformed field line: " + std::string(line));
    }
    std::string_view value = line.substr(colon + 1);
    if (value.empty() || value.front() != ' ' || (value.size() > 1 && value.back() == ' ')) {
      return Broken("field not written as \"Name: value\": " + std::string(line));
    }
    response_.fields.push_back({std::string(line.substr(0, colon)), std::string(value.substr(1))});
    return ParseState::kDone;
  }

  ParseState CheckFraming() {
    const size_t lengths = response_.Count("Content-Length");
    const size_t codings = response_.Count("Transfer-Encoding");
    if (lengths + codings > 1) {
      return Broken("more than one framing field");
    }
    if ((response_.status < 200 || response_.status == 204) && lengths + codings > 0) {
      return Broken("a framing field on " + std::to_string(response_.status));
    }
    if (codings == 1 && response_.Value("Transfer-Encoding") != "chunked") {
      return Broken("unknown transfer coding");
    }
    if (response_.Count("Connection") > 1) {
      return Broken("more than one Connection");
    }
    if (response_.status >= 200 &&
        (response_.Count("Date") != 1 || !IsDate(response_.Value("Date")))) {
      return Broken("not exactly one well-formed Date");
    }
    response_.chunked = codings == 1;
    return ParseState::kDone;
  }

  // What a status and its fields promise to each other.
  ParseState CheckFields() {
    const int status = response_.status;
    if (status == 405 && response_.Count("Allow") != 1) {
      return Broken("405 without one Allow");
    }
    const bool redirects = status > 300 && status < 309 && status != 304;
    if (redirects && response_.Count("Location") != 1) {
      return Broken("a redirect without one Location");
    }
    for (const char* name : {"ETag", "Last-Modified", "Content-Encoding", "Content-Type"}) {
      if (response_.Count(name) > 1) {
        return Broken("more than one " + std::string(name));
      }
    }
    const std::optional<std::string> etag = response_.Find("ETag");
    if (etag && !IsEntityTag(*etag)) {
      return Broken("malformed ETag: " + *etag);
    }
    const std::optional<std::string> modified = response_.Find("Last-Modified");
    if (modified && !IsDate(*modified)) {
      return Broken("malformed Last-Modified: " + *modified);
    }
    if (response_.Count("Content-Encoding") > 0 &&
        !HasMember(response_.Value("Vary"), "accept-encoding")) {
      return Broken("Content-Encoding without Vary: Accept-Encoding");
    }
    return CheckRange();
  }

  ParseState CheckRange() {
    const size_t count = response_.Count("Content-Range");
    const std::string value = response_.Value("Content-Range");
    if (response_.status == 416) {
      const bool good = count <= 1 && (value.empty() || value.rfind("bytes */", 0) == 0);
      return good ? ParseState::kDone : Broken("malformed Content-Range on 416: " + value);
    }
    if (response_.status != 206) {
      return count == 0 ? ParseState::kDone : Broken("a Content-Range that stands for nothing");
    }
    const bool multipart = response_.Value("Content-Type").rfind("multipart/byteranges", 0) == 0;
    const size_t size = SizeOfContentRange(value);
    const bool good = multipart ? count == 0
                                : count == 1 && size > 0 &&
                                      response_.Value("Content-Length") == std::to_string(size);
    return good ? ParseState::kDone : Broken("206 whose Content-Range doesn't fit: " + value);
  }

  ParseState ReadBody() {
    const int status = response_.status;
    const std::optional<std::string> length = response_.Find("Content-Length");
    uint64_t size = 0;
    if (length && !ParseNumber(*length, 10, &size)) {
      return Broken("malformed Content-Length: " + *length);
    }
    if (to_head_ || status < 200 || status == 204 || status == 304) {
      return ParseState::kDone;
    }
    if (response_.chunked) {
      return ReadChunks();
    }
    if (!length) {
      return ReadUntilClose();
    }
    if (status == 205 && size != 0) {
      return Broken("205 with content");
    }
    return Take(size);
  }

  ParseState ReadUntilClose() {
    if (!at_end_) {
      return ParseState::kMore;
    }
    response_.until_close = true;
    return Take(bytes_.size() - at_);
  }

  ParseState Take(uint64_t size) {
    if (bytes_.size() - at_ < size) {
      return ParseState::kMore;
    }
    response_.body.append(bytes_.substr(at_, size));
    at_ += size;
    return ParseState::kDone;
  }

  ParseState ReadChunks() {
    while (true) {
      std::string_view line;
      ParseState state = NextLine(&line);
      if (state != ParseState::kDone) {
        return state;
      }
      uint64_t size = 0;
      if (!ParseNumber(line, 16, &size)) {
        return Broken("malformed chunk size: " + std::string(line));
      }
      state = Take(size);
      if (state == ParseState::kDone) {
        state = NextLine(&line);
      }
      if (state != ParseState::kDone) {
        return state;
      }
      if (!line.empty()) {
        return Broken(size == 0 ? "a trailer" : "no CRLF behind a chunk");
      }
      if (size == 0) {
        return ParseState::kDone;
      }
    }
  }

  std::string_view bytes_;
  bool to_head_;
  bool at_end_;
  size_t at_ = 0;
  Response response_;
};

}  // namespace

bool EqualNames(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

std::optional<std::string> Response::Find(std::string_view name) const {
  for (const ResponseField& field : fields) {
    if (EqualNames(field.name, name)) {
      return field.value;
    }
  }
  return std::nullopt;
}

std::string Response::Value(std::string_view name) const { return Find(name).value_or(""); }

size_t Response::Count(std::string_view name) const {
  return static_cast<size_t>(std::count_if(
      fields.begin(), fields.end(), [name](const auto& f) { return EqualNames(f.name, name); }));
}

std::string Response::WithoutDate() const {
  std::string text = raw;
  const std::string_view name = "\r\nDate: ";
  const size_t at = text.find(name);
  const size_t end = at == std::string::npos ? at : text.find(kCrlf, at + name.size());
  if (end != std::string::npos) {
    text.replace(at + name.size(), end - at - name.size(), "*");
  }
  return text;
}

ParsedResponse ParseResponse(std::string_view bytes, bool to_head, bool at_end) {
  return Reader(bytes, to_head, at_end).Read();
}

}  // namespace quipd::test
