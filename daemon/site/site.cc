// SPDX-License-Identifier: MIT
#include "site/site.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "http/media_type.h"
#include "http/path.h"
#include "site/site_impl.h"

namespace quipd::site {
namespace {

using http::Method;

bool IsAsterisk(std::string_view path) { return path == "*"; }

// Room for the longest that a request may bring; grows once.
char* RoomFor(size_t size, std::string* text) {
  if (text->size() < size) text->resize(std::max<size_t>(size, 1024));
  return text->data();
}

// What the rules of a path allow together.
class AllowCollector final : public LeafVisitor {
 public:
  bool Visit(const Leaf& leaf) override {
    allow_ = static_cast<uint16_t>(allow_ | leaf.allow);
    if (tokens_ != nullptr && leaf.methods != nullptr) {
      for (const OtherMethod& other : leaf.methods->others) tokens_->emplace(other.token);
    }
    return false;
  }
  void Collect(const View& view, std::string_view path, uint64_t hash, Scratch* scratch) {
    for (const Table* table : view.tables) {
      if (const Leaf* leaf = table->Exact(path, hash)) Visit(*leaf);
      table->VisitPatterns(path, scratch, this);
    }
    scratch->param_count = 0;
  }
  explicit AllowCollector(Tokens* tokens) : tokens_(tokens) {}
  [[nodiscard]] uint16_t allow() const { return allow_; }

