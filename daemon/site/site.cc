// SPDX-License-Identifier: MIT
#include "site/site.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "http/date.h"
#include "http/path.h"
#include "site/compose.h"
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
const OwnAnswers* OwnAnswersOf(const void* view, std::string_view path) {
  for (const OwnAnswers& own : static_cast<const View*>(view)->own) {
    if (LiesUnder(path, *own.prefix)) return &own;
  }
  return nullptr;
}

const OwnAnswers* OwnAnswersOf(const Lookup& lookup) {
  return OwnAnswersOf(lookup.view, lookup.path);
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

Answer Templated(const Target& target) {
  Answer answer;
  answer.kind = Answer::Kind::kTemplate;
  answer.rule = target.rule;
  answer.compiled = target.compiled;
  return answer;
}

Answer OfFiles(const Target& target, const Scratch& scratch) {
  Answer answer;
  answer.kind = Answer::Kind::kFile;
  answer.rule = target.rule;
  answer.files = target.files;
  if (target.files->is_dir && scratch.param_count > 0) {
    const Param& rest = scratch.params[scratch.param_count - 1];
    answer.below = {rest.data, rest.size};
  }
  return answer;
}

// False where none of the leaf's rules takes the method.
bool Take(const Leaf& leaf, const Request& request, const Lookup& lookup, const Scratch& scratch,
          Answer* answer) {
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
      *answer = Templated(*target);
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
    case Target::Kind::kFile:
      *answer = OfFiles(*target, scratch);
      break;
  }
  return true;
}

// The directory whose path is this one and a slash; null where there is none.
const Target* DirectoryAt(const View& view, std::string_view path, Scratch* scratch) {
  class Finder final : public LeafVisitor {
   public:
    bool Visit(const Leaf& leaf) override {
      if (leaf.directory) found = leaf.methods->of[static_cast<size_t>(Method::kGet)];
      return leaf.directory;
    }
    const Target* found = nullptr;
  };
  Finder finder;
  for (const Table* table : view.tables) {
    if (table->VisitSlashless(path, scratch, &finder)) break;
  }
  return finder.found;
}

// The response in the coding that the request wants most; null where it wants none of them.
const Response* BestCoding(const Response& identity, const http::RequestHead& head) {
  uint8_t available = BitOf(http::Coding::kIdentity);
  const Variants* variants = identity.variants;
  if (variants != nullptr && variants->gzip.bytes != nullptr) {
    available |= BitOf(http::Coding::kGzip);
  }
  if (variants != nullptr && variants->brotli.bytes != nullptr) {
    available |= BitOf(http::Coding::kBrotli);
  }
  const std::optional<http::Coding> coding =
      http::Choose(http::WeightsOf(head.selecting), available);
  if (!coding.has_value()) return nullptr;
  switch (*coding) {
    case http::Coding::kGzip:
      return &variants->gzip;
    case http::Coding::kBrotli:
      return &variants->brotli;
    case http::Coding::kIdentity:
      break;
  }
  return &identity;
}

// As they stand in the response, so that a rule's own count.
http::Validators ValidatorsOf(const Response& response, int64_t now) {
  std::string_view fields(response.bytes, response.date_offset - kDateName);
  fields.remove_prefix(fields.find('\n') + 1);
  const std::string_view modified = http::FindField(fields, "last-modified");
  http::Validators validators;
  validators.etag = http::FindField(fields, "etag");
  if (!modified.empty()) validators.last_modified = http::ParseDate(modified, now);
  return validators;
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
  __builtin_prefetch(line + 256);
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
    Taker(const Request& request, const Lookup& lookup, const Scratch& scratch)
        : request_(request), lookup_(lookup), scratch_(scratch) {}
    bool Visit(const Leaf& leaf) override {
      return Take(leaf, request_, lookup_, scratch_, &answer);
    }
    Answer answer;

   private:
    const Request& request_;
    const Lookup& lookup_;
    const Scratch& scratch_;
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
  Taker taker(request, lookup, *scratch);
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
  uint16_t allowed = collector.allow();
  if (allowed == 0) {
    const Target* directory = DirectoryAt(view, lookup.path, scratch);
    if (directory == nullptr) return AsReady(ReadyError(own, kNotFound), 404);
    if (head.method_id <= Method::kHead) return Templated(*directory);
    allowed = BitOf(Method::kGet) | BitOf(Method::kHead);
  }
  Answer answer = AsReady(ReadyForMethod(own, head.method_id, allowed), status);
  answer.allow = allowed;
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
    wanted = {rule.answer.options.get(), answer.status,
              rule.answer.action == config::Action::kStatus, scopes.Speaking(rule.scope)};
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

Selected Site::Select(const Response& response, const http::RequestHead& head, int64_t now) const {
  Selected selected;
  selected.response = &response;
  const unsigned asked = response.selectors & head.selectors;
  if ((asked & (http::kAcceptEncoding | http::kWeightedCodings)) != 0) {
    selected.response = BestCoding(response, head);
  }
  if (selected.response == nullptr) {
    selected.selection.status = 406;
  } else if ((asked & (http::kConditional | http::kRange)) != 0) {
    const Response& chosen = *selected.response;
    selected.selection = http::Select(head, ValidatorsOf(chosen, now), chosen.body_size, now);
    const uint16_t status = selected.selection.status;
    const bool heeds_range = (response.selectors & http::kRange) != 0;
    if (!heeds_range && (status == 206 || status == 416)) selected.selection.status = 200;
  }
  return selected;
}

Answer Site::ErrorOf(const Answer& answer, uint16_t status, const Request& /*request*/,
                     const Scratch& scratch) const {
  const ReadyAnswer* ready = nullptr;
  const auto numbers = impl_->file_errors.find(answer.rule);
  if (numbers != impl_->file_errors.end() && (status == 404 || status == 500)) {
    const uint32_t number = status == 404 ? numbers->second.not_found : numbers->second.failed;
    ready = ReadyError(OwnAnswersOf(scratch.view, scratch.canonical), kFirstRuleError + number);
  }
  Answer error = AsReady(ready, status);
  error.own = false;
  error.rule = answer.rule;
  return error;
}

std::string_view Site::TypeOf(std::string_view name) const {
  return site::TypeOf(impl_->config, name);
}

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
