// SPDX-License-Identifier: MIT
#include "conformance/endpoints.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "client/certificate.h"
#include "client/content_coding.h"

namespace quipd::test {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
constexpr time_t kModified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT

// Text that codings make much shorter.
std::string Lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "line " + std::to_string(i) + " of a text that is worth coding\n";
  }
  return text;
}

void SetModified(const std::filesystem::path& path) {
  const timespec times[2] = {{kModified, 0}, {kModified, 123456789}};
  EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0) << path;
}

// Some 10 KiB stay in memory, the large ones don't (see `inline_file` in data/).
void WriteSite(const TempFolder& site) {
  const std::string text = Lines(200);
  const Certificate pair = MakeCertificate();
  const std::pair<const char*, std::string> files[] = {
      {"certificate.pem", pair.certificate},
      {"key.pem", pair.key},
      {"letters.txt", std::string(kLetters)},
      {"text.txt", text},
      {"large.txt", Lines(2000)},
      {"large.bin", std::string(100'000, '\x01')},
      {"dir/letters.txt", std::string(kLetters)},
      {"dir/text.txt", text},
      {"dir/text.txt.gz", EncodeGzip(text)},
      {"dir/text.txt.br", EncodeBrotli(text)},
      {"dir/one.css", text},
      {"dir/one.css.gz", EncodeGzip(text)},
      {"dir/large.txt", Lines(2000)},
      {"dir/empty.txt", ""},
      {"dir/index.html", "<p>index</p>"},
      {"dir/data.json", "{}"},
      {"dir/.hidden", "hidden"},
      {"dir/.well-known/acme-challenge/token", "token"},
      {"dir/a b%.txt", "blank"},
      {"dir/sub/index.html", "<p>sub</p>"},
      {"dir/bare/only.txt", "only"},
      {"dir/evil.example/index.html", "<p>not another host</p>"},
      {"outside.txt", "outside"},
  };
  for (const auto& [name, bytes] : files) {
    site.Write(name, bytes);
  }
  std::filesystem::create_symlink("../outside.txt", site.File("dir/out.txt"));
  std::filesystem::create_symlink("letters.txt", site.File("dir/inside.txt"));
  EXPECT_EQ(mkfifo(site.File("dir/fifo").c_str(), 0600), 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(site.path())) {
    SetModified(entry.path());
  }
}

std::string Replaced(std::string text, std::string_view mark, std::string_view with) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), with);
    at += with.size();
  }
  return text;
}

}  // namespace

Endpoints::Endpoints(const std::string& config) {
  WriteSite(site_);
  const std::string text = ReadWhole(QUIPD_SOURCE_DIR "/tests/conformance/data/" + config);
  daemon_ = std::make_unique<Daemon>(Replaced(text, "@SITE@", site_.path()));
  if (daemon_->ready()) {
    plain_ = {"plain", daemon_->address(0), std::nullopt};
    tls_ = {"TLS", daemon_->address(1), TlsOptions{.trusted = site_.File("certificate.pem")}};
  }
}

const Response& Endpoints::Get(const std::string& path, const std::string& coding) {
  const auto [found, is_new] = known_.try_emplace({path, coding});
  if (is_new) {
    const std::string field = coding.empty() ? "" : "Accept-Encoding: " + coding + "\r\n";
    found->second = plain_.Connect().Get(path, field);
    EXPECT_EQ(found->second.status, 200) << path << " " << coding << " " << found->second.fault;
  }
  return found->second;
}

std::string Endpoints::Validator(std::string_view name, const std::string& path,
                                 const std::string& coding) {
  const std::string value = Get(path, coding).Value(name);
  EXPECT_NE(value, "") << path << " has no " << name;
  return value;
}

std::string Endpoints::Expand(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t dollar = std::min(text.find('$'), text.size());
    out.append(text.substr(0, dollar));
    text.remove_prefix(dollar);
    const bool etag = text.substr(0, 6) == "$etag(";
    const bool modified = text.substr(0, 10) == "$modified(";
    const size_t open = text.find('(');
    const size_t close = text.find(')');
    if (!etag && !modified) {
      out.append(text.substr(0, 1));
      text.remove_prefix(std::min<size_t>(1, text.size()));
      continue;
    }
    const std::string inner(text.substr(open + 1, close - open - 1));
    const size_t blank = inner.find(' ');
    out += Validator(etag ? "ETag" : "Last-Modified", inner.substr(0, blank),
                     blank == inner.npos ? "" : inner.substr(blank + 1));
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace quipd::test
