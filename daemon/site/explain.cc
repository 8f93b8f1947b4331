// SPDX-License-Identifier: MIT
#include "site/explain.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "config/describe.h"
#include "http/path.h"
#include "http/status.h"
#include "site/scopes.h"

namespace quipd::site {
namespace {

using config::Rule;
using config::Segment;
using http::Method;

constexpr size_t kMostLosers = 100;
constexpr std::string_view kNoDate = "Thu, 01 Jan 1970 00:00:00 GMT";

// A request in canonical form.
struct Heard {
  std::string path;
  std::string host;
  std::string_view method;
  Method method_id = Method::kOther;
  int32_t listener = 0;
  bool bad_path = false;
};

Heard Hear(const Request& request) {
  const http::RequestHead& head = *request.head;
  Heard heard;
  heard.path.resize(head.path.size());
  if (head.path == "*") {
    heard.path = head.path;
  } else {
    size_t size = 0;
    heard.bad_path =
        http::CanonicalPath(head.path, heard.path.data(), &size) != http::PathFault::kNone;
    heard.path.resize(heard.bad_path ? 0 : size);
  }
  heard.host.resize(head.authority.size());
  heard.host.resize(http::CanonicalHost(head.authority, heard.host.data()));
  heard.method = head.method;
  heard.method_id = head.method_id;
  heard.listener = static_cast<int32_t>(request.listener);
  return heard;
}

// How well a rule fits each part of a request; none: it doesn't.
struct Fit {
  bool listener = false;
  std::optional<size_t> host;  // 0: any; more: better
  std::string_view pattern;    // of the host
  bool path = false;
  std::optional<int> method;  // 0: ANY; more: better

