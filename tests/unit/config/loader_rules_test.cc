// SPDX-License-Identifier: MIT
// Rules, groups and their options as Load reads them. The numbers are those of the questions that
// the language's details answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/config/load_text.h"

namespace quipd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Good {
  const char* question;
  const char* yaml;
  const char* rules;
};

void ExpectRules(const std::vector<Good>& cases) {
  const Folder folder;
  folder.Write("page.html", "<b>{{id}}</b>");
  folder.Write("x.png", "png");
  for (const Good& one : cases) {
    SCOPED_TRACE(std::string(one.question) + "\n" + one.yaml);
    const Loaded loaded = LoadText(folder, one.yaml);
    EXPECT_EQ(RulesOf(loaded), one.rules);
    EXPECT_THAT(SaidBy(loaded), IsEmpty());
  }
}

TEST(LoaderRules, AreRead) {
  ExpectRules({
      {"1", "routes:\n- GET / echo: Hello World!\n", "GET / echo 200 [Hello World!]\n"},
      {"1", "routes:\n  - GET\t/  echo: x\n", "GET / echo 200 [x]\n"},
      {"4", "routes: [GET /caf%C3%A9 echo: x]", "GET /caf%C3%A9 echo 200 [x]\n"},
      {"7", "routes:\n  - ANY /x{y} status: 204\n", "ANY /x{y} status 204 [204]\n"},
      {"10", "routes:\n  - cache: 1h\n    GET / echo: x\n    status: 201\n",
       "GET / echo 201 [x] cache=max-age=3600\n"},
      {"10", "routes: [{GET / echo: x, cache: off}, GET /b echo: y]",
       "GET / echo 200 [x] cache=no-store\nGET /b echo 200 [y]\n"},
      {"10", "routes:\n  - ? GET / echo\n    : x\n", "GET / echo 200 [x]\n"},
      {"10", "routes:\n  - \"GET / echo\": x\n  - GET /b echo : y\n",
       "GET / echo 200 [x]\nGET /b echo 200 [y]\n"},
      {"12",
       "listen: [{address: 8081, name: in}]\nroutes:\n  - GET / echo: x\n    host: A.example.\n"
       "    listener: in\n    override: on\n",
       "GET / echo 200 [x] host=a.example listener=0 override\n"},
      {"14", "routes:\n  - GET / redirect: /x\n    status: 308\n  - GET /b moved: /y\n",
       "GET / redirect 308 [/x]\nGET /b moved 301 [/y]\n"},
      {"15", "routes:\n  - GET / status: 299\n  - GET /b echo: x\n    status: 599\n",
       "GET / status 299 [299]\nGET /b echo 599 [x]\n"},
      {"16", "routes:\n  - GET / echo: \"\"\n", "GET / echo 200 []\n"},
      {"18", "routes:\n  - GET / status: 404\n  - GET /b echo: x\n    status: 404\n",
       "GET / status 404 [404]\nGET /b echo 404 [x]\n"},
      {"19", "routes:\n  - GET / echo: x\n    type: text/css\n",
       "GET / echo 200 [x] type=text/css\n"},
      {"20", "routes:\n  - GET / echo: x\n    headers: {content-type: text/css}\n",
       "GET / echo 200 [x] type=text/css\n"},
      {"22",
       "routes:\n  - GET / echo: x\n    headers: {Server: s, Location: l, ETag: e, Vary: v}\n",
       "GET / echo 200 [x] {Server: s} {Location: l} {ETag: e} {Vary: v}\n"},
      {"23", "routes:\n  - GET / echo: x\n    headers: {Link: [a, b], X: 1}\n",
       "GET / echo 200 [x] {Link: a} {Link: b} {X: 1}\n"},
      {"28", "routes:\n  - GET / echo: x\n    cache: off\n", "GET / echo 200 [x] cache=no-store\n"},
      {"28", "routes:\n  - GET / status: 404\n    cache: 90s\n",
       "GET / status 404 [404] cache=max-age=90\n"},
      {"31", "routes:\n  - GET / echo: x\n    name: home\n", "GET / echo 200 [x] name=home\n"},
      {"39", "routes:\n  - POST / file: x.png\n", "POST / file 200 [png]\n"},
      {"44", "routes:\n  - GET /l health: live\n  - GET /r health: ready\n",
       "GET /l health 200 [live]\nGET /r health 200 [ready]\n"},
      {"45", "routes:\n  - ANY / reflect: json\n  - ANY /t reflect: text\n",
       "ANY / reflect 200 [json]\nANY /t reflect 200 [text]\n"},
      {"on/off", "routes:\n  - GET / redirect: /x\n    query: drop\n",
       "GET / redirect 302 [/x] drop\n"},
      {"text as written",
       "routes:\n  - GET /1 echo: no\n  - GET /2 echo: 0123\n  - GET /3 echo: 1e3\n"
       "  - GET /4 echo: 12:30\n  - GET /5 echo: .inf\n  - GET /6 echo: ${X} %s \\\n",
       "GET /1 echo 200 [no]\nGET /2 echo 200 [0123]\nGET /3 echo 200 [1e3]\nGET /4 echo 200 "
       "[12:30]\n"
       "GET /5 echo 200 [.inf]\nGET /6 echo 200 [${X} %s \\]\n"},
  });
}

