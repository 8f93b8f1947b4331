// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "config/value.h"
#include "unit/config/value_text.h"

namespace quipd::config {
namespace {

ParsedDocument Parse(std::string bytes) {
  return ParseRoutesConf(std::make_shared<const Source>("routes.conf", "", std::move(bytes)));
}

TEST(RoutesConf, LinesAreRules) {
  struct Case {
    const char* line;
    const char* rule;
  };
  const Case kCases[] = {
      {"GET / echo: Hello World!", "{GET / echo: |Hello World!}"},
      {"GET / echo:Hello World!", "{GET / echo: |Hello World!}"},
      {"GET  /\techo:   Hello\t", "{GET  /\techo: |Hello}"},
      {"  GET / echo: x\r", "{GET / echo: |x}"},
      {"* /x echo: y", "{GET,POST,PUT,PATCH,DELETE /x echo: |y}"},
      {"GET / echo: a: b # c \"d\" '{", "{GET / echo: |a: b # c \"d\" '{}"},
      {"GET /a/{id}:x json: {\"a\": 1}", "{GET /a/{id}:x json: |{\"a\": 1}}"},
      {"GET / status: 418", "{GET / status: |418}"},
      {"GET /m moved: https://x/", "{GET /m moved: |https://x/}"},
      {"GET / echo:", "{GET / echo: <missing>}"},
      {"GET / echo : x", "{GET / echo: |x}"},
      {"GET / echo: #x", "{GET / echo: |#x}"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.line);
    const ParsedDocument parsed = Parse(std::string("# c\n\n  # d\n") + test.line + "\n");
    ASSERT_TRUE(parsed.document);
    EXPECT_EQ(ToText(parsed.diagnostics), "");
    EXPECT_EQ(TextOf(parsed.document->root()), "{routes: [" + std::string(test.rule) + "]}");
    EXPECT_EQ(parsed.document->root().members[0].value.items[0].mark.line, 3u);
  }
}

TEST(RoutesConf, WhatIsNotServedIsRefusedAtItsPlace) {
  struct Case {
    const char* line;
    const char* text;
  };
  const Case kCases[] = {
      {"GET /a/:id/b echo: x",
       "routes.conf:1:8: error: a segment can't begin with a colon\n"
       "    GET /a/:id/b echo: x\n           ^\n  hint: write {id}, or %3A for a colon\n"},
      {"GET /a/... echo: x",
       "routes.conf:1:8: error: /... names no parameter\n"
       "    GET /a/... echo: x\n           ^\n  hint: write {rest...}\n"},
      {"GET /a/{<[0-9]+>id} echo: x",
       "routes.conf:1:8: error: a constraint in {<...>name} is not served yet\n"
       "    GET /a/{<[0-9]+>id} echo: x\n           ^\n  hint: write {id}\n"},
      {"GET /a redirectdir: /b",
       "routes.conf:1:8: error: redirectdir is not served\n"
       "    GET /a redirectdir: /b\n           ^\n"
       "  hint: write moved with {{rest}}, as in GET /a/{rest...} moved: /b/{{rest}}\n"},
      {"GET /a externalfile: /b",
       "routes.conf:1:8: error: externalfile is not served\n"
       "    GET /a externalfile: /b\n           ^\n"
       "  hint: write file, or dir for a directory, with the path from this file's folder or from "
       "/\n"},
      {"GET /a resource: b",
       "routes.conf:1:8: error: resource is not served\n"
       "    GET /a resource: b\n           ^\n"
       "  hint: write file, or dir for a directory, with the path from this file's folder or from "
       "/\n"},
      {"GET /a ws: b",
       "routes.conf:1:8: error: ws is not served\n"
       "    GET /a ws: b\n           ^\n  hint: quipd serves no WebSocket\n"},
      {"GET /a app.Hello.world",
       "routes.conf:1:8: error: quipd can't call the controller app.Hello.world\n"
       "    GET /a app.Hello.world\n           ^\n"
       "  hint: write what it answers, as in GET /a echo: text\n"},
      {"GET /a echo Hello",
       "routes.conf:1:8: error: a colon is missing after echo\n"
       "    GET /a echo Hello\n           ^\n"
       "  hint: METHODS PATH ACTION: payload; a blank in a path is written %20\n"},
      {"GET /a echo",
       "routes.conf:1:12: error: a colon and a payload are missing after echo\n"
       "    GET /a echo\n               ^\n  hint: as in GET /a echo: text\n"},
      {"GET /a",
       "routes.conf:1:1: error: a line must be METHODS PATH ACTION: payload\n"
       "    GET /a\n    ^\n  hint: as in GET /hello echo: Hello World!\n"},
      {"/a echo: x",
       "routes.conf:1:1: error: a line must be METHODS PATH ACTION: payload\n"
       "    /a echo: x\n    ^\n  hint: as in GET /hello echo: Hello World!\n"},
      {"GET /a redirect: /b",
       "routes.conf:1:8: warning: redirect is answered with 302, where ActFramework sends 301\n"
       "    GET /a redirect: /b\n           ^\n  hint: write moved for 301\n"},
      {"# c", "routes.conf:1:1: error: the configuration is empty\n    # c\n    ^\n"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.line);
    EXPECT_EQ(ToText(Parse(test.line).diagnostics), test.text);
  }
}

TEST(RoutesConf, AllFaultsAreToldUpToABound) {
  EXPECT_EQ(Parse("GET /a ws: b\nGET /b echo: x\nGET /c\n").diagnostics.size(), 2u);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "GET /c\n";
  EXPECT_EQ(Parse(many).diagnostics.size(), 100u);
}

TEST(RoutesConf, BadBytesAreNamed) {
  EXPECT_EQ(ToLine(Parse("GET / echo: \xFF").diagnostics.at(0)),
            "routes.conf:1:13: error: byte 0xFF is not valid UTF-8");
}

}  // namespace
}  // namespace quipd::config
