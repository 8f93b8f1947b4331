// SPDX-License-Identifier: MIT
#include "app/banner.h"

#include <unistd.h>

#include "app/version.h"

namespace quipd::app {
namespace {

std::string Count(size_t count, const std::string& word) {
  return std::to_string(count) + ' ' + word + (count == 1 ? "" : "s");
}

}  // namespace

std::string UrlOf(const server::Address& address) {
  const std::string& shown = address.shown;
  if (shown.starts_with("unix:")) return shown;
  const std::string scheme = address.secure ? "https://" : "http://";
  for (const std::string_view any : {std::string_view("[::]:"), std::string_view("0.0.0.0:")}) {
    if (shown.starts_with(any)) return scheme + "localhost:" + shown.substr(any.size()) + '/';
  }
  return scheme + shown + '/';
}

std::string Summary(const config::Config& config, const std::vector<server::Address>& addresses) {
  std::string out = Count(config.rules.size(), "route") + ", listening on ";
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (i > 0) out += ", ";
    out += UrlOf(addresses[i]);
  }
  return out;
}

std::string Banner(const config::Config& config, const Start& start) {
  std::string out = "quipd " + std::string(kVersion) + '\n';
  const auto line = [&out](const std::string& name, const std::string& value) {
    out += "  " + name + std::string(15 - name.size(), ' ') + value + '\n';
  };
  line("configuration", start.configuration);
  line("profile", config.profile);
  line("pid", std::to_string(getpid()));
  line("routes", std::to_string(config.rules.size()));
  for (const server::Address& address : start.addresses) line("listening", UrlOf(address));
  line("ready", "in " + std::to_string(start.took.count()) + " ms");
  return out;
}

}  // namespace quipd::app