TEST(LoaderRules, PayloadsOfJson) {
  ExpectRules({
      {"33",
       "routes:\n  - GET / json: [1.50, -0, 1e3, true, 0123, no, True, .5, 2024-01-01, \"1\"]\n",
       "GET / json 200 "
       "[[1.50,-0,1e3,true,\"0123\",\"no\",\"True\",\".5\",\"2024-01-01\",\"1\"]]\n"},
      {"33", "routes:\n  - GET /1 json: 12\n  - GET /2 json: true\n  - GET /3 json: null\n",
       "GET /1 json 200 [12]\nGET /2 json 200 [true]\nGET /3 json 200 [null]\n"},
      {"33", "routes:\n  - GET / json: {a: null, b: ~}\n",
       "GET / json 200 [{\"a\":null,\"b\":\"~\"}]\n"},
      {"34", "routes:\n  - GET / json: '\"hello\"'\n", "GET / json 200 [\"hello\"]\n"},
      {"35", "routes:\n  - GET / json: {z: 1, a: {2: x}}\n",
       "GET / json 200 [{\"z\":1,\"a\":{\"2\":\"x\"}}]\n"},
      {"36", "routes:\n  - GET / json: |\n      { \"a\" : 1 }\n",
       "GET / json 200 [{ \"a\" : 1 }\n]\n"},
      {"strings", "routes:\n  - GET / json: [\"a\\\"b\\\\c\\n\\t\\x01/é\"]\n",
       "GET / json 200 [[\"a\\\"b\\\\c\\n\\t\\u0001/é\"]]\n"},
      {"empty", "routes:\n  - GET / json: {}\n  - GET /b json: []\n",
       "GET / json 200 [{}]\nGET /b json 200 [[]]\n"},
      {"under the dash", "routes:\n  - GET / json:\n    - id: 1\n    - id: 2\n",
       "GET / json 200 [[{\"id\":1},{\"id\":2}]]\n"},
  });
}

