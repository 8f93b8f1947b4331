// SPDX-License-Identifier: MIT
#include "config/loader.h"

#include <cstdlib>
#include <utility>

#include "config/include.h"
#include "config/listen.h"
#include "config/reader.h"
#include "config/report.h"
#include "config/routes.h"
#include "config/settings.h"
#include "config/spelling.h"

namespace quipd::config {
namespace {

enum Layer : uint8_t { kFiles = 0, kProfile = 1, kCommandLine = 2 };

struct Rules {  // one -e
  uint32_t source = 0;
  const Value* root = nullptr;
};

// One run of Load: what was asked, and what was read so far.
class Loading {
 public:
  explicit Loading(const LoadRequest& request);
  Loaded Run();

 private:
  struct Overlay {
    const Profile* profile = nullptr;  // null: built in, nothing to lay over
    std::string name;
    Settings settings;
  };

  void ReadFiles();
  void ReadAllSettings();
  void LayOver(const std::vector<Part>& parts, bool overlay, Settings* settings);
  [[nodiscard]] const Overlay* Choose();
  [[nodiscard]] std::vector<Listener> ListenersOfCommandLine();
  [[nodiscard]] Assembly Assemble(const Overlay& overlay, bool chosen);
  void ReadParts(const std::vector<Part>& parts, Layer layer, Assembly* assembly);
  void Check(const Overlay& overlay);
  [[nodiscard]] Config Build(const Overlay& overlay);

