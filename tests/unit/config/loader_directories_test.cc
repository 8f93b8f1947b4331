// SPDX-License-Identifier: MIT
// What is not held in memory, as Load reads it: directories, large files, their options, `types`
// and the pairs of `tls`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "unit/config/load_text.h"

namespace quipd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Good {
  const char* yaml;
  const char* rules;
};

struct Bad {
  const char* yaml;
  std::vector<const char*> said;  // the beginning of each, in order
};

void FillFolder(const Folder& folder) {
  folder.Write("site/index.html", "<h1>Home</h1>");
  folder.Write("site/app/shell.html", "<h1>App</h1>");
  folder.Write("small.txt", "0123456789");
  folder.Write("large.txt", std::string(3000, 'x'));
  folder.Write("{{id}}.html", "<p>{{id}}");
  ASSERT_EQ(mkfifo("pipe", 0600), 0);
}

void ExpectRules(const std::vector<Good>& cases) {
  const Folder folder;
  FillFolder(folder);
  for (const Good& one : cases) {
    SCOPED_TRACE(one.yaml);
    const Loaded loaded = LoadText(folder, one.yaml);
    EXPECT_EQ(RulesOf(loaded), one.rules);
    EXPECT_THAT(SaidBy(loaded), IsEmpty());
  }
}

void ExpectSaid(const std::vector<Bad>& cases) {
  const Folder folder;
  FillFolder(folder);
  for (const Bad& one : cases) {
    SCOPED_TRACE(one.yaml);
    const std::vector<std::string> said = SaidBy(LoadText(folder, one.yaml));
    EXPECT_EQ(said.size(), one.said.size()) << ::testing::PrintToString(said);
    for (size_t i = 0; i < std::min(said.size(), one.said.size()); ++i) {
      EXPECT_THAT(said[i], ::testing::StartsWith(one.said[i]));
    }
  }
}

TEST(LoaderDirectories, AreRead) {
  ExpectRules({
      {"routes: [GET / dir: site]", "GET / dir 200 [] at site\n"},
      {"routes: [GET /a/ dir: ./site/]", "GET /a/ dir 200 [] at ./site/\n"},
      {"routes:\n  - GET /a/ dir: site\n    listing: on\n    dotfiles: on\n    symlinks: off\n"
       "    fallback: app/shell.html\n    etag: off\n    compress: off\n    cache: 1h\n"
       "    type: text/x\n    headers: {X: 1}\n",
       "GET /a/ dir 200 [] at site type=text/x cache=max-age=3600 {X: 1} no-etag no-codings "
       "listing "
       "dotfiles no-links fallback=app/shell.html\n"},
      {"routes:\n  - GET /a/ dir: site\n    symlinks: anywhere\n  - GET /b/ dir: site\n"
       "    symlinks: inside\n",
       "GET /a/ dir 200 [] at site all-links\nGET /b/ dir 200 [] at site\n"},
      {"routes:\n  - prefix: /u/{id}\n    routes: [GET /files/ dir: site]\n",
       "GET /u/{id}/files/ dir 200 [] at site\n"},
      // What a group says of directories and codings is skipped where it does not fit.
      {"routes:\n  - listing: on\n    fallback: index.html\n    symlinks: off\n    etag: off\n"
       "    compress: off\n    template: on\n    status: 201\n    query: drop\n    routes:\n"
       "      - GET /a/ dir: site\n      - GET /b echo: x\n      - GET /c redirect: /x\n"
       "      - GET /d status: 404\n",
       "GET /a/ dir 200 [] at site no-etag no-codings listing no-links fallback=index.html\n"
       "GET /b echo 201 [x] template no-etag no-codings\n"
       "GET /c redirect 302 [/x] template drop\nGET /d status 404 [404] template\n"},
  });
}