TEST(LoaderRules, Placeholders) {
  ExpectRules({
      {"48", "routes:\n  - GET /docs/{rest...} moved: https://d.example/{{rest}}\n",
       "GET /docs/{rest...} moved 301 [https://d.example/{{rest}}] "
       "<0:https://d.example/><1#0:rest>\n"},
      {"47", "routes:\n  - GET / redirect: /ü\n", "GET / redirect 302 [/%C3%BC]\n"},
      {"52", "routes:\n  - GET /{a} echo: '{{a}} {{host}} {{query.q}}'\n    template: on\n",
       "GET /{a} echo 200 [{{a}} {{host}} {{query.q}}] <1#0:a><0: ><2:><0: ><7:q> template\n"},
      {"54", "routes:\n  - GET / echo: 'a {{{{ b'\n    template: on\n",
       "GET / echo 200 [a {{{{ b] <0:a {{ b> template\n"},
      {"55", "routes:\n  - GET /{a} json: {\"v\": \"{{a}}\"}\n    template: on\n",
       "GET /{a} json 200 [{\"v\":\"{{a}}\"}] <0:{\"v\":\"><1#0:a><0:\"}> template\n"},
      {"57", "routes:\n  - GET /{id} file: page.html\n    template: on\n",
       "GET /{id} file 200 [<b>{{id}}</b>] <0:<b>><1#0:id><0:</b>> template\n"},
      {"headers",
       "routes:\n  - GET /{id} echo: x\n    template: on\n    headers: {X-Id: \"v{{id}}\", Y: z}\n",
       "GET /{id} echo 200 [x] {X-Id: v{{id}} <0:v><1#0:id>} {Y: z} template\n"},
      {"headers of a redirect",
       "routes:\n  - GET /{id} redirect: /x\n    template: on\n    headers: {X-Id: \"{{id}}\"}\n",
       "GET /{id} redirect 302 [/x] {X-Id: {{id}} <1#0:id>} template\n"},
      {"without template", "routes:\n  - GET / echo: '{{x}} {{{{'\n    headers: {X: \"{{y}}\"}\n",
       "GET / echo 200 [{{x}} {{{{] {X: {{y}}}\n"},
      {"prefix",
       "routes:\n  - prefix: /{v}\n    template: on\n    headers: {V: \"{{v}}\"}\n    routes:\n"
       "      - GET /{id} echo: '{{id}} {{v}}'\n      - GET /s status: 204\n",
       "GET /{v}/{id} echo 200 [{{id}} {{v}}] <1#1:id><0: ><1#0:v> {V: {{v}} <1#0:v>} template\n"
       "GET /{v}/s status 204 [204] {V: {{v}} <1#0:v>} template\n"},
  });
}

TEST(LoaderRules, GroupsAreInherited) {
  ExpectRules({
      {"71", "routes:\n  - prefix: /api\n    routes: [GET / echo: x]\n",
       "GET /api/ echo 200 [x]\n"},
      {"72",
       "routes:\n  - prefix: /a\n    cache: 1h\n    headers: {X: 1, Y: 2}\n    routes:\n"
       "      - prefix: /b\n        cache: 2h\n        headers: {x: 3, Z: 4}\n        routes:\n"
       "          - GET /c echo: x\n      - GET /d echo: y\n        cache: off\n",
       "GET /a/b/c echo 200 [x] cache=max-age=7200 {x: 3} {Y: 2} {Z: 4}\n"
       "GET /a/d echo 200 [y] cache=no-store {X: 1} {Y: 2}\n"},
      {"13",
       "routes:\n  - type: a/b\n    status: 201\n    query: drop\n    template: on\n    cache: 1s\n"
       "    routes:\n      - GET /1 echo: x\n      - GET /2 redirect: /y\n      - GET /3 status: "
       "204\n"
       "      - GET /4 health: live\n      - GET /5 reflect: json\n",
       "GET /1 echo 201 [x] type=a/b cache=max-age=1 template\n"
       "GET /2 redirect 302 [/y] cache=max-age=1 template drop\n"
       "GET /3 status 204 [204] cache=max-age=1 template\n"
       "GET /4 health 200 [live]\n"
       "GET /5 reflect 200 [json] cache=max-age=1\n"},
      {"24",
       "headers: {X: 1, Y: 2}\nroutes:\n  - without: x\n    routes: [GET / echo: x]\n"
       "  - GET /b echo: y\n    without: [X, Y]\n    headers: {X: 9}\n",
       "GET / echo 200 [x] {Y: 2}\nGET /b echo 200 [y] {X: 9}\n"},
      {"25",
       "headers: {X-A: top, X-B: top}\nroutes:\n  - headers: {x-a: group}\n    routes:\n"
       "      - GET / echo: x\n        headers: {X-a: [r1, r2]}\n      - GET /b echo: y\n",
       "GET / echo 200 [x] {X-a: r1} {X-a: r2} {X-B: top}\n"
       "GET /b echo 200 [y] {x-a: group} {X-B: top}\n"},
      {"cache and Cache-Control are one",
       "routes:\n  - cache: 1h\n    routes:\n      - GET / echo: x\n"
       "        headers: {cache-control: private}\n"
       "  - headers: {Cache-Control: private}\n    routes:\n"
       "      - GET /b echo: y\n        cache: 1h\n",
       "GET / echo 200 [x] {cache-control: private}\nGET /b echo 200 [y] cache=max-age=3600\n"},
      {"host",
       "routes:\n  - host: [b.example, \"*.A.example\"]\n    routes: [GET / echo: x]\n"
       "  - host: b.example\n    override: on\n    routes:\n      - GET / echo: y\n"
       "      - GET /2 echo: z\n        override: off\n",
       "GET / echo 200 [x] host=*.a.example host=b.example\n"
       "GET / echo 200 [y] host=b.example override\nGET /2 echo 200 [z] host=b.example\n"},
      {"listener",
       "listen: [8080, {address: 127.0.0.1:8081, name: in}]\nroutes:\n"
       "  - listener: in\n    routes: [GET / echo: x]\n  - listener: :8080\n    routes:\n"
       "      - GET / echo: y\n      - GET /2 echo: z\n        listener: 127.0.0.1:8081\n",
       "GET / echo 200 [x] listener=1\nGET / echo 200 [y] listener=0\nGET /2 echo 200 [z] "
       "listener=1\n"},
  });
}

