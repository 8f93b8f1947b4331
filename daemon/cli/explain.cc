// SPDX-License-Identifier: MIT
#include "site/explain.h"

#include <cstdio>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "cli/commands.h"
#include "cli/load_or_complain.h"
#include "config/describe.h"
#include "http/request_head.h"
#include "http/status.h"

namespace quipd::cli {
namespace {

constexpr size_t kShownLosers = 20;

bool HasHost(const ExplainRequest& request) {
  for (const std::string& header : request.headers) {
    const std::string name = header.substr(0, header.find(':'));
    if (http::EqualsIgnoreCase(name, "Host")) return true;
  }
  return false;
}

// The head that a client would send. A URL without a host goes without one, as HTTP/1.0 may, so
// that the rules of any host are asked.
std::string HeadOf(const ExplainRequest& request) {
  const bool absolute = request.url.find("://") != std::string::npos;
  const bool has_host = HasHost(request);
  std::string head = request.method + ' ' + request.url;
  head += absolute || has_host ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n";
  for (const std::string& header : request.headers) head += header + "\r\n";
  if (absolute && !has_host) head += "Host: \r\n";
  return head + "\r\n";
}

// By which listener such a URL comes in: the first that speaks TLS for https, else the first that
// doesn't; the very first where there is none.
uint32_t ListenerFor(const config::Config& config, const std::string& url) {
  const bool secure = http::EqualsIgnoreCase(url.substr(0, 8), "https://");
  for (uint32_t i = 0; i < config.listeners.size(); ++i) {
    if (config.listeners[i].tls.empty() != secure) return i;
  }
  return 0;
}

void PrintLosers(const config::Config& config, const site::Explanation& explanation) {
  if (!explanation.losers.empty()) std::puts("not answering:");
  size_t shown = 0;
  for (const site::Contender& loser : explanation.losers) {
    if (shown++ == kShownLosers) break;
    const config::Rule& rule = config.rules[loser.rule];
    std::printf("  %s: %s: %s\n", config.Where(rule.place).c_str(), config::Describe(rule).c_str(),
                loser.reason.c_str());
  }
  if (explanation.losers.size() > kShownLosers) {
    std::printf("  and %zu more\n", explanation.losers.size() - kShownLosers);
  }
}

// The file that the answer is read from, if one is: whether it is there is seen by who serves it.
void PrintFile(const site::Site& site, const site::Request& asked) {
  site::Scratch scratch;
  const site::Answer answer = site.Find(asked, &scratch);
  if (answer.kind != site::Answer::Kind::kFile) return;
  std::string path = answer.files->path;
  if (answer.files->is_dir && !path.ends_with('/')) path += '/';
  path += answer.below;
  for (char& byte : path) {
    if (IsControl(byte)) byte = '.';
  }
  std::printf("file: %s, if it is there\n", path.c_str());
}

}  // namespace

int Explain(const Source& source, const ExplainRequest& request) {
  const std::shared_ptr<const site::Site> site = LoadOrComplain(source, Certificates::kLeftOut);
  if (site == nullptr) return 1;
  const std::string bytes = HeadOf(request);
  http::RequestHead head;
  const config::Limits& limits = site->config().limits;
  const http::HeadResult parsed =
      http::ParseRequestHead(bytes, {limits.head, limits.target, limits.header_count}, &head);
  if (parsed.state != http::HeadState::kComplete) {
    const int status = parsed.state == http::HeadState::kFault ? StatusOf(parsed.fault) : 400;
    std::printf("no rule is asked: %s\nanswer: %d %s\n",
                std::string(http::NameOf(parsed.fault)).c_str(), status,
                std::string(http::ReasonOf(status)).c_str());
    return 0;
  }
  site::Request asked;
  asked.head = &head;
  asked.client = "127.0.0.1";
  asked.listener = ListenerFor(site->config(), request.url);
  asked.secure = !site->config().listeners[asked.listener].tls.empty();
  const site::Explanation explanation = site::Explain(*site, asked);
  std::printf("%s\n", explanation.summary.c_str());
  std::printf("answer: %u %s\n", static_cast<unsigned>(explanation.status),
              std::string(http::ReasonOf(explanation.status)).c_str());
  PrintFile(*site, asked);
  PrintLosers(site->config(), explanation);
  return 0;
}

}  // namespace quipd::cli