  [[nodiscard]] bool All() const { return listener && host && path && method; }
  [[nodiscard]] bool AllButMethod() const { return listener && host && path; }
};

void FitHost(const std::vector<std::string>& set, std::string_view host, Fit* fit) {
  if (set.empty()) fit->host = 0;
  for (const std::string& pattern : set) {
    size_t rank = 0;
    if (pattern.starts_with("*.")) {
      const std::string_view suffix = std::string_view(pattern).substr(1);
      if (host.size() > suffix.size() && host.ends_with(suffix)) rank = suffix.size();
    } else if (host == pattern) {
      rank = SIZE_MAX;
    }
    if (rank == 0 || (fit->host && *fit->host >= rank)) continue;
    fit->host = rank;
    fit->pattern = pattern;
  }
}

bool FitsSegments(std::span<const Segment> segments, std::string_view path) {
  if (segments.empty()) return path.empty();
  if (!path.starts_with('/')) return false;
  path.remove_prefix(1);
  const Segment& segment = segments.front();
  if (segment.kind == Segment::Kind::kRest) return true;
  const std::string_view text = path.substr(0, path.find('/'));
  const bool literal = segment.kind == Segment::Kind::kLiteral;
  const bool fits = literal ? text == segment.before
                            : text.size() > segment.before.size() + segment.after.size() &&
                                  text.starts_with(segment.before) && text.ends_with(segment.after);
  return fits && FitsSegments(segments.subspan(1), path.substr(text.size()));
}

bool Names(const config::Methods& methods, Method method, std::string_view token) {
  if (method != Method::kOther) return (methods.known >> static_cast<int>(method) & 1) != 0;
  return std::ranges::find(methods.other, token) != methods.other.end();
}

std::optional<int> FitMethod(const config::Methods& methods, const Heard& heard) {
  if (Names(methods, heard.method_id, heard.method)) return 2;
  if (heard.method_id == Method::kHead && Names(methods, Method::kGet, "GET")) return 1;
  const bool taken = heard.method_id != Method::kTrace && heard.method_id != Method::kConnect;
  return methods.any && taken ? std::optional<int>(0) : std::nullopt;
}

Fit FitOf(const config::Config& config, const Rule& rule, const Heard& heard) {
  Fit fit;
  fit.listener = rule.listener < 0 || rule.listener == heard.listener;
  FitHost(config.host_sets[rule.host_set], heard.host, &fit);
  fit.path = rule.path.segments.empty() ? rule.path.canonical == heard.path
                                        : FitsSegments(rule.path.segments, heard.path);
  fit.method = FitMethod(rule.methods, heard);
  return fit;
}

struct Weighed {
  const Rule* rule = nullptr;
  uint32_t index = 0;
  Fit fit;
  int distance = 0;
};

// Negative: `a` ranks before `b`. Both match all but perhaps the method.
int Compare(const Weighed& a, const Weighed& b) {
  const auto before = [](bool yes) { return yes ? -1 : 1; };
  if (a.rule->override_on != b.rule->override_on) return before(a.rule->override_on);
  const bool listener = a.rule->listener >= 0;
  if (listener != (b.rule->listener >= 0)) return before(listener);
  if (a.fit.host != b.fit.host) return before(a.fit.host > b.fit.host);
  const int path = ComparePaths(a.rule->path, b.rule->path);
  if (path != 0) return path;
  if (a.fit.method != b.fit.method) return before(a.fit.method > b.fit.method);
  return a.rule->layer != b.rule->layer ? before(a.rule->layer > b.rule->layer) : 0;
}

std::string SegmentText(const Segment& segment) {
  if (segment.kind == Segment::Kind::kRest && segment.name.empty()) return "all below a directory";
  if (segment.kind == Segment::Kind::kLiteral) return "the segment " + segment.before;
  const std::string dots = segment.kind == Segment::Kind::kRest ? "..." : "";
  return segment.before + '{' + segment.name + dots + '}' + segment.after;
}

// The first segment in which a winner's path is better.
std::string PathReason(const Rule& winner, const Rule& loser) {
  std::string_view rest = winner.path.canonical;
  for (size_t i = 0; i < loser.path.segments.size(); ++i) {
    Segment better;
    if (!winner.path.segments.empty()) {
      if (i >= winner.path.segments.size()) break;
      better = winner.path.segments[i];
    } else if (rest.empty()) {
      break;
    } else {
      rest.remove_prefix(1);
      better.before = rest.substr(0, rest.find('/'));
      rest.remove_prefix(better.before.size());
    }
    const Segment& worse = loser.path.segments[i];
    if (better.kind == worse.kind && better.before == worse.before && better.after == worse.after) {
      continue;
    }
    return SegmentText(better) + " goes before " + SegmentText(worse);
  }
  return "its path is less specific";
}

// Why a rule that matches lost to the winner.
std::string LostReason(const Weighed& winner, const Weighed& loser) {
  if (winner.rule->override_on != loser.rule->override_on) return "an override goes before it";
  if ((winner.rule->listener >= 0) != (loser.rule->listener >= 0)) {
    return "a rule of the listener goes before it";
  }
  if (winner.fit.host != loser.fit.host) {
    return "the host " + std::string(winner.fit.pattern) + " goes before " +
           (loser.fit.pattern.empty() ? "any host" : std::string(loser.fit.pattern));
  }
  if (ComparePaths(winner.rule->path, loser.rule->path) != 0) {
    return PathReason(*winner.rule, *loser.rule);
  }
  if (winner.fit.method != loser.fit.method) {
    return config::Describe(winner.rule->methods) + " goes before " +
           config::Describe(loser.rule->methods);
  }
  return "a later part of the configuration replaces it";
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

// Why a rule doesn't match, the rarest part first.
std::string MissReason(const config::Config& config, const Weighed& weighed) {
  const Rule& rule = *weighed.rule;
  if (!weighed.fit.path) return "its path is " + rule.path.written;
  if (!weighed.fit.host) return "its host is " + Joined(config.host_sets[rule.host_set]);
  if (!weighed.fit.listener) {
    const config::Listener& listener = config.listeners[rule.listener];
    return "its listener is " + (listener.name.empty() ? listener.written : listener.name);
  }
  return "it takes " + config::Describe(rule.methods);
}

std::string NameOf(const config::Config& config, const Rule& rule) {
  const std::string where = config.Where(rule.place);
  return (where.empty() ? "" : where + ": ") + config::Describe(rule);
}

uint16_t StatusOf(const Site& site, const Request& request) {
  Scratch scratch;
  const Answer answer = site.Find(request, &scratch);
  if (answer.kind == Answer::Kind::kFixed) return answer.response->status;
  if (answer.kind == Answer::Kind::kRelay || answer.kind == Answer::Kind::kFile) return 200;
  std::string bytes;
  uint16_t status = 0;
  site.Render(answer, request, scratch, kNoDate, true, &bytes, &status);
  return status;
}

// What quipd answers itself, in words.
std::string OwnSummary(const config::Config& config, const Heard& heard, bool known) {
  if (heard.bad_path) return "400: the path holds a NUL";
  const bool named = std::ranges::any_of(config.rules, [&heard](const Rule& rule) {
    return Names(rule.methods, heard.method_id, heard.method);
  });
  if (heard.method_id == Method::kOther && !named) {
    return "501: no rule names the method " + std::string(heard.method);
  }
  if (heard.path == "*") return "204: OPTIONS * is answered with the methods of all rules";
  if (!known) return "404: no rule has this path";
  if (heard.method_id == Method::kOptions) {
    return "204: OPTIONS is answered with the methods of the path's rules";
  }
  return "405: no rule of this path takes " + std::string(heard.method);
}

// The best `dir` whose path is the request's and a slash: what answers where no rule has the path.
const Rule* DirectoryAt(const config::Config& config, const Heard& heard) {
  std::optional<Weighed> best;
  for (uint32_t i = 0; i < config.rules.size(); ++i) {
    const Rule& rule = config.rules[i];
    if (rule.answer.action != config::Action::kDir) continue;
    Weighed weighed{&rule, i, FitOf(config, rule, heard), 0};
    const std::span<const Segment> segments(rule.path.segments);
    weighed.fit.path = FitsSegments(segments.first(segments.size() - 1), heard.path);
    if (!weighed.fit.AllButMethod()) continue;
    if (!best || Compare(weighed, *best) < 0) best = weighed;
  }
  return best ? best->rule : nullptr;
}

// How far a rule is from answering: whole matches, then all but the method, then by what is
// missing.
int Distance(const Fit& fit) {
  return (fit.All() ? 0 : 32) + (fit.AllButMethod() ? 0 : 16) + (fit.path ? 0 : 8) +
         (fit.host ? 0 : 4) + (fit.listener ? 0 : 2) + (fit.method ? 0 : 1);
}

bool Nearer(const Weighed& a, const Weighed& b) {
  if (a.distance != b.distance) return a.distance < b.distance;
  const int rank = a.fit.AllButMethod() ? Compare(a, b) : 0;
  return rank != 0 ? rank < 0 : a.index < b.index;
}

std::vector<Weighed> WeighAll(const config::Config& config, const Heard& heard) {
  std::vector<Weighed> all;
  all.reserve(config.rules.size());
  for (uint32_t i = 0; i < config.rules.size(); ++i) {
    const Fit fit = FitOf(config, config.rules[i], heard);
    all.push_back({&config.rules[i], i, fit, Distance(fit)});
  }
  const size_t shown = std::min(all.size(), kMostLosers + 1);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), all.end(),
                    Nearer);
  return all;
}

}  // namespace

