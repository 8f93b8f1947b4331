// SPDX-License-Identifier: MIT
// What is answered from files, to the byte: heads, slices, siblings, redirects, errors. And that a
// plain file takes no memory once warm: every allocation of this program is counted.
#include "server/file_responder.h"

#include <event2/event.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "http/path.h"
#include "server/context.h"
#include "server/event_handles.h"
#include "site/site.h"
#include "unit/server/temp_tree.h"

namespace {
size_t allocations = 0;
}  // namespace

void* operator new(size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { std::free(memory); }

namespace quipd::server {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kNow = 1'800'000'000;  // Fri, 15 Jan 2027 08:00:00 GMT
constexpr char kDate[] = "Date: Fri, 15 Jan 2027 08:00:00 GMT\r\n\r\n";
constexpr char kChanged[] = "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n";

// A rule /w/ of a tree, asked by itself.
class Responder {
 public:
  explicit Responder(const std::string& path) : base_(event_base_new()) {
    config::Config config;
    config.scopes.emplace_back().options = std::make_shared<config::Options>();
    site_ = site::Compile(std::move(config)).site;
    context_ = std::make_unique<Context>(base_.get());
    context_->unix_seconds = kNow;
    context_->date = http::FormatDate(kNow);
    files_ = std::make_unique<FileResponder>(context_.get());
    rule.is_dir = true;
    rule.path = path;
    rule.fields = "Server: quipd\r\n";
    rule.options = &options;
  }

  // The head, then "[offset+size]" for each slice, or its text; or "404: fields".
  std::string Ask(std::string_view target, std::string_view fields = "",
                  std::string_view method = "GET") {
    text_.assign(method).append(" /w/").append(target).append(" HTTP/1.1\r\nHost: a\r\n");
    text_.append(fields).append("\r\n");
    http::RequestHead head;
    EXPECT_EQ(http::ParseRequestHead(text_, {}, &head).state, http::HeadState::kComplete);
    const size_t before = allocations;
    error_ = Answer(head);
    allocated_ = allocations - before;
    if (error_ != 0) {
      EXPECT_FALSE(static_cast<bool>(file_));
      return std::to_string(error_) + ": " + message_.text;
    }
    EXPECT_EQ(message_.text.find("Date: "), message_.splice);
    std::string shown = message_.text.substr(0, message_.head_size);
    for (size_t i = 0; i < message_.body.size(); ++i) {
      const Message::Slice& slice = message_.body[i];
      shown += message_.TextOf(i);
      if (slice.size == 0) continue;
      std::string bytes(slice.size, '?');
      EXPECT_EQ(pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(slice.offset)),
                static_cast<ssize_t>(bytes.size()));
      shown += bytes;
    }
    file_.Reset();
    return shown;
  }
  [[nodiscard]] size_t allocated() const { return allocated_; }

  site::FileRule rule;
  config::Options options;

 private:
  uint16_t Answer(const http::RequestHead& head) {
    path_.resize(head.path.size());
    size_t length = 0;
    EXPECT_EQ(http::CanonicalPath(head.path, path_.data(), &length), http::PathFault::kNone);
    site::Answer answer;
    answer.kind = site::Answer::Kind::kFile;
    answer.files = &rule;
    answer.below = std::string_view(path_).substr(0, length).substr(3);
    const site::Request request{&head, 0, false, {}};
    site::Scratch scratch;
    scratch.canonical = std::string_view(path_).substr(0, length);
    return files_->Answer(*site_, answer, request, scratch, &message_, &file_);
  }

  EventBase base_;
  std::shared_ptr<const site::Site> site_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<FileResponder> files_;
  Message message_;
  FileDescriptor file_;
  std::string text_;
  std::string path_;
  uint16_t error_ = 0;
  size_t allocated_ = 0;
};

TEST(FileResponder, PlainFile) {
  const TempTree tree;
  tree.File("a.txt", "hello");
  tree.File("p.png", "png!");
  tree.File("empty", "");
  Responder responder(tree.path());
  EXPECT_EQ(responder.Ask("a.txt"),
            "HTTP/1.1 200 OK\r\nServer: quipd\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Content-Length: 5\r\n" +
                std::string(kChanged) +
                "ETag: \"5-17979cfe362a0000\"\r\nAccept-Ranges: bytes\r\n"
                "Vary: Accept-Encoding\r\n" +
                kDate + "hello");
  EXPECT_EQ(responder.Ask("p.png"),
            "HTTP/1.1 200 OK\r\nServer: quipd\r\nContent-Type: image/png\r\nContent-Length: 4\r\n" +
                std::string(kChanged) + "ETag: \"4-17979cfe362a0000\"\r\nAccept-Ranges: bytes\r\n" +
                kDate + "png!");
  EXPECT_EQ(responder.Ask("p.png", "", "HEAD") + "png!", responder.Ask("p.png"));
  EXPECT_THAT(responder.Ask("empty"), HasSubstr("Content-Length: 0\r\n"));
  EXPECT_THAT(responder.Ask("empty", "Range: bytes=0-\r\n"),
              testing::StartsWith("416: Content-Range: bytes */0\r\n"));
}

TEST(FileResponder, OptionsShapeTheHead) {
  const TempTree tree;
  tree.File("a.txt", "hello");
  tree.File("future", "x", kNow + 1000);
  tree.File("ancient", "x", -5);
  Responder responder(tree.path());
  responder.rule.vary = "Origin";
  EXPECT_THAT(responder.Ask("a.txt"), HasSubstr("Vary: Origin, Accept-Encoding\r\n"));
  responder.rule.vary = "accept-encoding, Origin";
  EXPECT_THAT(responder.Ask("a.txt"), HasSubstr("Vary: accept-encoding, Origin\r\n"));
  responder.rule.vary = "*";
  EXPECT_THAT(responder.Ask("a.txt"), HasSubstr("Vary: *\r\n"));
  responder.options.compress = false;
  responder.rule.vary = "Origin";
  EXPECT_THAT(responder.Ask("a.txt"), HasSubstr("Vary: Origin\r\n"));
  responder.rule.vary.clear();
  EXPECT_THAT(responder.Ask("a.txt"), Not(HasSubstr("Vary")));
  responder.rule.has_etag = false;
  EXPECT_THAT(responder.Ask("a.txt"), Not(HasSubstr("ETag")));
  EXPECT_THAT(responder.Ask("a.txt"), HasSubstr(kChanged));
  responder.rule.type = "text/x-own";
  EXPECT_THAT(responder.Ask("a.txt"), HasSubstr("Content-Type: text/x-own\r\n"));
  EXPECT_THAT(responder.Ask("future"), HasSubstr("Last-Modified: Fri, 15 Jan 2027 08:00:00 GMT"));
  EXPECT_THAT(responder.Ask("ancient"), HasSubstr("Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT"));
}

TEST(FileResponder, ConditionsAndRanges) {
  const TempTree tree;
  tree.File("a.txt", "0123456789");
  Responder responder(tree.path());
  responder.rule.fields += "Cache-Control: max-age=5\r\n";
  const std::string tag = "ETag: \"a-17979cfe362a0000\"\r\n";
  const std::string begin = "Server: quipd\r\nCache-Control: max-age=5\r\n";
  const std::string end = "Vary: Accept-Encoding\r\n";
  const std::string not_modified =
      "HTTP/1.1 304 Not Modified\r\n" + begin + kChanged + tag + end + kDate;
  EXPECT_EQ(responder.Ask("a.txt", "If-None-Match: \"a-17979cfe362a0000\"\r\n"), not_modified);
  EXPECT_EQ(responder.Ask("a.txt", "If-None-Match: W/\"a-17979cfe362a0000\"\r\n", "HEAD"),
            not_modified);
  EXPECT_EQ(responder.Ask("a.txt", "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT\r\n"),
            not_modified);
  EXPECT_EQ(responder.Ask("a.txt", "If-Match: \"b\"\r\n"), "412: ");
  EXPECT_EQ(responder.Ask("a.txt", "Range: bytes=20-\r\n"), "416: Content-Range: bytes */10\r\n");
  EXPECT_EQ(responder.Ask("a.txt", "Range: bytes=2-3\r\n"),
            "HTTP/1.1 206 Partial Content\r\n" + begin + kChanged + tag +
                "Accept-Ranges: bytes\r\n" + end +
                "Content-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 2-3/10\r\n"
                "Content-Length: 2\r\n" +
                kDate + "23");
  const std::string several = responder.Ask("a.txt", "Range: bytes=0-0,-2\r\n");
  EXPECT_THAT(several, HasSubstr("Content-Type: multipart/byteranges; boundary="));
  EXPECT_THAT(several, HasSubstr("Content-Range: bytes 0-0/10\r\n\r\n0\r\n"));
  EXPECT_THAT(several, HasSubstr("Content-Range: bytes 8-9/10\r\n\r\n89\r\n"));
  EXPECT_THAT(responder.Ask("a.txt", "Range: bytes=2-3\r\nIf-Range: \"old\"\r\n"),
              testing::EndsWith("0123456789"));
}

TEST(FileResponder, ValidatorsOfTheRule) {
  const TempTree tree;
  tree.File("p.png", "0123456789");
  Responder responder(tree.path());
  responder.rule.has_etag = false;
  responder.rule.fields =
      "ETag: \"own\"\r\nLast-Modified: Mon, 13 Nov 2023 22:13:20 GMT\r\nAccept-Ranges: none\r\n";
  const std::string fields = responder.rule.fields;
  EXPECT_EQ(responder.Ask("p.png"), "HTTP/1.1 200 OK\r\n" + fields +
                                        "Content-Type: image/png\r\nContent-Length: 10\r\n" +
                                        kDate + "0123456789");
  EXPECT_THAT(responder.Ask("p.png", "If-None-Match: \"own\"\r\n"), HasSubstr("HTTP/1.1 304 "));
  EXPECT_THAT(responder.Ask("p.png", "If-Modified-Since: Mon, 13 Nov 2023 22:13:20 GMT\r\n"),
              HasSubstr("HTTP/1.1 304 "));
  EXPECT_THAT(responder.Ask("p.png", "If-Modified-Since: Mon, 13 Nov 2023 22:13:19 GMT\r\n"),
              HasSubstr("HTTP/1.1 200 "));
}

TEST(FileResponder, SiblingsOfACoding) {
  const TempTree tree;
  tree.File("a.js", "plain");
  tree.File("a.js.gz", "gz");
  tree.File("a.js.br", "b", 1'600'000'000);
  tree.File("g.css", "plain");
  tree.File("g.css.gz", "gz");
  tree.Folder("g.css.br");
  tree.File("p.png", "png");
  tree.File("p.png.gz", "gz");
  tree.File("only.js.gz", "gz");
  tree.File("sub/index.html", "plain");
  tree.File("sub/index.html.gz", "gz");
  tree.File("l.css", "plain");
  tree.Fifo("l.css.br");
  tree.Link("l.css.gz", "/etc/hostname");
  Responder responder(tree.path());
  struct Case {
    const char* name;
    const char* accept;  // null: none
    const char* coding;  // "": none; or "406"
    const char* body;
    bool varies;
  };
  const Case cases[] = {
      {"a.js", nullptr, "", "plain", true},
      {"a.js", "", "", "plain", true},
      {"a.js", "gzip, br", "br", "b", true},
      {"a.js", "gzip", "gzip", "gz", true},
      {"a.js", "x-gzip", "gzip", "gz", true},
      {"a.js", "gzip;q=1, br;q=0.5", "gzip", "gz", true},
      {"a.js", "deflate", "", "plain", true},
      {"a.js", "*;q=0", "406", "", true},
      {"a.js", "identity;q=0, deflate", "406", "", true},
      {"a.js", "identity;q=0, gzip", "gzip", "gz", true},
      {"a.js", "*", "br", "b", true},
      {"g.css", "gzip, br", "gzip", "gz", true},
      {"g.css", "br", "", "plain", true},
      {"g.css", "br, identity;q=0", "406", "", true},
      {"p.png", "gzip", "", "png", false},
      {"p.png", "gzip, identity;q=0", "406", "", false},
      {"a.js.gz", "gzip", "", "gz", false},
      {"sub/", "gzip", "gzip", "gz", true},
      {"l.css", "gzip, br", "", "plain", true},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.name) + " " + (one.accept == nullptr ? "-" : one.accept));
    const std::string fields =
        one.accept == nullptr ? "" : "Accept-Encoding: " + std::string(one.accept) + "\r\n";
    const std::string answer = responder.Ask(one.name, fields);
    if (std::string_view(one.coding) == "406") {
      EXPECT_EQ(answer, "406: ");
      continue;
    }
    EXPECT_THAT(answer, testing::EndsWith(std::string("\r\n\r\n") + one.body));
    EXPECT_THAT(
        answer,
        HasSubstr("Content-Length: " + std::to_string(std::string_view(one.body).size()) + "\r\n"));
    EXPECT_EQ(answer.find("Vary: Accept-Encoding\r\n") != std::string::npos, one.varies);
    if (*one.coding == '\0') {
      EXPECT_THAT(answer, Not(HasSubstr("Content-Encoding")));
    } else {
      EXPECT_THAT(answer, HasSubstr("Content-Encoding: " + std::string(one.coding) + "\r\n"));
    }
  }
  const std::string gzip = responder.Ask("a.js", "Accept-Encoding: gzip\r\n");
  EXPECT_THAT(gzip, HasSubstr("Content-Type: text/javascript; charset=utf-8\r\n"));
  EXPECT_THAT(gzip, HasSubstr("ETag: \"2-17979cfe362a0000-gzip\"\r\n"));
  EXPECT_THAT(responder.Ask("a.js", "Accept-Encoding: br\r\n"),
              HasSubstr("ETag: \"1-16345785d8a00000-br\"\r\n"));
  EXPECT_THAT(responder.Ask("a.js",
                            "Accept-Encoding: gzip\r\n"
                            "If-None-Match: \"2-17979cfe362a0000-gzip\"\r\n"),
              testing::StartsWith("HTTP/1.1 304 "));
  EXPECT_THAT(
      responder.Ask("a.js", "Accept-Encoding: gzip\r\nRange: bytes=1-\r\n"),
      testing::AllOf(testing::EndsWith("\r\n\r\nz"), HasSubstr("Content-Encoding: gzip\r\n"),
                     HasSubstr("Content-Range: bytes 1-1/2\r\n")));
  EXPECT_EQ(responder.Ask("only.js", "Accept-Encoding: gzip\r\n"), "404: ");
  responder.options.compress = false;
  EXPECT_THAT(responder.Ask("a.js", "Accept-Encoding: gzip\r\n"),
              testing::EndsWith("\r\n\r\nplain"));
}

