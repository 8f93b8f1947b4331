// SPDX-License-Identifier: MIT
// From a Config to a Site. The rules are sorted into tables (override, listener, host pattern),
// each rule's answer is made once (TargetMaker), and the tables are joined into the views that
// requests see.
#include <sys/random.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "site/clashes.h"
#include "site/compose.h"
#include "site/own_answers_builder.h"
#include "site/response_store.h"
#include "site/site_impl.h"
#include "site/table_builder.h"
#include "site/target_maker.h"

namespace quipd::site {
namespace {

using config::Action;

uint64_t RandomSeed() {
  uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed) seed = 0x5175'6970'6421;
  return seed;
}

size_t ParamsOf(const config::Path& path) {
  return static_cast<size_t>(std::ranges::count_if(path.segments, [](const auto& segment) {
    return segment.kind != config::Segment::Kind::kLiteral;
  }));
}

}  // namespace

class Compiler final {
 public:
  Compiler(config::Config config, const Site* previous)
      : impl_(std::make_unique<Site::Impl>(std::move(config))),
        responses_(&impl_->arena, &impl_->templates),
        targets_(impl_.get(), &responses_, previous) {
    impl_->seed = RandomSeed();
  }

  Compiled Run() {
    Compiled result;
    AddRules(&result.diagnostics);
    if (HasErrors(result.diagnostics)) return result;
    FindNeverAnswering(&result.diagnostics);
    for (const uint64_t key : keys_) {
      tables_[key] = builders_.at(key).Build(&targets_);
    }
    builders_.clear();
    BuildViews();
    BuildFaults();
    DropBodies();
    result.bodies_coded = targets_.bodies_coded();
    result.codings_kept = targets_.codings_kept();
    result.site = std::shared_ptr<const Site>(new Site(std::move(impl_)));
    return result;
  }

 private:
  // Its table: override first, then a listener's own, then the host pattern.
  static uint64_t KeyOf(bool override_on, int32_t listener, HostId host) {
    return (uint64_t{override_on} << 63) | (uint64_t{static_cast<uint32_t>(listener + 1)} << 32) |
           host;
  }

  void AddRules(Diagnostics* diagnostics) {
    const config::Config& config = impl_->config;
    std::vector<Clash> clashes;
    TableBuilder* last = nullptr;
    uint64_t last_key = 0;
    for (uint32_t i = 0; i < config.rules.size(); ++i) {
      const config::Rule& rule = config.rules[i];
      if (ParamsOf(rule.path) > kMaxParams) {
        diagnostics->push_back(config.Error(
            rule.place, "a path has at most " + std::to_string(kMaxParams) + " parameters"));
        continue;
      }
      for (const HostId host : impl_->hosts.InSet(rule.host_set)) {
        const uint64_t key = KeyOf(rule.override_on, rule.listener, host);
        if (last == nullptr || key != last_key) last = BuilderOf(key);
        last_key = key;
        last->Add(i, &clashes);
      }
      NoteMethods(rule.methods);
    }
    AddClashes(config, clashes, diagnostics);
  }

  // Of two rules of one listener and host neither always goes before the other, or they would
  // clash; so it is rules of any listener that can't answer, where each listener has its own.
  void FindNeverAnswering(Diagnostics* diagnostics) const {
    const config::Config& config = impl_->config;
    const auto has_listener = [](const config::Rule& rule) { return rule.listener >= 0; };
    if (std::ranges::none_of(config.rules, has_listener)) return;
    for (const config::Rule& rule : config.rules) {
      if (has_listener(rule)) continue;
      const config::Rule* before = nullptr;
      bool always = true;
      for (size_t i = 0; i < config.listeners.size() && always; ++i) {
        const config::Rule* here = GoesBefore(rule, static_cast<int32_t>(i));
        always = here != nullptr;
        if (before == nullptr) before = here;
      }
      if (always && before != nullptr) AddNeverAnswers(config, rule, *before, diagnostics);
    }
  }

  // A rule of that listener that takes all that `rule` would take there, on each of its hosts.
  [[nodiscard]] const config::Rule* GoesBefore(const config::Rule& rule, int32_t listener) const {
    const config::Rule* before = nullptr;
    for (const HostId host : impl_->hosts.InSet(rule.host_set)) {
      before = nullptr;
      for (const HostId wider : impl_->hosts.Under(host)) {
        const auto found = builders_.find(KeyOf(rule.override_on, listener, wider));
        if (found != builders_.end()) before = found->second.Covering(rule);
        if (before != nullptr) break;
      }
      if (before == nullptr) return nullptr;
    }
    return before;
  }