TEST(LoaderRules, ScopesNest) {
  const Folder folder;
  const Loaded loaded =
      LoadText(folder,
               "headers: {X: 1}\nerrors: {404: {echo: top}}\nroutes:\n"
               "  - prefix: /a\n    host: h\n    headers: {Y: 2}\n"
               "    errors: {4xx: {html: in}, 404: {json: {}, status: 410}}\n"
               "    routes:\n      - prefix: /{b}\n        override: on\n        routes:\n"
               "          - GET / echo: x\n");
  ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
  const Config& config = *loaded.config;
  ASSERT_EQ(config.scopes.size(), 3u);
  EXPECT_EQ(config.rules.at(0).scope, 2u);
  EXPECT_EQ(config.scopes[2].parent, 1u);
  EXPECT_EQ(config.scopes[1].parent, 0u);
  EXPECT_EQ(config.scopes[1].prefix.canonical, "/a");
  EXPECT_EQ(config.scopes[2].prefix.written, "/a/{b}");
  EXPECT_EQ(config.scopes[2].prefix.segments.size(), 2u);
  EXPECT_EQ(config.scopes[2].host_set, config.scopes[1].host_set);
  EXPECT_TRUE(config.scopes[2].override_on);
  EXPECT_EQ(TextOf(*config.scopes[0].options), " {X: 1}");
  EXPECT_EQ(TextOf(*config.scopes[2].options), " {X: 1} {Y: 2}");
  ASSERT_EQ(config.scopes[1].errors.size(), 2u);
  EXPECT_EQ(config.scopes[1].errors[0].status_class, 4);
  EXPECT_EQ(config.scopes[1].errors[0].answer.status, 0);
  EXPECT_EQ(config.scopes[1].errors[1].status, 404);
  EXPECT_EQ(config.scopes[1].errors[1].answer.status, 410);
  EXPECT_EQ(TextOf(config.scopes[0].errors.at(0).answer), "echo 404 [top]");
}