TEST(FileResponder, PathsThatAreNone) {
  const TempTree tree;
  tree.File("a.txt", "a");
  tree.File(".env", "secret");
  tree.File(".git/config", "secret");
  tree.File("sub/.x", "secret");
  tree.File("..data/f", "f");
  tree.Link("f", "..data/f");
  tree.Folder("bare");
  tree.Folder("odd/index.html");
  tree.Fifo("fifo");
  Responder responder(tree.path());
  for (const char* target : {"none",
                             "a.txt/",
                             "a.txt/b",
                             ".env",
                             ".git/config",
                             ".git/",
                             ".git",
                             "sub/.x",
                             "..data/f",
                             "%2e%65nv",
                             "bare/",
                             "odd/",
                             "odd/index.html/",
                             "fifo",
                             "fifo/",
                             "a%2Ftxt",
                             "sub%2F.x",
                             "..%2F..%2Fetc%2Fpasswd",
                             "%FF",
                             "none/none/"}) {
    EXPECT_EQ(responder.Ask(target), "404: ") << target;
  }
  EXPECT_THAT(responder.Ask("f"), testing::EndsWith("\r\n\r\nf"));
  responder.options.dotfiles = true;
  EXPECT_THAT(responder.Ask(".env"), testing::EndsWith("secret"));
  EXPECT_THAT(responder.Ask(".git/config"), testing::EndsWith("secret"));
}