 private:
  Tokens* tokens_;
  uint16_t allow_ = 0;
};

const Target* TargetFor(const Leaf& leaf, const http::RequestHead& head) {
  const MethodTable& methods = *leaf.methods;
  if (head.method_id != Method::kOther) return methods.of[static_cast<size_t>(head.method_id)];
  for (const OtherMethod& other : methods.others) {
    if (other.token == head.method) return other.target;
  }
  return methods.of[http::kKnownMethods];
}

// The answers of the longest prefix that the path lies under; null where none are ready.
const OwnAnswers* OwnAnswersOf(const Lookup& lookup) {
  for (const OwnAnswers& own : static_cast<const View*>(lookup.view)->own) {
    if (LiesUnder(lookup.path, *own.prefix)) return &own;
  }
  return nullptr;
}

const ReadyAnswer* ReadyError(const OwnAnswers* own, size_t number) {
  return own != nullptr && number < own->errors.size() ? &own->errors[number] : nullptr;
}

// To a method that no rule of the path takes.
const ReadyAnswer* ReadyForMethod(const OwnAnswers* own, Method method, uint16_t allow) {
  if (own == nullptr) return nullptr;
  const auto found = std::ranges::lower_bound(own->allows, allow, {}, &ReadyAllow::allow);
  if (found == own->allows.end() || found->allow != allow) return nullptr;
  return method == Method::kOptions ? &found->options : &found->not_allowed;
}

// An answer of that status as it was made at load; where it wasn't, Render composes it.
Answer AsReady(const ReadyAnswer* ready, uint16_t status) {
  Answer answer;
  answer.own = true;
  answer.status = status;
  if (ready != nullptr && ready->response.bytes != nullptr) {
    answer.response = &ready->response;
  } else {
    answer.kind = Answer::Kind::kTemplate;
    answer.compiled = ready == nullptr ? nullptr : ready->compiled;
  }
  return answer;
}

Answer Fixed(uint32_t rule, const Response& response) {
  Answer answer;
  answer.rule = rule;
  answer.response = &response;
  return answer;
}

// False where none of the leaf's rules takes the method.
bool Take(const Leaf& leaf, const Request& request, const Lookup& lookup, Answer* answer) {
  const http::RequestHead& head = *request.head;
  if (leaf.methods == nullptr) {
    if (head.method_id > Method::kHead) return false;
    *answer = Fixed(leaf.rule, leaf.get);
    return true;
  }
  const Target* target = TargetFor(leaf, head);
  if (target == nullptr) return false;
  *answer = Fixed(target->rule, target->response);
  answer->draining = target->draining;
  switch (target->kind) {
    case Target::Kind::kFixed:
      break;
    case Target::Kind::kQuery:
      if (head.query.empty()) break;
      [[fallthrough]];
    case Target::Kind::kTemplate:
      answer->kind = Answer::Kind::kTemplate;
      answer->compiled = target->compiled;
      break;
    case Target::Kind::kError:
      *answer = AsReady(ReadyError(OwnAnswersOf(lookup), kFirstRuleError + target->error),
                        target->status);
      answer->own = false;
      answer->rule = target->rule;
      break;
    case Target::Kind::kRelay:
      answer->kind = Answer::Kind::kRelay;
      break;
  }
  return true;
}

}  // namespace

Site::Site(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Site::~Site() = default;

const View* Site::Impl::ViewOf(const Request& request, Scratch* scratch) const {
  if (views.size() == 1) return views.data();
  const View* row = views.data() + (request.listener < rows.size() ? rows[request.listener] : 0);
  const std::string_view authority = request.head->authority;
  if (hosts.none() || authority.empty()) return row;
  char* host = RoomFor(authority.size(), &scratch->host);
  return row + hosts.Find({host, http::CanonicalHost(authority, host)});
}

void Site::Prepare(const Request& request, Scratch* scratch, Lookup* lookup) const {
  const http::RequestHead& head = *request.head;
  lookup->bad_path = false;
  lookup->path = head.path;
  if (!head.plain_path && !IsAsterisk(head.path)) [[unlikely]] {
    char* path = RoomFor(head.path.size(), &scratch->path);
    size_t size = 0;
    lookup->bad_path = http::CanonicalPath(head.path, path, &size) != http::PathFault::kNone;
    lookup->path = {path, lookup->bad_path ? 0 : size};
  }
  lookup->hash = HashOf(lookup->path, impl_->seed);
  const View* view = impl_->ViewOf(request, scratch);
  view->first->Prefetch(lookup->hash);
  lookup->view = view;
  scratch->canonical = lookup->path;
  scratch->view = view;
  scratch->param_count = 0;
}

void Site::Advance(Lookup* lookup) const {
  const auto* view = static_cast<const View*>(lookup->view);
  const Leaf* leaf = view->first->Candidate(lookup->hash);
  lookup->entry = leaf;
  if (leaf == nullptr) return;
  // The leaf, its path and most of a small response.
  const char* line = reinterpret_cast<const char*>(leaf);
  __builtin_prefetch(line);
  __builtin_prefetch(line + 64);
  __builtin_prefetch(line + 128);
  __builtin_prefetch(line + 192);
}

Answer Site::Find(const Request& request, const Lookup& lookup, Scratch* scratch) const {
  const auto* leaf = static_cast<const Leaf*>(lookup.entry);
  if (leaf != nullptr && leaf->get.bytes != nullptr && request.head->method_id <= Method::kHead &&
      leaf->path_text() == lookup.path) [[likely]] {
    return Fixed(leaf->rule, leaf->get);
  }
  return impl_->FindSlowly(request, lookup, scratch);
}

Answer Site::Find(const Request& request, Scratch* scratch) const {
  Lookup lookup;
  Prepare(request, scratch, &lookup);
  Advance(&lookup);
  return Find(request, lookup, scratch);
}

Answer Site::Impl::FindSlowly(const Request& request, const Lookup& lookup,
                              Scratch* scratch) const {
  class Taker final : public LeafVisitor {
   public:
    Taker(const Request& request, const Lookup& lookup) : request_(request), lookup_(lookup) {}
    bool Visit(const Leaf& leaf) override { return Take(leaf, request_, lookup_, &answer); }
    Answer answer;

   private:
    const Request& request_;
    const Lookup& lookup_;
  };

  const auto& view = *static_cast<const View*>(lookup.view);
  if (lookup.bad_path) {
    Answer answer = Fixed(kNoRule, faults[0]);
    answer.own = true;
    answer.close = true;
    answer.status = kFaults[0];
    return answer;
  }
  if (IsAsterisk(lookup.path)) return Own(request, lookup, scratch);
  Taker taker(request, lookup);
  for (const Table* table : view.tables) {
    const Leaf* leaf = table->Exact(lookup.path, lookup.hash);
    if (leaf != nullptr && taker.Visit(*leaf)) return taker.answer;
    if (table->VisitPatterns(lookup.path, scratch, &taker)) return taker.answer;
  }
  return Own(request, lookup, scratch);
}

// No rule takes the request.
Answer Site::Impl::Own(const Request& request, const Lookup& lookup, Scratch* scratch) const {
  const http::RequestHead& head = *request.head;
  const auto& view = *static_cast<const View*>(lookup.view);
  const OwnAnswers* own = OwnAnswersOf(lookup);
  if (head.method_id == Method::kOther && !tokens.contains(head.method)) {
    return AsReady(ReadyError(own, kNotImplemented), 501);
  }
  const uint16_t status = head.method_id == Method::kOptions ? 204 : 405;
  if (IsAsterisk(lookup.path)) {
    const bool ready = own != nullptr && head.method_id == Method::kOptions;
    Answer answer = AsReady(ready ? &own->all_methods : nullptr, status);
    answer.allow = allow;
    return answer;
  }
  AllowCollector collector(nullptr);
  collector.Collect(view, lookup.path, lookup.hash, scratch);
  if (collector.allow() == 0) return AsReady(ReadyError(own, kNotFound), 404);
  Answer answer = AsReady(ReadyForMethod(own, head.method_id, collector.allow()), status);
  answer.allow = collector.allow();
  return answer;
}

std::string Site::Impl::AllowOf(const Answer& answer, const Scratch& scratch) const {
  if (!answer.own || (answer.status != 405 && answer.status != 204)) return {};
  if (IsAsterisk(scratch.canonical)) return AllowText(answer.allow, tokens);
  Tokens named;
  if ((answer.allow & kAllowOthers) != 0) {
    Scratch unused;
    AllowCollector collector(&named);
    collector.Collect(*static_cast<const View*>(scratch.view), scratch.canonical,
                      HashOf(scratch.canonical, seed), &unused);
  }
  return AllowText(answer.allow, named);
}

CompiledTemplate Site::Impl::ComposeOwn(const Answer& answer, const Scratch& scratch) const {
  const auto& view = *static_cast<const View*>(scratch.view);
  RuleError wanted;
  const RuleError* error = nullptr;
  if (answer.rule != kNoRule) {
    const config::Rule& rule = config.rules[answer.rule];
    wanted = {rule.answer.options.get(), answer.status, scopes.Speaking(rule.scope)};
    error = &wanted;
  }
  const std::vector<ScopeId> around = scopes.Around({view.listener, view.hosts}, scratch.canonical,
                                                    error == nullptr ? 0 : error->scope);
  std::string allowed = AllowOf(answer, scratch);
  if (answer.status == 204) return ComposeOptions(config, scopes, around, std::move(allowed));
  return ComposeError(config, scopes, around, answer.status, error, std::move(allowed));
}

size_t Site::Render(const Answer& answer, const Request& request, const Scratch& scratch,
                    std::string_view date, bool head_only, std::string* out,
                    uint16_t* status) const {
  size_t head_size = 0;
  if (answer.compiled != nullptr &&
      !(answer.compiled->wants_host() && request.head->authority.empty())) [[likely]] {
    *status = answer.compiled->status();
    return answer.compiled->Render(request, scratch, date, head_only, out, &head_size);
  }
  Answer own = answer;
  if (answer.compiled != nullptr) {  // a target that needs a host
    own = Answer{};
    own.own = true;
    own.status = 400;
  }
  CompiledTemplate composed = impl_->ComposeOwn(own, scratch);
  if (composed.wants_host() && request.head->authority.empty()) {
    composed = ComposeFault(impl_->config, impl_->scopes, 400);
  }
  *status = composed.status();
  return composed.Render(request, scratch, date, head_only, out, &head_size);
}

Selected Site::Select(const Response& response, const http::RequestHead&, int64_t) const {
  return {&response, {}};
}

Answer Site::ErrorOf(const Answer& answer, uint16_t status, const Request&, const Scratch&) const {
  return Fixed(answer.rule, FaultResponse(status));
}

std::string_view Site::TypeOf(std::string_view name) const { return http::MediaTypeOf(name); }

const Response& Site::FaultResponse(int status) const {
  const auto* at = std::ranges::find(kFaults, status);
  if (at == kFaults.end()) at = std::ranges::find(kFaults, 500);
  return impl_->faults[at - kFaults.begin()];
}

const config::Config& Site::config() const { return impl_->config; }

std::string_view Site::RelayFields(uint32_t rule) const {
  const auto found = impl_->relay_fields.find(rule);
  return found == impl_->relay_fields.end() ? std::string_view() : found->second;
}

size_t Site::memory_bytes() const {
  return impl_->arena.bytes() + impl_->views.size() * sizeof(View) +
         impl_->templates.size() * sizeof(CompiledTemplate);
}

}  // namespace quipd::site