// The path of a dir is that of a `{name...}` without a name.
TEST(LoaderDirectories, PathsMatchAllBelow) {
  const Folder folder;
  FillFolder(folder);
  const Loaded loaded = LoadText(folder,
                                 "routes:\n  - GET / dir: site\n  - GET /a/b%20c/ dir: site\n"
                                 "  - GET /{id}/x-{n}/ dir: site\n");
  ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
  std::vector<std::string> paths;
  for (const Rule& rule : loaded.config->rules) {
    std::string text = rule.path.written + " =";
    EXPECT_EQ(rule.path.canonical, "");
    for (const Segment& segment : rule.path.segments) {
      text += " " + std::to_string(static_cast<int>(segment.kind)) + ":" + segment.before + "," +
              segment.name;
    }
    paths.push_back(text);
  }
  EXPECT_THAT(paths, ElementsAre("/ = 3:,", "/a/b%20c/ = 0:a, 0:b c, 3:,",
                                 "/{id}/x-{n}/ = 2:,id 1:x-,n 3:,"));
}

TEST(LoaderDirectories, FaultsOfTheRule) {
  ExpectSaid({
      {"routes:\n  - GET /a dir: site\n",
       {"2:9 the path of a dir ends in / | write /a/: it matches all below it"}},
      {"routes:\n  - GET /a/{rest...} dir: site\n",
       {"2:9 the path of a dir ends in / | write /a/: it matches all below it"}},
      {"routes:\n  - GET /a/{name} dir: site\n",
       {"2:9 the path of a dir ends in / | write /a/{name}/: it matches all below it"}},
      {"routes:\n  - ANY /a/ dir: site\n  - GET,HEAD /b/ dir: site\n  - POST /c dir: site\n",
       {"2:5 dir answers GET alone | write GET: HEAD is answered wherever GET is",
        "3:5 dir answers GET alone", "4:5 dir answers GET alone",
        "4:10 the path of a dir ends in /"}},
      {"routes:\n  - GET /a/ dir: gone\n  - GET /b/ dir: small.txt\n  - GET /c/ dir: pipe\n"
       "  - GET /d/ dir: \"\"\n  - GET /e/ dir: small.txt/x\n",
       {"2:18 dir: can't read gone: no such file or directory",
        "3:18 dir: can't read small.txt: it is a file | the action file serves a single file",
        "4:18 dir: can't read pipe: it is a FIFO", "5:18 dir: the path is empty",
        "6:18 dir: can't read small.txt/x: not a directory"}},
      {"routes:\n  - GET / dir:\n  - GET /b/ dir: [a]\n",
       {"2:5 dir: the path is missing", "3:18 dir: text is due here, not a list"}},
      {"routes:\n  - GET / dir: site\n    status: 200\n    template: on\n    query: drop\n",
       {"3:5 the option status does not fit the action dir",
        "4:5 the option template does not fit the action dir",
        "5:5 the option query does not fit the action dir"}},
      {"routes:\n  - GET / echo: x\n    listing: off\n    dotfiles: on\n    symlinks: inside\n"
       "    fallback: x\n",
       {"3:5 the option listing does not fit the action echo",
        "4:5 the option dotfiles does not fit", "5:5 the option symlinks does not fit",
        "6:5 the option fallback does not fit"}},
      {"routes:\n  - GET / dir: site\n    symlinks: yes\n    listing: maybe\n",
       {"3:15 symlinks: \"yes\" is none of off, inside and anywhere",
        "4:14 listing: \"maybe\" is neither on nor off"}},
      {"errors: {404: {dir: site, etag: off}}\n",
       {"1:10 errors: 404 has no action", "1:16 unknown option \"dir\"",
        "1:27 unknown option \"etag\""}},
  });
}

TEST(LoaderDirectories, FaultsOfTheFallback) {
  ExpectSaid({
      {"routes:\n  - GET / dir: site\n    fallback: /index.html\n",
       {"3:15 fallback: the file is inside the directory | it is named from the directory on"}},
      {"routes:\n  - GET / dir: site\n    fallback: app/../../small.txt\n",
       {"3:19 fallback: the file is inside the directory: no .. is possible"}},
      {"routes:\n  - GET / dir: site\n    fallback: \"\"\n", {"3:15 fallback: the path is empty"}},
      {"routes:\n  - GET / dir: site\n    fallback: app/\n",
       {"3:15 fallback: a path that ends in / is no file's"}},
      {"routes:\n  - GET / dir: site\n    fallback: gone.html\n",
       {"3:15 fallback: can't read site/gone.html: no such file or directory"}},
      {"routes:\n  - GET / dir: site\n    fallback: app\n",
       {"3:15 fallback: can't read site/app: it is a directory"}},
      // Inherited, it is missed where the directory is named.
      {"routes:\n  - fallback: gone.html\n    routes:\n      - GET / dir: site\n",
       {"4:20 fallback: can't read site/gone.html: no such file or directory"}},
      {"routes:\n  - GET / dir: gone\n    fallback: gone.html\n",
       {"2:16 dir: can't read gone: no such file or directory"}},
  });
}

