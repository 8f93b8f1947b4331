// SPDX-License-Identifier: MIT
// What the conformance cases are asked against: a quipd with a configuration of data/ that listens
// plain and over TLS, and the files that it serves. It starts when a case first needs it; its end
// is checked when the program ends. One thread but for the addresses, which are constant.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "client/client.h"
#include "integration/daemon.h"

namespace quipd::test {

class Endpoints {
 public:
  // `config`: a file of data/. "@SITE@" in it is the folder with the files.
  explicit Endpoints(const std::string& config);

  [[nodiscard]] bool ready() const { return daemon_->ready(); }
  [[nodiscard]] const Endpoint& plain() const { return plain_; }
  [[nodiscard]] const Endpoint& tls() const { return tls_; }

  // What a plain GET of that path is answered, asked once; `coding` is all that it accepts.
  [[nodiscard]] const Response& Get(const std::string& path, const std::string& coding = "");
  // `text` with its $etag(...) and $modified(...) replaced. A validator that is missing fails the
  // test.
  [[nodiscard]] std::string Expand(std::string_view text);

 private:
  std::string Validator(std::string_view name, const std::string& path, const std::string& coding);

  TempFolder site_;
  std::unique_ptr<Daemon> daemon_;
  Endpoint plain_;
  Endpoint tls_;
  std::map<std::pair<std::string, std::string>, Response> known_;  // by path and coding
};

}  // namespace quipd::test
