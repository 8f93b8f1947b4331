// SPDX-License-Identifier: MIT
// Which names a listing shows, in which order, and its bytes.
#include "server/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "http/accept.h"
#include "server/file_text.h"
#include "unit/server/temp_tree.h"

namespace quipd::server {
namespace {

using config::Symlinks;
using testing::ElementsAre;
using testing::HasSubstr;

Listing Read(const TempTree& tree, const std::string& name, Symlinks links = Symlinks::kInside,
             bool dotfiles = false) {
  Folder folder(tree.path(), links);
  FileDescriptor directory;
  EXPECT_EQ(folder.OpenDirectory(name, &directory).kind, FileState::Kind::kDirectory);
  Listing listing = ReadListing(&folder, name, std::move(directory), dotfiles);
  EXPECT_EQ(listing.error, 0);
  EXPECT_FALSE(listing.is_cut);
  return listing;
}

std::vector<std::string> NamesOf(const Listing& listing) {
  std::vector<std::string> names;
  for (const ListedFile& file : listing.files) {
    names.push_back(file.name + (file.is_directory ? "/" : ""));
  }
  return names;
}

TEST(Listing, ShowsWhatWouldBeServed) {
  const TempTree tree;
  tree.File("outside", "x");
  tree.File("www/b", "x");
  tree.File("www/B", "x");
  tree.File("www/a.gz", "x");
  tree.File("www/.hidden", "x");
  tree.File("www/sub/c", "x");
  tree.Folder("www/.git");
  tree.Folder("www/Zoo");
  tree.Fifo("www/fifo");
  tree.Link("www/to_b", "b");
  tree.Link("www/to_sub", "sub");
  tree.Link("www/sub/up", "../b");
  tree.Link("www/sub/out", "../../outside");
  tree.Link("www/out", "../outside");
  tree.Link("www/dangling", "nothing");
  tree.Link("www/to_fifo", "fifo");
  tree.Link("www/to_git", ".git");
  struct Case {
    Symlinks links;
    bool dotfiles;
    std::vector<std::string> names;
    std::vector<std::string> below;
  };
  const Case cases[] = {
      {Symlinks::kOff, false, {"Zoo/", "sub/", "B", "a.gz", "b"}, {"c"}},
      {Symlinks::kInside,
       false,
       {"Zoo/", "sub/", "to_git/", "to_sub/", "B", "a.gz", "b", "to_b"},
       {"c", "up"}},
      {Symlinks::kAnywhere,
       true,
       {".git/", "Zoo/", "sub/", "to_git/", "to_sub/", ".hidden", "B", "a.gz", "b", "out", "to_b"},
       {"c", "out", "up"}},
  };
  for (const Case& one : cases) {
    Folder folder(tree.At("www"), one.links);
    for (const bool below : {false, true}) {
      const std::string name = below ? "sub/" : "";
      FileDescriptor directory;
      ASSERT_EQ(folder.OpenDirectory(name, &directory).kind, FileState::Kind::kDirectory);
      const Listing listing = ReadListing(&folder, name, std::move(directory), one.dotfiles);
      EXPECT_EQ(NamesOf(listing), below ? one.below : one.names);
    }
  }
}

TEST(Listing, RowsOfThePage) {
  const TempTree tree;
  tree.File("a b", std::string(1023, 'x'), 0);
  tree.File("\"<&>'", std::string(1536, 'x'), 951'782'399);
  tree.File("100%", "", 951'782'400);
  tree.File("line\nbreak", "x");
  tree.File("\xFF\xC3\xA4:", std::string(20'480, 'x'));
  tree.Folder("sub\\dir");
  std::string page;
  AppendHtmlListing(Read(tree, ""), std::string("/<a>\0b\xFF/", 8), true, &page);
  EXPECT_EQ(page.substr(page.find("<tbody>")),
            "<tbody>\n"
            "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n"
            "<tr><td><a href=\"sub%5Cdir/\">sub\\dir/</a></td><td></td>"
            "<td>2023-11-14 22:13:20</td></tr>\n"
            "<tr><td><a href=\"%22%3C%26%3E%27\">&quot;&lt;&amp;&gt;&#39;</a></td><td>1.5 KiB</td>"
            "<td>2000-02-28 23:59:59</td></tr>\n"
            "<tr><td><a href=\"100%25\">100%</a></td><td>0 B</td>"
            "<td>2000-02-29 00:00:00</td></tr>\n"
            "<tr><td><a href=\"a%20b\">a b</a></td><td>1023 B</td>"
            "<td>1970-01-01 00:00:00</td></tr>\n"
            "<tr><td><a href=\"line%0Abreak\">line\xEF\xBF\xBD"
            "break</a></td><td>1 B</td><td>2023-11-14 22:13:20</td></tr>\n"
            "<tr><td><a href=\"%FF%C3%A4%3A\">\xEF\xBF\xBD\xC3\xA4:</a></td><td>20 KiB</td>"
            "<td>2023-11-14 22:13:20</td></tr>\n"
            "</tbody>\n</table>\n</body>\n</html>\n");
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset="));
  EXPECT_THAT(page, HasSubstr("<title>/&lt;a&gt;/b\xEF\xBF\xBD/</title>"));
  EXPECT_THAT(page, HasSubstr("<h1>/&lt;a&gt;/b\xEF\xBF\xBD/</h1>"));

  std::string root;
  AppendHtmlListing({}, "/", false, &root);
  EXPECT_EQ(root.substr(root.find("<tbody>")), "<tbody>\n</tbody>\n</table>\n</body>\n</html>\n");
}

TEST(Listing, Json) {
  const TempTree tree;
  tree.File("\"\\\n\xFF\xC3\xA4", "12345", 951'782'400);
  tree.Folder("sub", -1);
  std::string text;
  const Listing listing = Read(tree, "");
  AppendJsonListing(listing, &text);
  EXPECT_EQ(text, R"([{"name":"sub","type":"directory","modified":"1969-12-31T23:59:59Z"},)"
                  R"({"name":"\"\\\u000a)"
                  "\xEF\xBF\xBD\xC3\xA4"
                  R"(","type":"file","size":5,"modified":"2000-02-29T00:00:00Z"}])"
                  "\n");
  EXPECT_TRUE(nlohmann::json::accept(text));
  text.clear();
  AppendJsonListing({}, &text);
  EXPECT_EQ(text, "[]\n");
}

TEST(Listing, IsCutWhereItIsTooLong) {
  const TempTree tree;
  for (size_t i = 0; i <= Listing::kMost; ++i) {
    ASSERT_EQ(symlink("..", tree.At("l" + std::to_string(i)).c_str()), 0);
  }
  tree.Folder("real");
  Folder folder(tree.path(), Symlinks::kAnywhere);
  FileDescriptor directory;
  ASSERT_EQ(folder.OpenDirectory("", &directory).kind, FileState::Kind::kDirectory);
  const Listing listing = ReadListing(&folder, "", std::move(directory), false);
  EXPECT_EQ(listing.files.size(), Listing::kMost);
  EXPECT_TRUE(listing.is_cut);
  std::string page;
  AppendHtmlListing(listing, "/", false, &page);
  EXPECT_THAT(page, HasSubstr("There are more"));
}

TEST(Listing, JsonIsChosenByAccept) {
  struct Case {
    const char* accept;
    bool json;
  };
  const Case cases[] = {
      {"", false},
      {"Accept: */*\r\n", false},
      {"Accept: application/json\r\n", true},
      {"accept: APPLICATION/JSON;charset=utf-8\r\n", true},
      {"Accept: application/json, text/html\r\n", false},
      {"Accept: text/html;q=0.9, application/json\r\n", true},
      {"Accept: text/html, application/json;q=0.9\r\n", false},
      {"Accept: application/json, text/plain, */*\r\n", true},
      {"Accept: application/json;q=0.5, */*\r\n", false},
      {"Accept: application/*\r\n", true},
      {"Accept: text/*\r\n", false},
      {"Accept: application/json;q=0\r\n", false},
      {"Accept: application/json;q=x\r\n", false},
      {"Accept: text/html;q=0\r\nAccept: */*\r\n", true},
      {"Accept: application/xml\r\nAccept: application/json\r\n", true},
      {"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8\r\n",
       false},
      {"Accept: image/png\r\n", false},
      {"Accept: ,;,\r\n", false},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(http::PrefersJson(one.accept), one.json) << one.accept;
  }
}

TEST(FileText, IsSafeInALog) {
  EXPECT_EQ(QuotedForLog("/a b/\xC3\xA4"), "\"/a b/\xC3\xA4\"");
  EXPECT_EQ(QuotedForLog("a\n\x1B\"\\\xFF"), R"("a\x0a\x1b\x22\x5c\xff")");
  EXPECT_EQ(QuotedForLog(std::string(1000, 'x')), "\"" + std::string(200, 'x') + "\"...");
}

}  // namespace
}  // namespace quipd::server