TEST(LoaderRules, ErrorAnswers) {
  const Folder folder;
  folder.Write("503.html", "<h1>Back soon</h1>");
  const Loaded loaded = LoadText(
      folder,
      "headers: {X: 1}\nerrors:\n  404: {html: '<p>{{path}}</p>', template: on, cache: 1m, type: "
      "a/b}\n"
      "  503: {file: 503.html, headers: {Retry-After: 60}}\n  403: {redirect: /login}\n"
      "  401: {moved: \"https://{{host}}/x\", status: 308}\n  5xx: {json: {\"e\": 1}, status: "
      "200}\n");
  ASSERT_TRUE(loaded.config.has_value()) << ToText(loaded.diagnostics);
  std::vector<std::string> answers;
  for (const ErrorAnswer& error : loaded.config->scopes[0].errors) {
    answers.push_back(TextOf(error.answer));
  }
  EXPECT_THAT(
      answers,
      ElementsAre(
          "html 404 [<p>{{path}}</p>] <0:<p>><3:><0:</p>> type=a/b cache=max-age=60 template",
          "file 503 [<h1>Back soon</h1>] {Retry-After: 60}", "redirect 302 [/login]",
          "moved 308 [https://{{host}}/x] <0:https://><2:><0:/x>", "json 200 [{\"e\":1}]"));
}

struct Bad {
  const char* question;
  const char* yaml;
  std::vector<const char*> said;  // the beginning of each, in order
};

void ExpectSaid(const std::vector<Bad>& cases) {
  const Folder folder;
  for (const Bad& one : cases) {
    SCOPED_TRACE(std::string(one.question) + "\n" + one.yaml);
    const std::vector<std::string> said = SaidBy(LoadText(folder, one.yaml));
    EXPECT_EQ(said.size(), one.said.size()) << ::testing::PrintToString(said);
    for (size_t i = 0; i < std::min(said.size(), one.said.size()); ++i) {
      EXPECT_THAT(said[i], ::testing::StartsWith(one.said[i]));
    }
  }
}

TEST(LoaderRules, FaultsOfTheKey) {
  ExpectSaid({
      {"2",
       "routes:\n  - GET /my file.txt file: a\n",
       {"2:13 a rule begins with three words, METHODS PATH ACTION, not 4 | a blank in a path is "
        "written "
        "%20"}},
      {"2",
       "routes:\n  - GET /a?b echo: x\n  - GET /a#b echo: x\n",
       {"2:11 a path has no ?: the query is not part of it | a literal ? is written %3F",
        "3:11 a path has no # | a literal # is written %23"}},
      {"3",
       "routes:\n  - GET /assets/* echo: x\n  - \"GET /users/:id echo\": x\n",
       {"2:17 a path has no * | {rest...} as the last segment matches all that is left; a literal "
        "* is "
        "written %2A",
        "3:17 a segment that begins with : | a parameter is written {id}"}},
      {"8",
       "routes:\n  - GET /{id:[0-9]+} echo: x\n",
       {"2:10 a constraint on a parameter, as in {id:[0-9]+}, is reserved and not yet served"}},
      {"10", "routes:\n  - GET / echo: x\n    GET /b echo: y\n", {"3:5 two rules in one item"}},
      {"10",
       "routes:\n  - GET / echo:Hello\n",
       {"2:15 a blank is missing after the colon | write: GET / echo: Hello"}},
      {"10", "routes:\n  - GET / echo\n", {"2:5 the payload of the rule is missing"}},
      {"10", "routes:\n  - hello\n", {"2:5 a rule is due here, not text"}},
      {"10",
       "routes:\n  - GET /a #b echo: x\n",
       {"2:12 a rule is due here, but a # behind a blank begins a comment | a # in a path is "
        "written %23"}},
      {"10", "routes:\n  GET / echo: x\n", {"2:3 routes: a list is due here, not a mapping"}},
      {"10", "routes:\n  -GET / echo: x\n", {"2:3 routes: a blank is missing behind the dash"}},
      {"10", "routes: oops\n", {"1:9 routes: a list of rules is due here"}},
      {"10", "routes:\n", {"1:1 \"routes\" has no value"}},
      {"10",
       "routes:\n  - host: x\n    rules: []\n",
       {"3:5 unknown option \"rules\" | a group's rules"}},
      {"10", "routes:\n  - host: x\n", {"2:5 a rule or a group is due here"}},
      {"10",
       "GET / echo: x\n",
       {"1:1 a rule at the top level of the file | rules are a list under"}},
      {"10",
       "- GET / echo: x\n",
       {"1:1 a mapping is due here, not a list | the list of rules stands"}},
      {"methods",
       "routes:\n  - get / echo: x\n  - \"* / echo\": x\n  - GET, POST / echo: x\n",
       {"2:5 \"get\" is no method: methods are in upper case | write GET",
        "3:5 a rule has no method * | every method is written ANY",
        "4:5 a rule begins with three words"}},
      {"methods",
       "routes:\n  - {GET,POST / echo: x}\n",
       {"2:6 unknown option \"GET\" | a comma in {...} ends the key: quote the key"}},
      {"methods",
       "routes:\n  - TRACE / echo: x\n  - CONNECT / echo: x\n",
       {"2:5 a rule can't take the method TRACE", "3:5 a rule can't take the method CONNECT"}},
      {"action",
       "routes:\n  - GET / proxy: http://x\n  - GET / ehco: x\n",
       {"2:11 the action \"proxy\" is reserved and not yet",
        "3:11 unknown action \"ehco\" | did you mean \"echo\"?"}},
      {"all of one key",
       "routes:\n  - get a ehco: x\n",
       {"2:5 \"get\"", "2:9 a path begins with /", "2:11 unknown action"}},
  });
}

