// SPDX-License-Identifier: MIT
#include "config/options.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "config/spelling.h"
#include "config/units.h"
#include "http/request_head.h"
#include "http/status.h"

namespace quipd::config {
namespace {

constexpr std::string_view kRefused[] = {"Date",       "Content-Length", "Transfer-Encoding",
                                         "Connection", "Keep-Alive",     "Upgrade",
                                         "TE",         "Trailer"};
constexpr std::string_view kCacheControl = "Cache-Control";
constexpr std::string_view kContentType = "Content-Type";

// RFC 9110 5.5, with obs-text, since the file is UTF-8.
std::optional<Problem> CheckFieldValue(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    if ((code >= 0x20 && code != 0x7F) || code == '\t') continue;
    const bool line_end = code == '\n' && i + 1 == text.size();
    return Problem{"a header has no control characters",
                   line_end ? "|- and >- leave the line end out" : "", i};
  }
  return std::nullopt;
}

bool CheckHeaderName(Reader& reader, const Value& key) {
  if (!http::IsToken(key.text)) {
    reader.Error(key, Quoted(key.text) + " is no name of a header",
                 key.text.find(':') != key.text.npos ? "a blank is missing after the colon" : "");
    return false;
  }
  for (const std::string_view refused : kRefused) {
    if (!http::EqualsIgnoreCase(refused, key.text)) continue;
    reader.Error(key, "the header " + std::string(refused) + " is quipd's own and can't be set");
    return false;
  }
  return true;
}

void AddHeader(Reader& reader, const Value& key, const Value& value, OwnOptions* own) {
  auto text = ReadFieldValue(reader, value, key.text);
  if (!text) return;
  own->headers.push_back({std::string(key.text), std::move(*text), {}});
  own->header_places.push_back(reader.At(value));
}

void ReadContentType(Reader& reader, const Value& key, const Value& value, OwnOptions* own) {
  if (own->type) {
    return reader.Error(key, "Content-Type and the option type are the same: write one of them");
  }
  own->type = ReadFieldValue(reader, value, key.text);
  own->written.push_back({"type", &key});
}

bool HasHeader(const std::vector<Header>& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(), [&](const Header& header) {
    return http::EqualsIgnoreCase(header.name, name);
  });
}

void ReadHeader(Reader& reader, const Value& mapping, const Member& member, OwnOptions* own) {
  if (member.value.kind == Value::Kind::kMissing) return reader.Missing(mapping, member);
  if (!CheckHeaderName(reader, member.key)) return;
  if (HasHeader(own->headers, member.key.text)) {
    return reader.Error(member.key, "the header " + Quoted(member.key.text) + " is there twice",
                        "several fields of one name are a list");
  }
  if (http::EqualsIgnoreCase(member.key.text, kContentType)) {
    return ReadContentType(reader, member.key, member.value, own);
  }
  if (member.value.kind != Value::Kind::kSequence) {
    return AddHeader(reader, member.key, member.value, own);
  }
  if (member.value.items.empty()) {
    return reader.Error(member.value, std::string(member.key.text) + ": the list is empty",
                        "the option without leaves an inherited header out");
  }
  for (const Value& item : member.value.items) AddHeader(reader, member.key, item, own);
}

void ReadType(Reader& reader, const Value& key, const Value& value, OwnOptions* own) {
  if (own->type) {
    return reader.Error(key, "Content-Type and the option type are the same: write one of them");
  }
  auto text = ReadFieldValue(reader, value, "type");
  if (text && text->empty()) return reader.Error(value, "type: the text is empty");
  own->type = std::move(text);
}

void ReadWithout(Reader& reader, const Value& value, OwnOptions* own) {
  for (const Text& one : reader.ReadTexts(value, "without")) {
    if (http::IsToken(one.text)) {
      own->without.emplace_back(one.text);
    } else {
      reader.Error(*one.value, "without: " + Quoted(one.text) + " is no name of a header");
    }
  }
}

void ReadCache(Reader& reader, const Value& value, OwnOptions* own) {
  const auto text = reader.ReadText(value, "cache");
  if (!text) return;
  if (*text == "off" || *text == "false") {
    own->cache = "no-store";
    return;
  }
  Parsed<std::chrono::milliseconds> age = ParseDuration(*text);
  if (!age) {
    Problem problem = std::move(age.error());
    problem.hint =
        "cache is a duration, such as 1h, or off; the rest of Cache-Control is written "
        "in headers";
    return reader.Error(value, "cache", std::move(problem));
  }
  if (age->count() % 1000 != 0) {
    return reader.Error(value, "cache: the time is in whole seconds");
  }
  own->cache = "max-age=" + std::to_string(age->count() / 1000);
}