TEST(FileResponder, DirectoryWithoutItsSlashIsRedirected) {
  const TempTree tree;
  tree.Folder("sub/\xC3\xA4 \"\r\n");
  tree.Folder("out");
  tree.Link("link", "out");
  tree.Link("away", "/etc");
  Responder responder(tree.path());
  struct Case {
    const char* target;
    const char* location;
  };
  const Case cases[] = {
      {"sub", "/w/sub/"},
      {"sub?", "/w/sub/?"},
      {"sub?a=b&c=//x", "/w/sub/?a=b&c=//x"},
      {"/sub", "/w/sub/"},
      {"./x/../sub", "/w/sub/"},
      {"sub/%C3%A4%20%22%0d%0A", "/w/sub/%C3%A4%20%22%0D%0A/"},
      {"link", "/w/link/"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(responder.Ask(one.target),
              "HTTP/1.1 301 Moved Permanently\r\nServer: quipd\r\n"
              "Location: " +
                  std::string(one.location) + "\r\nContent-Length: 0\r\n" + kDate);
  }
  EXPECT_EQ(responder.Ask("away"), "404: ");
  responder.options.symlinks = config::Symlinks::kOff;
  EXPECT_EQ(responder.Ask("link"), "404: ");
  responder.options.symlinks = config::Symlinks::kAnywhere;
  EXPECT_THAT(responder.Ask("away"), HasSubstr("Location: /w/away/\r\n"));
}

TEST(FileResponder, FallbackStandsForWhatIsMissing) {
  const TempTree tree;
  tree.File("app.html", "app");
  tree.File("a.txt", "a");
  tree.Folder("sub");
  Responder responder(tree.path());
  responder.options.fallback = "app.html";
  for (const char* target : {"none", "none/deep/", "sub/", ".env", "a%2Ftxt", "a.txt/", ""}) {
    const std::string answer = responder.Ask(target);
    EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 200 OK\r\n")) << target;
    EXPECT_THAT(answer, HasSubstr("Content-Type: text/html; charset=utf-8\r\n")) << target;
    EXPECT_THAT(answer, testing::EndsWith("\r\n\r\napp")) << target;
  }
  EXPECT_THAT(responder.Ask("a.txt"), testing::EndsWith("\r\n\r\na"));
  EXPECT_THAT(responder.Ask("sub"), testing::StartsWith("HTTP/1.1 301 "));
  EXPECT_THAT(responder.Ask("none", "Range: bytes=1-1\r\n"), testing::EndsWith("\r\n\r\np"));
  responder.options.fallback = "sub";
  EXPECT_EQ(responder.Ask("none"), "404: ");
  responder.options.fallback = "gone.html";
  EXPECT_EQ(responder.Ask("none"), "404: ");
}

TEST(FileResponder, Listing) {
  const TempTree tree;
  tree.File("sub/a.txt", "hello");
  tree.File("full/index.html", "index");
  Responder responder(tree.path());
  responder.rule.vary = "Origin";
  EXPECT_EQ(responder.Ask("sub/"), "404: ");
  responder.options.listing = true;
  const std::string page = responder.Ask("sub/");
  EXPECT_THAT(page, testing::StartsWith("HTTP/1.1 200 OK\r\nServer: quipd\r\n"
                                        "Content-Type: text/html; charset=utf-8\r\n"));
  EXPECT_THAT(page, HasSubstr("Vary: Origin, Accept\r\n"));
  EXPECT_THAT(page, HasSubstr("<a href=\"../\">"));
  EXPECT_THAT(page, HasSubstr("<h1>/w/sub/</h1>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"a.txt\">a.txt</a>"));
  EXPECT_THAT(page, Not(HasSubstr("ETag")));
  const size_t end = page.find("\r\n\r\n") + 4;
  EXPECT_THAT(page, HasSubstr("Content-Length: " + std::to_string(page.size() - end) + "\r\n"));
  EXPECT_EQ(responder.Ask("sub/", "", "HEAD"), page.substr(0, end));
  EXPECT_THAT(responder.Ask("sub/", "Accept: application/json\r\n"),
              testing::AllOf(HasSubstr("Content-Type: application/json\r\n"),
                             testing::EndsWith(R"([{"name":"a.txt","type":"file","size":5,)"
                                               R"("modified":"2023-11-14T22:13:20Z"}])"
                                               "\n")));
  EXPECT_THAT(responder.Ask(""), Not(HasSubstr("../")));
  EXPECT_THAT(responder.Ask("full/"), testing::EndsWith("\r\n\r\nindex"));
  EXPECT_EQ(responder.Ask("sub/a.txt/"), "404: ");
}

TEST(FileResponder, LiveFile) {
  const TempTree tree;
  tree.File("a.txt", "hello");
  Responder responder(tree.At("a.txt"));
  responder.rule.is_dir = false;
  const std::string plain = responder.Ask("");
  EXPECT_THAT(plain, testing::EndsWith("\r\n\r\nhello"));
  EXPECT_THAT(plain, HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
  EXPECT_THAT(plain, Not(HasSubstr("Vary")));
  EXPECT_EQ(responder.Ask("", "", "POST"), plain);
  EXPECT_THAT(responder.Ask("", "Range: bytes=0-1\r\n"), testing::EndsWith("\r\n\r\nhe"));
  responder.options.status = 503;
  EXPECT_EQ(responder.Ask("", "Range: bytes=0-1\r\nIf-None-Match: *\r\n"),
            "HTTP/1.1 503 Service Unavailable\r\nServer: quipd\r\n"
            "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n" +
                std::string(kDate) + "hello");
  unlink(tree.At("a.txt").c_str());
  EXPECT_EQ(responder.Ask(""), "404: ");
  tree.Fifo("a.txt");
  EXPECT_EQ(responder.Ask(""), "404: ");
}

TEST(FileResponder, WhatTheSystemRefusesIs500AndSaidOnce) {
  const TempTree tree;
  tree.File("\x1B[0mno", "x");
  ASSERT_EQ(chmod(tree.At("\x1B[0mno").c_str(), 0), 0);
  Responder responder(tree.path());
  const int before = setfsuid(65534);
  testing::internal::CaptureStdout();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(responder.Ask("%1B[0mno"), "500: ");
  setfsuid(static_cast<uid_t>(before));
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_THAT(said, HasSubstr(R"(\x1b[0mno": Permission denied)"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 1);
}

TEST(FileResponder, PlainFileTakesNoMemoryOnceWarm) {
  const TempTree tree;
  tree.File("a.txt", "hello");
  tree.File("a.txt.gz", "gz");
  tree.File("a/quite/long/path/to/some/file.css", "hello");
  Responder responder(tree.path());
  for (const bool warm : {false, true}) {
    for (const char* fields : {"", "Accept-Encoding: gzip, br\r\n", "If-None-Match: \"x\"\r\n",
                               "Range: bytes=0-1\r\n"}) {
      for (const char* target : {"a.txt", "a/quite/long/path/to/some/file.css", "none"}) {
        EXPECT_NE(responder.Ask(target, fields), "");
        EXPECT_TRUE(!warm || responder.allocated() == 0) << target << fields;
      }
    }
  }
}

}  // namespace
}  // namespace quipd::server