Explanation Explain(const Site& site, const Request& request) {
  const config::Config& config = site.config();
  const Heard heard = Hear(request);
  const std::vector<Weighed> all = WeighAll(config, heard);
  Explanation explanation;
  explanation.status = StatusOf(site, request);
  const bool won = !all.empty() && all.front().fit.All() && !heard.bad_path;
  const bool known = !all.empty() && all.front().fit.AllButMethod();
  const Rule* directory = known || heard.bad_path ? nullptr : DirectoryAt(config, heard);
  if (won) {
    explanation.rule = all.front().index;
    explanation.summary = NameOf(config, *all.front().rule);
  } else if (directory != nullptr && heard.method_id <= Method::kHead) {
    explanation.rule = static_cast<uint32_t>(directory - config.rules.data());
    explanation.summary =
        NameOf(config, *directory) + ": its path without the slash is redirected to it";
  } else {
    explanation.summary = OwnSummary(config, heard, known || directory != nullptr);
  }
  for (const Weighed& loser : all) {
    if (explanation.losers.size() == kMostLosers) break;
    if (loser.index == explanation.rule) continue;
    explanation.losers.push_back(
        {loser.index, loser.fit.AllButMethod(),
         won && loser.fit.All() ? LostReason(all.front(), loser) : MissReason(config, loser)});
  }
  return explanation;
}

}  // namespace quipd::site
