// SPDX-License-Identifier: MIT
#include "server/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/handle.h"
#include "base/utf8.h"
#include "http/path.h"
#include "site/template.h"

namespace quipd::server {
namespace {

using Directory = Handle<DIR, closedir>;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

constexpr std::string_view kPageBegin = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>)";

constexpr std::string_view kPageHeading = R"(</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.3rem; overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse }
th { text-align: left; font-weight: 600 }
th, td { padding: .15rem .5rem .15rem 0; border-bottom: 1px solid #8884; vertical-align: top }
td:first-child { white-space: pre-wrap; overflow-wrap: anywhere }
td:nth-child(2), th:nth-child(2) { text-align: right; padding-right: 2rem; white-space: nowrap }
td:nth-child(3) { white-space: nowrap; font-variant-numeric: tabular-nums }
</style>
</head>
<body>
<h1>)";

constexpr std::string_view kTableBegin = R"(</h1>
<table>
<thead><tr><th>Name</th><th>Size</th><th>Changed (UTC)</th></tr></thead>
<tbody>
)";

constexpr std::string_view kParentRow =
    "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n";

constexpr std::string_view kPageEnd = "</body>\n</html>\n";

// --- Reading ---

struct Reader {
  Folder* folder;
  DIR* directory;
  std::string path;  // of an entry, in the folder
  size_t prefix;     // of the directory in it

  // None where the entry would not be served.
  std::optional<ListedFile> Read(const char* name) {
    struct stat facts;
    if (fstatat(dirfd(directory), name, &facts, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    if (S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode)) {
      const bool is_directory = S_ISDIR(facts.st_mode);
      const auto size = is_directory ? 0 : static_cast<uint64_t>(facts.st_size);
      return ListedFile{name, is_directory, size, facts.st_mtim.tv_sec};
    }
    return S_ISLNK(facts.st_mode) ? ReadLink(name) : std::nullopt;
  }

  std::optional<ListedFile> ReadLink(const char* name) {
    if (folder->links() == config::Symlinks::kOff) return std::nullopt;
    path.resize(prefix);
    path += name;
    const FileState state = folder->Find(path);
    const bool is_directory = state.kind == FileState::Kind::kDirectory;
    if (!is_directory && state.kind != FileState::Kind::kFile) return std::nullopt;
    return ListedFile{name, is_directory, state.size, state.seconds};
  }
};

bool ComesBefore(const ListedFile& one, const ListedFile& other) {
  if (one.is_directory != other.is_directory) return one.is_directory;
  return one.name < other.name;
}

// --- Writing ---

void AppendTwoDigits(unsigned number, std::string* out) {
  out->push_back(static_cast<char>('0' + number / 10 % 10));
  out->push_back(static_cast<char>('0' + number % 10));
}

// "2026-01-31", the separator, "12:00:00". Years beyond what a page has room for are cut to it.
void AppendTime(int64_t seconds, char separator, std::string* out) {
  using std::chrono::days;
  constexpr int64_t kFirst = -62167219200;  // 0000-01-01
  constexpr int64_t kLast = 253402300799;   // 9999-12-31
  const std::chrono::sys_seconds time{std::chrono::seconds(std::clamp(seconds, kFirst, kLast))};
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
  AppendTwoDigits(year / 100, out);
  AppendTwoDigits(year % 100, out);
  out->push_back('-');
  AppendTwoDigits(static_cast<unsigned>(date.month()), out);
  out->push_back('-');
  AppendTwoDigits(static_cast<unsigned>(date.day()), out);
  out->push_back(separator);
  AppendTwoDigits(static_cast<unsigned>(clock.hours().count()), out);
  out->push_back(':');
  AppendTwoDigits(static_cast<unsigned>(clock.minutes().count()), out);
  out->push_back(':');
  AppendTwoDigits(static_cast<unsigned>(clock.seconds().count()), out);
}

// "17 B", "1.5 KiB", "12 MiB".
void AppendSize(uint64_t size, std::string* out) {
  static constexpr std::array<std::string_view, 7> kUnits{" B",   " KiB", " MiB", " GiB",
                                                          " TiB", " PiB", " EiB"};
  size_t unit = 0;
  uint64_t rest = 0;
  while (size >= 1024) {
    rest = size % 1024;
    size /= 1024;
    ++unit;
  }
  AppendNumber(size, out);
  if (unit > 0 && size < 10) {
    out->push_back('.');
    AppendNumber(rest * 10 / 1024, out);
  }
  out->append(kUnits[unit]);
}

// As text of the page: what isn't UTF-8, or a control, is shown as U+FFFD.
void AppendShown(std::string_view text, std::string* out) {
  const size_t begin = out->size();
  for (size_t at = 0; at < text.size();) {
    const size_t length = CharacterLength(text, at);
    const bool shown = length > 0 && !IsControl(text[at]);
    out->append(shown ? text.substr(at, length) : kReplacement);
    at += std::max<size_t>(length, 1);
  }
  site::EscapeTail(out, begin, site::Escape::kHtml, false);
}

void AppendRow(const ListedFile& file, std::string* out) {
  out->append("<tr><td><a href=\"");
  http::AppendPercentEncoded(file.name, false, out);
  if (file.is_directory) out->push_back('/');
  out->append("\">");
  AppendShown(file.name, out);
  if (file.is_directory) out->push_back('/');
  out->append("</a></td><td>");
  if (!file.is_directory) AppendSize(file.size, out);
  out->append("</td><td>");
  AppendTime(file.seconds, ' ', out);
  out->append("</td></tr>\n");
}

}  // namespace