TEST(LoaderRules, FaultsOfPayloads) {
  ExpectSaid({
      {"16",
       "routes:\n  - GET / echo: x\n    status: 204\n",
       {"3:5 status: an answer with 204 has no body | use the action status: 204"}},
      {"text",
       "routes:\n  - GET / echo: #fff\n",
       {"2:5 echo: the text is missing | a # behind a blank begins a comment: quote the text"}},
      {"text",
       "routes:\n  - GET / echo:\n  - GET /2 html: null\n  - GET /3 echo: ~\n",
       {"2:5 echo: the text is missing", "3:18 html: null is a value in json alone",
        "4:18 echo: null is a value in json alone"}},
      {"text",
       "routes:\n  - GET / echo: {\"a\": 1}\n  - GET /2 echo: [1,2]\n",
       {"2:17 echo: text is due here, not a mapping | quote text",
        "3:18 echo: text is due here, not a list | quote text"}},
      {"text", "routes:\n  - GET / echo: |\n    four spaces\n", {"2:17 this block has no text"}},
      {"comment",
       "routes:\n  - GET / echo: a #b\n  - GET /2 html: x # y\n  - GET /3 echo: x  # y\n"
       "  - GET /4 echo: x  #y\n  - GET /5 status: 204 # y\n",
       {"2:19 warning: the text ends here", "3:20 warning: the text ends here",
        "5:21 warning: the text ends here"}},
      {"34",
       "routes:\n  - GET / json: hello\n  - GET /2 json: \"{a}\"\n",
       {"2:17 json: the text is no JSON | a JSON string is written '\"hello\"'",
        "3:20 json: the text is no JSON"}},
      {"35",
       "routes:\n  - GET / json: {a:1, b: 2}\n  - GET /2 json: {a: 1, b}\n",
       {"2:18 \"a:1\" has no value | a blank is missing after the colon",
        "3:25 \"b\" has no value | a comma in {...} ends the value"}},
      {"35", "routes:\n  - GET / json: [1,,2]\n", {"2:20 a value is missing before this comma"}},
      {"35", "routes:\n  - GET / json: {a: 1, a: 2}\n", {"2:24 the key \"a\" stands twice"}},
      {"json",
       "routes:\n  - GET / json:\n    id: 1\n",
       {"2:5 json: the value is missing | the payload stands deeper than METHODS: indent it",
        "3:5 unknown option \"id\" | the payload stands deeper than METHODS: indent it"}},
      {"json", "routes:\n  - GET / json:\n    cache: 1h\n", {"2:5 json: the value is missing"}},
      {"15",
       "routes:\n  - GET / status: 99\n  - GET /2 status: 600\n  - GET /3 status: ok\n",
       {"2:19 status: \"99\" is no whole", "3:20 status: \"600\" is no whole",
        "4:20 status: \"ok\" is no"}},
      {"38",
       "routes:\n  - GET / file: gone.png\n  - GET /2 file: .\n",
       {"2:17 file: can't read gone.png: no such file or directory",
        "3:18 file: can't read .: it is a directory"}},
      {"44",
       "routes:\n  - GET / health: ok\n  - GET /2 reflect: xml\n",
       {"2:19 health: \"ok\" is neither live nor ready",
        "3:21 reflect: \"xml\" is neither json nor text"}},
      {"46",
       "routes:\n  - GET / redirect: new\n",
       {"2:21 redirect: the target begins with / or scheme://"}},
      {"47",
       "routes:\n  - GET / redirect: /a b\n  - GET /2 redirect: /{x}\n",
       {"2:23 redirect: the target has no blanks", "3:23 redirect: a single brace"}},
      {"49",
       "routes:\n  - GET /{rest...} redirect: \"{{rest}}\"\n",
       {"2:30 redirect: the target begins with / or scheme://"}},
      {"53",
       "routes:\n  - GET /{id} redirect: /{{ide}}\n",
       {"2:26 redirect: unknown placeholder {{ide}} | did you mean \"id\"?"}},
      {"53",
       "routes:\n  - GET /{id} echo: 'x {{di}}'\n    template: on\n    headers: {A: b, X: "
       "\"{{no}}\"}\n",
       {"2:24 echo: unknown placeholder {{di}} | did you mean \"id\"?",
        "4:24 X: unknown placeholder {{no}}"}},
      {"55",
       "routes:\n  - GET /{id} json: '{\"id\": {{id}}}'\n    template: on\n",
       {"2:30 json: the text is no JSON | in json a placeholder stands inside a string"}},
      {"56",
       "routes:\n  - GET /{id} echo: hello {{id}} {{x}}\n  - GET /b/{id} echo: '{{x}}'\n",
       {"2:27 warning: echo: {{id}} is sent as it is written | to have it replaced"}},
  });
}