TEST(LoaderDirectories, RightsAreAskedFor) {
  const Folder folder;
  FillFolder(folder);
  ASSERT_EQ(chmod(".", 0777), 0);
  const bool root = geteuid() == 0;  // who may read everything
  constexpr uid_t kNobody = 65534;
  struct Case {
    const char* path;
    mode_t mode;
    const char* yaml;
    std::vector<std::string> said;
  };
  const Case kCases[] = {
      {"site", 0666, "routes: [GET / dir: site]", {"1:21 dir: can't read site: permission denied"}},
      {"site", 0111, "routes: [GET / dir: site]", {}},
      {"site",
       0111,
       "routes: [{GET / dir: site, listing: on}]",
       {"1:22 dir: can't read site: permission denied"}},
      {"large.txt",
       0222,
       "limits: {inline_file: 9B}\nroutes: [GET / file: large.txt]",
       {"2:22 file: can't read large.txt: permission denied"}},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.yaml);
    ASSERT_EQ(chmod(one.path, one.mode), 0);
    ASSERT_EQ(seteuid(root ? kNobody : geteuid()), 0);
    EXPECT_EQ(SaidBy(LoadText(folder, one.yaml)), one.said);
    ASSERT_EQ(seteuid(getuid()), 0);
    ASSERT_EQ(chmod(one.path, 0777), 0);
  }
}

TEST(LoaderLargeFiles, AreOpenedForEachRequest) {
  const Folder folder;
  FillFolder(folder);
  const Loaded loaded =
      LoadText(folder,
               "limits: {inline_file: 2999B}\nroutes:\n  - GET / file: small.txt\n"
               "  - POST /b file: large.txt\n    status: 404\n    etag: off\n");
  EXPECT_EQ(RulesOf(loaded),
            "GET / file 200 [0123456789]\nPOST /b file 404 [] at large.txt no-etag\n");
  EXPECT_EQ(RulesOf(LoadText(folder, "limits: {inline_file: 0B}\nroutes: [GET / file: small.txt]")),
            "GET / file 200 [] at small.txt\n");
}

TEST(LoaderLargeFiles, Faults) {
  ExpectSaid({
      {"limits: {inline_file: 9B}\nroutes:\n  - GET / file: small.txt\n    template: on\n",
       {"3:17 file: small.txt has 10 bytes: a file above limits.inline_file can't be a template | "
        "limits.inline_file is 9 bytes"}},
      {"limits: {inline_file: 9B}\nerrors: {404: {file: small.txt}}\n",
       {"2:22 file: small.txt has 10 bytes: a file above limits.inline_file can't answer errors | "
        "limits.inline_file is 9 bytes"}},
      {"routes:\n  - GET / file: site\n  - GET /b file: pipe\n  - GET /c file: /dev/null\n"
       "  - GET /d file: gone\n",
       {"2:17 file: can't read site: it is a directory | the action dir serves what is in a "
        "directory",
        "3:18 file: can't read pipe: it is a FIFO",
        "4:18 file: can't read /dev/null: it is a device",
        "5:18 file: can't read gone: no such file or directory"}},
  });
}