  const LoadRequest& request_;
  Environment environment_;
  Report report_;
  Files files_;
  std::vector<Rules> rules_;
  Settings base_;
  std::vector<Overlay> overlays_;
};

Loading::Loading(const LoadRequest& request)
    : request_(request), environment_(request.environment), files_(&report_, &environment_) {
  if (!environment_) environment_ = [](const char* name) { return std::getenv(name); };
}

void Loading::ReadFiles() {
  if (request_.file) files_.ReadMain(*request_.file);
  for (size_t i = 0; i < request_.rules.size(); ++i) {
    Rules rules;
    rules.root = files_.ReadText("-e " + std::to_string(i + 1), request_.rules[i], &rules.source);
    if (rules.root != nullptr) rules_.push_back(rules);
  }
}

void Loading::LayOver(const std::vector<Part>& parts, bool overlay, Settings* settings) {
  for (const Part& part : parts) {
    Reader reader(&report_, &environment_, part.source);
    ReadSettings(reader, *part.top, overlay, settings);
  }
}

void Loading::ReadAllSettings() {
  LayOver(files_.parts(), false, &base_);
  bool has_dev = false;
  bool has_prod = false;
  for (const Profile& profile : files_.profiles()) {
    Overlay& overlay = overlays_.emplace_back(Overlay{&profile, profile.name, base_});
    LayOver(profile.parts, true, &overlay.settings);
    has_dev = has_dev || profile.name == "dev";
    has_prod = has_prod || profile.name == "prod";
  }
  if (!has_dev) overlays_.push_back({nullptr, "dev", base_});
  if (!has_prod) overlays_.push_back({nullptr, "prod", base_});
}

const Loading::Overlay* Loading::Choose() {
  const char* const variable = environment_("QUIPD_PROFILE");
  std::string name = base_.profile.empty() ? "prod" : base_.profile;
  std::string origin = "profile";
  if (request_.profile) {
    name = *request_.profile;
    origin = "--profile";
  } else if (variable != nullptr && *variable != '\0') {
    name = variable;
    origin = "QUIPD_PROFILE";
  }
  std::vector<std::string_view> known;
  for (const Overlay& overlay : overlays_) {
    if (overlay.name == name) return &overlay;
    known.push_back(overlay.name);
  }
  std::string message = origin + ": there is no profile " + Quoted(name);
  std::string hint = DidYouMean(name, known);
  if (hint.empty()) hint = "there are " + Listing(known);
  if (origin == "profile") {
    report_.Error(base_.profile_place, std::move(message), std::move(hint));
  } else {
    report_.Fault(Fault(std::move(message), std::move(hint)));
  }
  return nullptr;
}

std::vector<Listener> Loading::ListenersOfCommandLine() {
  std::string text;
  for (const std::string& one : request_.listen) text.append(one).append("\n");
  const auto source = std::make_shared<const Source>("--listen", "", text);
  const uint32_t number = report_.Add(source);
  std::vector<Value> items;
  uint32_t offset = 0;
  for (const std::string& one : request_.listen) {
    Value& item = items.emplace_back();
    item.kind = Value::Kind::kScalar;
    item.mark = {offset, static_cast<uint32_t>(items.size() - 1), 0};
    item.text = source->bytes().substr(offset, one.size());
    offset += static_cast<uint32_t>(one.size() + 1);
  }
  Value list;
  list.kind = Value::Kind::kSequence;
  list.items = items;
  Reader reader(&report_, &environment_, number);
  return ReadListeners(reader, list);
}

Assembly Loading::Assemble(const Overlay& overlay, bool chosen) {
  Assembly assembly;
  Config& config = assembly.config;
  const Settings& settings = overlay.settings;
  config.profile = overlay.name;
  config.dev = overlay.name == "dev";
  config.workers = settings.workers;
  config.limits = settings.limits;
  config.timeouts = settings.timeouts;
  config.log = settings.log;
  if (settings.access_log) {
    config.access_log = *settings.access_log;
  } else if (config.dev) {
    config.access_log.target = "stdout";
    config.access_log.format = AccessLog::Format::kDev;
  }
  config.types = settings.types;
  config.server_header = settings.server_header;
  config.listeners = settings.listeners;
  if (config.listeners.empty()) {
    Listener usual;
    usual.address.port = 8080;
    usual.written = "8080";
    usual.place.source = UINT32_MAX;  // nobody wrote it
    config.listeners.push_back(std::move(usual));
  }
  if (chosen && !request_.listen.empty()) {
    assembly.gone = std::exchange(config.listeners, ListenersOfCommandLine());
  }
  for (const Listener& listener : config.listeners) {
    for (const TlsPair& pair : listener.tls) {
      config.inputs.insert(config.inputs.end(), {pair.certificate, pair.key});
    }
  }
  assembly.host_sets.emplace(std::vector<std::string>{}, 0);
  assembly.top = std::make_shared<const Options>(settings.top);
  Scope& top = config.scopes.emplace_back();
  top.options = OptionsOfScope(settings.top, config.dev);
  if (!files_.parts().empty()) {
    top.place = {files_.parts().front().source, files_.parts().front().top->mark};
  }
  return assembly;
}

void Loading::ReadParts(const std::vector<Part>& parts, Layer layer, Assembly* assembly) {
  for (const Part& part : parts) {
    RouteReader(&report_, &environment_, part.source, layer, assembly).ReadTop(*part.top);
  }
}

// A profile that was not chosen: its faults are said all the same.
void Loading::Check(const Overlay& overlay) {
  if (overlay.profile == nullptr) return;
  Assembly scratch = Assemble(overlay, false);
  ReadParts(overlay.profile->parts, kProfile, &scratch);
}

Config Loading::Build(const Overlay& overlay) {
  Assembly assembly = Assemble(overlay, true);
  ReadParts(files_.parts(), kFiles, &assembly);
  if (overlay.profile != nullptr) ReadParts(overlay.profile->parts, kProfile, &assembly);
  for (const Rules& rules : rules_) {
    RouteReader(&report_, &environment_, rules.source, kCommandLine, &assembly)
        .ReadRoot(*rules.root);
  }
  Config& config = assembly.config;
  config.sources = report_.sources();
  config.inputs.insert(config.inputs.begin(), files_.paths().begin(), files_.paths().end());
  return std::move(config);
}

Loaded Loading::Run() {
  ReadFiles();
  ReadAllSettings();
  const Overlay* const chosen = Choose();
  Loaded loaded;
  for (const Overlay& overlay : overlays_) {
    if (&overlay != chosen) Check(overlay);
  }
  // With an unknown profile the rules are checked as prod has them.
  Config config = Build(chosen != nullptr ? *chosen : overlays_.back());
  if (!report_.has_errors()) loaded.config = std::move(config);
  loaded.diagnostics = report_.Take();
  return loaded;
}

}  // namespace

Loaded Load(const LoadRequest& request) { return Loading(request).Run(); }

}  // namespace quipd::config