TEST(LoaderRules, FaultsOfOptions) {
  ExpectSaid({
      {"11",
       "routes:\n  - GET / echo: x\n    template: yes\n",
       {"3:15 template: \"yes\" is neither on nor"}},
      {"13",
       "routes:\n  - GET / echo: x\n    query: drop\n  - GET /2 status: 204\n    type: a/b\n"
       "  - GET /3 health: live\n    cache: 1h\n",
       {"3:5 the option query does not fit the action echo",
        "5:5 the option type does not fit the action status",
        "7:5 the option cache does not fit the action health"}},
      {"14",
       "routes:\n  - GET / status: 404\n    status: 200\n  - GET /2 redirect: /x\n    status: "
       "200\n",
       {"3:5 the option status does not fit the action status",
        "5:5 status: 200 is no redirect's | 301, 302, 303, 307 or 308"}},
      {"20",
       "routes:\n  - GET / echo: x\n    type: a/b\n    headers: {content-type: c/d}\n",
       {"4:15 Content-Type and the option type are the same"}},
      {"21",
       "routes:\n  - GET / echo: x\n    headers: {date: x, Content-Length: 1, te: x, X Y: z}\n",
       {"3:15 the header Date is quipd's own", "3:24 the header Content-Length is",
        "3:43 the header TE is", "3:50 \"X Y\" is no name of a header"}},
      {"21",
       "headers: {X: \"a\\nb\", Y: \"\\x7f\"}\n",
       {"1:16 X: a header has no control characters",
        "1:25 Y: a header has no control characters"}},
      {"22",
       "routes:\n  - GET / echo: x\n    headers: {Vary: Accept, Origin}\n    cache: 1h\n",
       {"3:29 \"Origin\" has no value | a comma in {...} ends the value"}},
      {"23", "headers: {X: [], x: 1}\n", {"1:14 X: the list is empty"}},
      {"23", "headers: {X: 2, x: 1}\n", {"1:17 the header \"x\" is there twice | several fields"}},
      {"28",
       "routes:\n  - GET / echo: x\n    cache: public\n  - GET /2 echo: x\n    cache: 60\n"
       "  - GET /3 echo: x\n    cache: 1h\n    headers: {Cache-Control: x}\n",
       {"3:12 cache: \"public\" is no duration | cache is a duration",
        "5:12 cache: \"60\" is no duration", "7:5 cache beside a Cache-Control"}},
      {"29, 30",
       "routes:\n  - GET / redirect: /x\n    etag: off\n    compress: off\n    listing: on\n",
       {"3:5 the option etag does not fit the action redirect",
        "4:5 the option compress does not fit the action redirect",
        "5:5 the option listing does not fit the action redirect"}},
      {"31",
       "routes:\n  - GET / echo: x\n    name: a\n  - GET /2 echo: x\n    name: a\n",
       {"4:5 the name \"a\" is there twice | the other is at q.yaml:2"}},
      {"unknown",
       "routes:\n  - GET / echo: x\n    cahce: 1h\n  - GET /2 echo: x\n    limits: 1\n",
       {"3:5 unknown option \"cahce\" | did you mean \"cache\"?",
        "5:5 unknown option \"limits\" | \"limits\" stands at the top level"}},
      {"reserved",
       "routes:\n  - GET / echo: x\n    when: y\n  - auth: x\n    routes: []\n",
       {"3:5 \"when\" is reserved and not yet served",
        "4:5 \"auth\" is reserved and not yet served"}},
      {"missing", "routes:\n  - GET / echo: x\n    cache:\n", {"3:5 \"cache\" has no value"}},
  });
}