TEST(LoaderTypes, AreLaidOver) {
  const Folder folder;
  folder.Write("more.yaml", "types: {X: text/two, z: 'text/z; charset=x'}\n");
  const Loaded loaded =
      LoadText(folder, "include: more.yaml\ntypes: {x: text/one, WebP: image/webp, 7z: a/b}\n");
  ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
  EXPECT_THAT(loaded.config->types,
              ElementsAre(std::pair("7z", "a/b"), std::pair("webp", "image/webp"),
                          std::pair("x", "text/two"), std::pair("z", "text/z; charset=x")));
  ExpectSaid({
      {"types: {.x: text/x, tar.gz: a/b, y.: a/b}\n",
       {"1:9 types: the extension \".x\" holds a dot | write x: what stands behind the last dot",
        "1:21 types: the extension \"tar.gz\" holds a dot | write gz",
        "1:34 types: the extension \"y.\" holds a dot"}},
      {"types: {x: text/x, X: text/y}\n",
       {"1:20 types: the extension \"x\" is there twice | upper and lower case are the same"}},
      {"types: {x: javascript, \"\": a/b, a/b: a/b, c: \"a/b\\x01\", d: [a/b], e: }\n",
       {"1:12 types: \"javascript\" is no media type | such as: text/plain; charset=utf-8",
        "1:24 types: \"\" is no extension", "1:33 types: \"a/b\" is no extension",
        "1:50 types.c: a header has no control characters", "1:60 types.d: text is due here",
        "1:67 \"e\" has no value"}},
      {"types: text/x\n", {"1:8 types: a mapping is due here, not text"}},
  });
}

TEST(LoaderTls, Pairs) {
  const Folder folder;
  folder.Write("etc/q.yaml",
               "listen:\n  - {address: 8443, tls: {certificate: a.pem, key: /k/a.key}}\n"
               "  - address: unix:x.sock\n    tls:\n      - {certificate: a.pem, key: a.pem}\n"
               "      - {key: \"${KEY}\", certificate: b.pem}\n  - 8080\n");
  LoadRequest request = Request({{"KEY", "b.key"}});
  request.file = "etc/q.yaml";
  const Loaded loaded = Load(request);
  ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
  std::vector<std::string> pairs;
  for (const Listener& listener : loaded.config->listeners) {
    for (const TlsPair& pair : listener.tls) {
      pairs.push_back(listener.written + " " + pair.certificate + " " + pair.key + " " +
                      loaded.config->Where(pair.key_place));
    }
  }
  EXPECT_THAT(pairs, ElementsAre("8443 etc/a.pem /k/a.key etc/q.yaml:2",
                                 "unix:x.sock etc/a.pem etc/a.pem etc/q.yaml:5",
                                 "unix:x.sock etc/b.pem etc/b.key etc/q.yaml:6"));
  EXPECT_THAT(loaded.config->inputs, ElementsAre("etc/q.yaml", "etc/a.pem", "/k/a.key", "etc/a.pem",
                                                 "etc/a.pem", "etc/b.pem", "etc/b.key"));
}

TEST(LoaderTls, Faults) {
  ExpectSaid({
      {"listen: {address: 443, tls: on}\n", {"1:29 tls: a mapping is due here, not text"}},
      {"listen: {address: 443, tls: []}\n", {"1:29 tls: the list is empty"}},
      {"listen: {address: 443, tls: {}}\n",
       {"1:29 tls: the certificate is missing | tls is {certificate: FILE, key: FILE}",
        "1:29 tls: the key is missing"}},
      {"listen: {address: 443, tls: [{certificate: a.pem}, x]}\n",
       {"1:30 tls: the key is missing", "1:52 tls: a mapping is due here, not text"}},
      {"listen: {address: 443, tls: {certificate: \"\", key: [k], cert: x}}\n",
       {"1:43 tls.certificate: the path is empty", "1:52 tls.key: text is due here, not a list",
        "1:57 unknown key \"cert\""}},
      {"listen: {address: 443, tls: {certificate, key: k}}\n",
       {"1:30 \"certificate\" has no value | a comma in {...}"}},
      {"listen: {address: 443, certificate: c}\n",
       {"1:24 unknown key \"certificate\" | \"certificate\" stands in tls of a mapping of listen"}},
      {"listen: {address: 443, tls: {certificate: c, key: k, min_version: 1.3}}\n",
       {"1:54 \"min_version\" is reserved and not yet served"}},
  });
}

}  // namespace
}  // namespace quipd::config