void ReadQuery(Reader& reader, const Value& value, OwnOptions* own) {
  const auto text = reader.ReadText(value, "query");
  if (!text) return;
  if (*text == "drop" || *text == "keep") {
    own->keep_query = *text == "keep";
  } else {
    reader.Error(value, "query: " + Quoted(*text) + " is neither keep nor drop");
  }
}

void ReadStatus(Reader& reader, const Value& value, OwnOptions* own) {
  const auto status = reader.ReadNumber(value, "status", 200, 599);
  if (status) own->status = static_cast<uint16_t>(*status);
}

void ReadSymlinks(Reader& reader, const Value& value, OwnOptions* own) {
  const auto text = reader.ReadText(value, "symlinks");
  if (!text) return;
  if (*text == "off" || *text == "false") {
    own->symlinks = Symlinks::kOff;
  } else if (*text == "inside") {
    own->symlinks = Symlinks::kInside;
  } else if (*text == "anywhere") {
    own->symlinks = Symlinks::kAnywhere;
  } else {
    reader.Error(value, "symlinks: " + Quoted(*text) + " is none of off, inside and anywhere");
  }
}

// What is wrong with the name of a file below a directory.
std::optional<Problem> CheckBelow(std::string_view path) {
  const std::string hint = "it is named from the directory on, such as index.html";
  if (path.empty()) return Problem{"the path is empty", hint, 0};
  if (path.front() == '/') return Problem{"the file is inside the directory", hint, 0};
  if (path.back() == '/') return Problem{"a path that ends in / is no file's", hint, 0};
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (path.substr(begin, end - begin) == "..") {
      return Problem{"the file is inside the directory: no .. is possible", hint, begin};
    }
    begin = end + 1;
  }
  return std::nullopt;
}

void ReadFallback(Reader& reader, const Value& value, OwnOptions* own) {
  const auto text = reader.ReadText(value, "fallback");
  if (!text) return;
  if (auto problem = CheckBelow(*text)) {
    return reader.Error(value, "fallback", std::move(*problem));
  }
  own->fallback = *text;
  own->fallback_place = reader.At(value);
}

// Whether it is an option of directories alone.
bool ReadDirOption(Reader& reader, std::string_view name, const Value& value, OwnOptions* own) {
  if (name == "listing") {
    own->listing = reader.ReadSwitch(value, name);
  } else if (name == "dotfiles") {
    own->dotfiles = reader.ReadSwitch(value, name);
  } else if (name == "symlinks") {
    ReadSymlinks(reader, value, own);
  } else if (name == "fallback") {
    ReadFallback(reader, value, own);
  } else {
    return false;
  }
  return true;
}

// Whether the action has a body of its own in memory, or in one file.
bool IsBody(Action action) {
  return action == Action::kEcho || action == Action::kHtml || action == Action::kJson ||
         action == Action::kFile;
}

void Remove(std::vector<Header>* headers, std::string_view name) {
  std::erase_if(*headers,
                [&](const Header& header) { return http::EqualsIgnoreCase(header.name, name); });
}

// Headers of `own` over inherited ones: each name at the place where it first stood.
void Overlay(const std::vector<Header>& own, std::vector<Header>* headers) {
  for (size_t i = 0; i < own.size();) {
    size_t end = i + 1;
    while (end < own.size() && http::EqualsIgnoreCase(own[end].name, own[i].name)) ++end;
    const auto first = std::find_if(headers->begin(), headers->end(), [&](const Header& header) {
      return http::EqualsIgnoreCase(header.name, own[i].name);
    });
    const auto place = first - headers->begin();
    Remove(headers, own[i].name);
    headers->insert(headers->begin() + place, own.begin() + static_cast<std::ptrdiff_t>(i),
                    own.begin() + static_cast<std::ptrdiff_t>(end));
    i = end;
  }
}

bool SaysNothingOfDirs(const Options& options) {
  const Options usual;
  return options.listing == usual.listing && options.dotfiles == usual.dotfiles &&
         options.symlinks == usual.symlinks && options.fallback.empty();
}

}  // namespace

std::optional<std::string> ReadFieldValue(Reader& reader, const Value& value,
                                          std::string_view what) {
  const auto text = reader.ReadText(value, what);
  if (!text) return std::nullopt;
  if (auto problem = CheckFieldValue(*text)) {
    reader.Error(value, what, std::move(*problem));
    return std::nullopt;
  }
  return std::string(Trimmed(*text));
}

const Value* OwnOptions::KeyOf(std::string_view option) const {
  for (const Written& one : written) {
    if (one.option == option) return one.key;
  }
  return nullptr;
}

void ReadHeaders(Reader& reader, const Value& key, const Value& value, OwnOptions* own) {
  if (!reader.IsMapping(value, key.text)) return;
  for (const Member& member : value.members) ReadHeader(reader, value, member, own);
}

