// SPDX-License-Identifier: MIT
// Builds Configs by hand and asks Sites, for tests of the Site alone: no YAML, no files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"
#include "http/request_head.h"
#include "site/site.h"

namespace quipd::site {

// A rule as in a file: "GET,POST /users/{id} echo" and its payload. Changes nothing but itself.
[[nodiscard]] config::Rule MakeRule(std::string_view key, std::string payload = "");
[[nodiscard]] config::Path MakePath(std::string_view written);
// "{{name}}" as a value, all else as text; names of `path` are parameters.
[[nodiscard]] config::Template MakePieces(std::string_view text, const config::Path& path = {});

class SiteBuilder {
 public:
  SiteBuilder();

  config::Config config;

  // Adds a rule to the scope that was begun last and not ended.
  config::Rule& Add(std::string_view key, std::string payload = "");
  // The same as a template.
  config::Rule& AddTemplate(std::string_view key, std::string payload);
  // Sets one header of the rule or scope.
  static void SetHeader(std::shared_ptr<const config::Options>* options, std::string name,
                        std::string value);
  static config::Options& Edit(std::shared_ptr<const config::Options>* options);

  // A group; its rules follow until End.
  config::Scope& Begin(std::string_view prefix = "", std::vector<std::string> hosts = {},
                       int32_t listener = -1);
  void End();
  void AddError(std::string_view status, std::string_view action, std::string payload);
  void AddListener(std::string name);

  [[nodiscard]] Compiled CompileHere() { return Compile(std::move(config)); }
  // Checks that there is no error.
  [[nodiscard]] std::shared_ptr<const Site> Build();

 private:
  uint32_t HostSet(const std::vector<std::string>& hosts);

  std::vector<uint32_t> open_{0};
};

// A request's head, parsed; not to be moved.
struct Heard {
  explicit Heard(std::string bytes);
  std::string text;
  http::RequestHead head;
};

// A request and what the Site sends to it.
struct Asked {
  std::string bytes;  // the whole answer, the Date left as "<date>"
  Answer answer;
  std::string below;  // of the answer
  uint16_t status = 0;
};

struct Ask {
  std::string method = "GET";
  std::string target = "/";
  std::string host = "example.org";  // empty: none
  std::string fields{};              // lines with CRLF
  uint32_t listener = 0;
  bool secure = false;
  std::string client = "192.0.2.7";
  bool composed = false;  // an answer of quipd's own, as Render composes it, not as it was at load
};

[[nodiscard]] Asked AskSite(const Site& site, const Ask& ask);
// The error of `status` in place of what is answered.
[[nodiscard]] Asked AskError(const Site& site, const Ask& ask, uint16_t status);
[[nodiscard]] Asked AskSite(const Site& site, std::string method, std::string target);

// The value of a field of an answer; "(none)" where it has none.
[[nodiscard]] std::string FieldOf(const std::string& answer, std::string_view name);
[[nodiscard]] std::string BodyOf(const std::string& answer);
// The strong validator of those bytes.
[[nodiscard]] std::string EtagFor(std::string_view body);

}  // namespace quipd::site
