// SPDX-License-Identifier: MIT
#include "cli/load_or_complain.h"

#include <cstdio>
#include <utility>

#include "app/load.h"

namespace quipd::cli {

namespace {

std::shared_ptr<const site::Site> CompileOrComplain(const config::LoadRequest& request) {
  config::Loaded loaded = config::Load(request);
  std::fputs(ToText(loaded.diagnostics).c_str(), stderr);
  if (!loaded.config) return nullptr;
  site::Compiled compiled = site::Compile(std::move(*loaded.config));
  std::fputs(ToText(compiled.diagnostics).c_str(), stderr);
  return std::move(compiled.site);
}

}  // namespace

std::shared_ptr<const site::Site> LoadOrComplain(const Source& source, Certificates certificates) {
  if (certificates == Certificates::kLeftOut) return CompileOrComplain(source.load);
  const app::LoadedSite loaded = app::LoadSite(source.load, std::make_shared<server::TicketKeys>());
  std::fputs(ToText(loaded.diagnostics).c_str(), stderr);
  return loaded.site;
}

}  // namespace quipd::cli