bool ReadOption(Reader& reader, const Value& key, const Value& value, OwnOptions* own) {
  const std::string_view name = key.text;
  if (name == "headers") {
    ReadHeaders(reader, key, value, own);
  } else if (name == "without") {
    ReadWithout(reader, value, own);
  } else if (name == "type") {
    ReadType(reader, key, value, own);
  } else if (name == "cache") {
    ReadCache(reader, value, own);
  } else if (name == "status") {
    ReadStatus(reader, value, own);
  } else if (name == "template") {
    own->template_on = reader.ReadSwitch(value, name);
  } else if (name == "query") {
    ReadQuery(reader, value, own);
  } else if (name == "etag") {
    own->etag = reader.ReadSwitch(value, name);
  } else if (name == "compress") {
    own->compress = reader.ReadSwitch(value, name);
  } else if (!ReadDirOption(reader, name, value, own)) {
    return false;
  }
  own->written.push_back({name, &key});
  return true;
}

void CheckTogether(Reader& reader, const OwnOptions& own) {
  const Value* const cache = own.KeyOf("cache");
  if (cache != nullptr && HasHeader(own.headers, kCacheControl)) {
    reader.Error(*cache, "cache beside a Cache-Control of the same place",
                 "write one of them; what cache can't say is written in headers");
  }
}

bool Fits(Action action, std::string_view option) {
  if (option == "headers" || option == "without") return true;
  if (option == "cache") return action != Action::kHealth;
  if (option == "type" || option == "etag" || option == "compress") {
    return IsBody(action) || action == Action::kDir;
  }
  if (option == "status") return IsBody(action) || IsRedirect(action);
  // A status and a redirect have headers to fill.
  if (option == "template") {
    return action != Action::kReflect && action != Action::kHealth && action != Action::kDir;
  }
  if (option == "query") return IsRedirect(action);
  return action == Action::kDir;  // listing, dotfiles, symlinks, fallback
}

bool FitsStatus(Action action, uint16_t status) {
  if (IsRedirect(action)) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  }
  return IsBody(action) && !http::HasNoContent(status);
}

Options Merge(const Options& inherited, const OwnOptions& own) {
  Options merged = inherited;
  for (const std::string& name : own.without) {
    Remove(&merged.headers, name);
    if (http::EqualsIgnoreCase(name, kContentType)) merged.type.reset();
    if (http::EqualsIgnoreCase(name, kCacheControl)) merged.cache.reset();
  }
  if (own.cache) Remove(&merged.headers, kCacheControl);
  if (HasHeader(own.headers, kCacheControl)) merged.cache.reset();
  Overlay(own.headers, &merged.headers);
  if (own.type) merged.type = own.type;
  if (own.cache) merged.cache = own.cache;
  if (own.status) merged.status = own.status;
  if (own.template_on) merged.template_on = *own.template_on;
  if (own.keep_query) merged.keep_query = *own.keep_query;
  if (own.etag) merged.etag = *own.etag;
  if (own.compress) merged.compress = *own.compress;
  if (own.listing) merged.listing = *own.listing;
  if (own.dotfiles) merged.dotfiles = *own.dotfiles;
  if (own.symlinks) merged.symlinks = *own.symlinks;
  if (own.fallback) merged.fallback = *own.fallback;
  return merged;
}

bool IsFittedTo(Action action, const Options& options) {
  if (options.type && !Fits(action, "type")) return false;
  if (options.cache && !Fits(action, "cache")) return false;
  if (options.status && !FitsStatus(action, *options.status)) return false;
  if (options.template_on && !Fits(action, "template")) return false;
  if (!(options.etag && options.compress) && !Fits(action, "etag")) return false;
  if (action != Action::kDir && !SaysNothingOfDirs(options)) return false;
  return options.keep_query || Fits(action, "query");
}

Options FittedTo(Action action, const Options& options) {
  Options fitted = options;
  if (!Fits(action, "type")) fitted.type.reset();
  if (!Fits(action, "cache")) fitted.cache.reset();
  if (options.status && !FitsStatus(action, *options.status)) fitted.status.reset();
  if (!Fits(action, "template")) fitted.template_on = false;
  if (!Fits(action, "query")) fitted.keep_query = true;
  if (!Fits(action, "etag")) fitted.etag = fitted.compress = true;
  if (action != Action::kDir) {
    const Options usual;
    fitted.listing = usual.listing;
    fitted.dotfiles = usual.dotfiles;
    fitted.symlinks = usual.symlinks;
    fitted.fallback.clear();
  }
  return fitted;
}

void ForbidStoring(Options* options) {
  Remove(&options->headers, kCacheControl);
  options->cache = "no-store";
}

}  // namespace quipd::config
