// SPDX-License-Identifier: MIT
#include "client/multipart.h"

#include <charconv>
#include <optional>

namespace quipd::test {
namespace {

constexpr std::string_view kCrlf = "\r\n";

bool TakePrefix(std::string_view prefix, std::string_view* text) {
  if (text->substr(0, prefix.size()) != prefix) {
    return false;
  }
  text->remove_prefix(prefix.size());
  return true;
}

std::optional<size_t> TakeNumber(std::string_view* text) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return value;
}

class Reader {
 public:
  Reader(std::string_view content_type, std::string_view body)
      : content_type_(content_type), left_(body) {}

  Multipart Read() {
    std::string_view boundary = content_type_;
    if (!TakePrefix("multipart/byteranges; boundary=", &boundary) || boundary.empty() ||
        boundary.size() > 70 || boundary.find_first_of("\" ;,") != boundary.npos) {
      return Fail("not a multipart/byteranges with a plain boundary");
    }
    result_.boundary = boundary;
    const std::string delimiter = "--" + result_.boundary;
    TakePrefix(kCrlf, &left_);
    if (!TakePrefix(delimiter, &left_)) {
      return Fail("no boundary first");
    }
    while (TakePrefix(kCrlf, &left_)) {
      if (!ReadPart("\r\n" + delimiter)) {
        return std::move(result_);
      }
    }
    if (!TakePrefix("--", &left_) || (TakePrefix(kCrlf, &left_), !left_.empty())) {
      return Fail("text behind a boundary");
    }
    return std::move(result_);
  }

 private:
  Multipart Fail(std::string why) {
    result_.fault = std::move(why);
    return std::move(result_);
  }

  bool ReadPart(const std::string& delimiter) {
    Part part;
    while (!TakePrefix(kCrlf, &left_)) {
      const size_t end = left_.find(kCrlf);
      const std::string_view line = left_.substr(0, end);
      const size_t colon = line.find(": ");
      if (end == left_.npos || colon == line.npos || line.find_first_of("\r\n") != line.npos) {
        result_.fault = "a malformed line in a part";
        return false;
      }
      part.fields.push_back(
          {std::string(line.substr(0, colon)), std::string(line.substr(colon + 2))});
      left_.remove_prefix(end + kCrlf.size());
    }
    const size_t size = SizeOfContentRange(part.Value("Content-Range"));
    part.body = left_.substr(0, size);
    left_.remove_prefix(part.body.size());
    if (size == 0 || !TakePrefix(delimiter, &left_)) {
      result_.fault = "a part is not as long as its Content-Range says";
      return false;
    }
    result_.parts.push_back(std::move(part));
    return true;
  }

  std::string_view content_type_;
  std::string_view left_;
  Multipart result_;
};

}  // namespace

std::string Part::Value(std::string_view name) const {
  for (const ResponseField& field : fields) {
    if (EqualNames(field.name, name)) {
      return field.value;
    }
  }
  return "";
}

size_t SizeOfContentRange(std::string_view value) {
  if (!TakePrefix("bytes ", &value)) {
    return 0;
  }
  const std::optional<size_t> first = TakeNumber(&value);
  const bool dash = TakePrefix("-", &value);
  const std::optional<size_t> last = TakeNumber(&value);
  const bool slash = TakePrefix("/", &value);
  const std::optional<size_t> whole = TakeNumber(&value);
  const bool good =
      first && dash && last && slash && whole && value.empty() && *first <= *last && *last < *whole;
  return good ? *last - *first + 1 : 0;
}

Multipart ParseMultipart(std::string_view content_type, std::string_view body) {
  return Reader(content_type, body).Read();
}

}  // namespace quipd::test