  TableBuilder* BuilderOf(uint64_t key) {
    const auto [place, added] =
        builders_.try_emplace(key, impl_->config, &impl_->arena, impl_->seed);
    if (added) keys_.push_back(key);
    return &place->second;
  }

  void NoteMethods(const config::Methods& methods) {
    unsigned allow = impl_->allow | methods.known;
    if (methods.any) allow |= kAnyAllows;
    if ((allow & BitOf(http::Method::kGet)) != 0) allow |= BitOf(http::Method::kHead);
    if (!methods.other.empty()) allow |= kAllowOthers;
    impl_->allow = static_cast<uint16_t>(allow);
    impl_->tokens.insert(methods.other.begin(), methods.other.end());
  }

  // A row of views for requests by listeners without rules of their own, and one for each other.
  void BuildViews() {
    const config::Config& config = impl_->config;
    empty_ = TableBuilder(config, &impl_->arena, impl_->seed).Build(&targets_);
    impl_->rows.assign(config.listeners.size(), 0);
    AddRow(-1);
    for (size_t i = 0; i < config.listeners.size(); ++i) {
      const auto listener = static_cast<int32_t>(i);
      const auto is_here = [listener](const auto& item) { return item.listener == listener; };
      if (std::ranges::none_of(config.rules, is_here) &&
          std::ranges::none_of(config.scopes, is_here)) {
        continue;
      }
      impl_->rows[i] = static_cast<uint32_t>(impl_->views.size());
      AddRow(listener);
    }
    BuildOwnAnswers();
  }

  void AddRow(int32_t listener) {
    for (HostId host = 0; host < impl_->hosts.count(); ++host) AddView(listener, host);
  }

  void AddView(int32_t listener, HostId host) {
    const std::vector<HostId> under = impl_->hosts.Under(host);
    std::vector<const Table*> tables;
    for (const bool override_on : {true, false}) {
      if (listener >= 0) AddTables(override_on, listener, under, &tables);
      AddTables(override_on, -1, under, &tables);
    }
    View view;
    view.listener = listener;
    view.first = tables.empty() ? empty_ : tables.front();
    view.tables = Stored<const Table*>(tables);
    view.hosts = Stored<HostId>(under);
    impl_->views.push_back(view);
  }

  void AddTables(bool override_on, int32_t listener, const std::vector<HostId>& under,
                 std::vector<const Table*>* tables) const {
    for (const HostId host : under) {
      const auto found = tables_.find(KeyOf(override_on, listener, host));
      if (found != tables_.end()) tables->push_back(found->second);
    }
  }

  template <typename T>
  std::span<const T> Stored(const std::vector<T>& items) {
    const std::span<T> stored = impl_->arena.NewArray<T>(items.size());
    std::ranges::copy(items, stored.begin());
    return stored;
  }

  void BuildOwnAnswers() {
    OwnAnswersBuilder builder(impl_->config, impl_->scopes, impl_->rule_errors,
                              AllowText(impl_->allow, impl_->tokens), &impl_->arena, &responses_);
    for (View& view : impl_->views) {
      view.own = builder.Build({view.listener, view.hosts}, view.tables);
    }
  }

  void BuildFaults() {
    for (size_t i = 0; i < kFaults.size(); ++i) {
      impl_->faults[i] = responses_.Store(ComposeFault(impl_->config, impl_->scopes, kFaults[i]));
    }
  }

  // Bodies that stand in a response now; short ones live in the string itself.
  void DropBodies() {
    constexpr size_t kShort = 32;
    for (config::Rule& rule : impl_->config.rules) {
      const Action action = rule.answer.action;
      if (config::IsRedirect(action)) continue;
      if (rule.answer.payload.size() >= kShort) rule.answer.payload = std::string();
    }
  }

  std::unique_ptr<Site::Impl> impl_;
  ResponseStore responses_;
  TargetMaker targets_;
  std::unordered_map<uint64_t, TableBuilder> builders_;
  std::vector<uint64_t> keys_;  // of builders_, in order of appearance
  std::unordered_map<uint64_t, const Table*> tables_;
  const Table* empty_ = nullptr;
};

Compiled Compile(config::Config config, const std::shared_ptr<const Site>& previous) {
  return Compiler(std::move(config), previous.get()).Run();
}

}  // namespace quipd::site