Listing ReadListing(Folder* folder, std::string_view name, FileDescriptor opened, bool dotfiles) {
  Listing listing;
  const Directory directory(fdopendir(opened.get()));
  if (directory == nullptr) {
    listing.error = errno;
    return listing;
  }
  static_cast<void>(opened.Release());
  Reader reader{folder, directory.get(), std::string(name), name.size()};
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view entry_name(entry->d_name);
    if (entry_name == "." || entry_name == "..") continue;
    if (entry_name.starts_with('.') && !dotfiles) continue;
    if (listing.files.size() == Listing::kMost) {
      listing.is_cut = true;
      break;
    }
    if (auto file = reader.Read(entry->d_name)) listing.files.push_back(std::move(*file));
  }
  if (!listing.is_cut) listing.error = errno;
  std::ranges::sort(listing.files, ComesBefore);
  return listing;
}

void AppendHtmlListing(const Listing& listing, std::string_view path, bool has_parent,
                       std::string* out) {
  const std::string shown = http::DecodedText(path);
  out->append(kPageBegin);
  AppendShown(shown, out);
  out->append(kPageHeading);
  AppendShown(shown, out);
  out->append(kTableBegin);
  if (has_parent) out->append(kParentRow);
  for (const ListedFile& file : listing.files) AppendRow(file, out);
  out->append("</tbody>\n</table>\n");
  if (listing.is_cut) out->append("<p>There are more than can be shown here.</p>\n");
  out->append(kPageEnd);
}

void AppendJsonListing(const Listing& listing, std::string* out) {
  out->push_back('[');
  bool first = true;
  for (const ListedFile& file : listing.files) {
    if (!std::exchange(first, false)) out->push_back(',');
    out->append("{\"name\":\"");
    const size_t begin = out->size();
    out->append(file.name);
    site::EscapeTail(out, begin, site::Escape::kJson, false);
    out->append(file.is_directory ? "\",\"type\":\"directory\"" : "\",\"type\":\"file\",\"size\":");
    if (!file.is_directory) AppendNumber(file.size, out);
    out->append(",\"modified\":\"");
    AppendTime(file.seconds, 'T', out);
    out->append("Z\"}");
  }
  out->append("]\n");
}

}  // namespace quipd::server