TEST(LoaderRules, FaultsOfGroups) {
  ExpectSaid({
      {"60",
       "routes:\n  - host: [a:80, bücher.example, \"*\"]\n    routes: []\n",
       {"2:13 host: a host has no port",
        "2:19 host: a host is in ASCII | an internationalised name is "
        "written xn--",
        "2:34 host: any host is meant where none is written"}},
      {"71",
       "routes:\n  - prefix: /api/\n    routes: [GET / echo: x]\n  - prefix: api\n    routes: []\n",
       {"2:17 prefix: a prefix never ends in /", "4:13 prefix: a path begins with /"}},
      {"72",
       "routes:\n  - host: a\n    routes:\n      - host: b\n        routes: []\n"
       "      - GET / echo: x\n        host: c\n",
       {"4:9 a host inside a host", "7:9 a host inside a host"}},
      {"73",
       "routes:\n  - prefix: /{id}\n    routes: [\"GET /{id} echo\": x]\n",
       {"3:20 the parameter \"id\" is in this path twice"}},
      {"group",
       "routes:\n  - prefix: /a\n    name: x\n    GET / echo: y\n    routes: []\n",
       {"3:5 unknown option \"name\" | \"name\" stands beside a rule",
        "4:5 a rule beside routes: a group holds its rules in routes"}},
      {"listener",
       "listen: [{address: 8080, name: web}]\nroutes:\n  - listener: wbe\n    routes: []\n",
       {"3:15 listener: \"wbe\" is none of listen | there are web"}},
      {"77",
       "errors:\n  404: {echo: x, html: y}\n  500: {type: a/b}\n  3xx: {echo: x}\n  99: {echo: x}\n"
       "  403: {redirect: /x, status: 200}\n  402: {echo: Nope, sorry}\n  401: {status: 400}\n",
       {"2:18 two actions in one entry", "3:3 errors: 500 has no action",
        "4:3 errors: \"3xx\" is no status of an error", "5:3 errors: \"99\" is no status",
        "6:23 status: 200 is no redirect's", "7:21 unknown option \"sorry\" | a comma in {...}",
        "8:3 errors: 401 has no action"}},
      {"76",
       "errors: {404: {echo: '{{id}}', template: on}}\n",
       {"1:22 echo: unknown placeholder {{id}}"}},
  });
}

}  // namespace
}  // namespace quipd::config
