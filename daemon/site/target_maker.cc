// SPDX-License-Identifier: MIT
#include "site/target_maker.h"

#include <string>
#include <utility>
#include <vector>

namespace quipd::site {
namespace {

using config::Action;

// The rule opens files for each request.
bool IsOpened(const config::Representation& answer) {
  return answer.action == Action::kDir || (answer.action == Action::kFile && answer.live);
}

bool IsError(const config::Representation& answer) {
  return answer.action == Action::kStatus && answer.status >= 400;
}

bool MayBeFixed(const config::Representation& answer) {
  return answer.action != Action::kReflect && answer.action != Action::kHealth &&
         !IsError(answer) && !IsOpened(answer);
}

// What `health: ready` says while the daemon drains.
CompiledTemplate Draining(const config::Config& config, const config::Rule& rule) {
  Composition composition = OfRule(rule);
  composition.status = 503;
  composition.shown = nullptr;
  composition.text = "draining";
  return Compose(config, composition);
}

}  // namespace

TargetMaker::TargetMaker(Site::Impl* impl, ResponseStore* responses, const Site* previous)
    : impl_(*impl),
      responses_(*responses),
      previous_(previous == nullptr ? nullptr : &previous->impl_->coded) {}

// The rule has a leaf for each of its hosts.
bool TargetMaker::IsTakenOften(const config::Rule& rule) const {
  return impl_.hosts.InSet(rule.host_set).size() > 1;
}

Target TargetMaker::TargetWithLeaf(uint32_t rule, std::string_view path, Leaf** leaf) {
  const config::Rule& described = impl_.config.rules[rule];
  if (targets_.contains(rule) || !MayBeFixed(described.answer)) {
    *leaf = responses_.NewLeaf(path);
    return TargetOf(rule);
  }
  const Finished finished = Finish(described);
  if (finished.composed.needs() != CompiledTemplate::Needs::kNothing) {
    *leaf = responses_.NewLeaf(path);
    return TargetOf(rule);
  }
  Target target;
  target.rule = rule;
  target.response = responses_.StoreWithLeaf(finished.composed, finished.traits, path, leaf);
  if (IsTakenOften(described)) targets_.emplace(rule, target);
  return target;
}

Target TargetMaker::TargetOf(uint32_t rule) {
  if (const auto made = targets_.find(rule); made != targets_.end()) return made->second;
  Target target = NewTarget(rule);
  target.rule = rule;
  targets_.emplace(rule, target);
  return target;
}

Target TargetMaker::NewTarget(uint32_t rule) {
  const config::Rule& described = impl_.config.rules[rule];
  Target target;
  if (described.answer.action == Action::kReflect) {
    target.kind = Target::Kind::kRelay;
    impl_.relay_fields.emplace(rule, impl_.arena.Copy(RelayFieldsOf(impl_.config, described)));
  } else if (IsOpened(described.answer)) {
    MakeFiles(rule, &target);
  } else if (IsError(described.answer)) {
    target.kind = Target::Kind::kError;
    target.status = described.answer.status;
    target.error = ErrorOf(described, target.status);
  } else {
    MakeFixed(described, &target);
  }
  return target;
}

void TargetMaker::MakeFiles(uint32_t rule, Target* target) {
  const config::Rule& described = impl_.config.rules[rule];
  target->kind = Target::Kind::kFile;
  target->files = &impl_.files.emplace_back(FileRuleOf(impl_.config, rule));
  if (target->files->is_dir) {
    target->compiled = responses_.Keep(ComposeSlash(impl_.config, described));
  }
  impl_.file_errors.emplace(rule, FileErrors{ErrorOf(described, 404), ErrorOf(described, 500)});
}

void TargetMaker::MakeFixed(const config::Rule& rule, Target* target) {
  Finished finished = Finish(rule);
  const CompiledTemplate::Needs needs = finished.composed.needs();
  if (needs != CompiledTemplate::Needs::kRequest) {
    target->response = responses_.Store(finished.composed, finished.traits);
  }
  if (rule.answer.action == Action::kHealth && rule.answer.payload == "ready") {
    target->draining = impl_.arena.New<Response>(responses_.Store(Draining(impl_.config, rule)));
  }
  if (needs == CompiledTemplate::Needs::kNothing) return;
  target->kind =
      needs == CompiledTemplate::Needs::kQuery ? Target::Kind::kQuery : Target::Kind::kTemplate;
  target->compiled = responses_.Keep(std::move(finished.composed));
}

TargetMaker::Finished TargetMaker::Finish(const config::Rule& rule) {
  Composition composition = OfRule(rule);
  Traits traits;
  if (IsWorthCoding(impl_.config, composition)) traits.variants = VariantsOf(composition);
  composition.varies = traits.variants != nullptr;
  traits.selectors = SelectorsOf(composition);
  return {Compose(impl_.config, composition), traits};
}

// Null where no coding is smaller. What is made or found here is kept with the Site, so that the
// next one finds it.
const Variants* TargetMaker::VariantsOf(const Composition& identity) {
  const std::string_view body = identity.shown->payload;
  std::string gzip;
  std::string brotli;
  CodedBody coded;
  const CodedBody* known = impl_.coded.Find(body);
  if (known == nullptr && previous_ != nullptr) {
    known = previous_->Find(body);
    codings_kept_ += known != nullptr;
  }
  if (known != nullptr) {
    coded = *known;
  } else {
    ++bodies_coded_;
    gzip = Gzipped(body);
    brotli = BrotliCoded(body);
    coded = {gzip, brotli};
  }
  auto* variants = coded.empty() ? nullptr : impl_.arena.New<Variants>();
  CodedBody stored;
  if (!coded.gzip.empty()) {
    variants->gzip = Variant(identity, http::Coding::kGzip, coded.gzip);
    stored.gzip = {variants->gzip.bytes + variants->gzip.head_size, coded.gzip.size()};
  }
  if (!coded.brotli.empty()) {
    variants->brotli = Variant(identity, http::Coding::kBrotli, coded.brotli);
    stored.brotli = {variants->brotli.bytes + variants->brotli.head_size, coded.brotli.size()};
  }
  impl_.coded.Add(body, stored);
  return variants;
}

Response TargetMaker::Variant(Composition identity, http::Coding coding, std::string_view coded) {
  identity.varies = true;
  identity.coding = coding;
  identity.coded = coded;
  return responses_.Store(Compose(impl_.config, identity),
                          {SelectorsOf(identity), coding, nullptr});
}

uint32_t TargetMaker::ErrorOf(const config::Rule& rule, uint16_t status) {
  const RuleError error{rule.answer.options.get(), status, IsError(rule.answer),
                        impl_.scopes.Speaking(rule.scope)};
  std::vector<RuleError>& errors = impl_.rule_errors;
  const auto [place, added] =
      error_numbers_.try_emplace(error, static_cast<uint32_t>(errors.size()));
  if (added) errors.push_back(error);
  return place->second;
}

}  // namespace quipd::site
