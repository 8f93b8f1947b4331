// SPDX-License-Identifier: MIT
#include "server/file_responder.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "http/accept.h"
#include "http/media_type.h"
#include "http/path.h"
#include "server/context.h"
#include "server/file_text.h"
#include "server/listing.h"
#include "server/partial.h"

namespace quipd::server {
namespace {

using Kind = FileState::Kind;

constexpr std::string_view kIndex = "index.html";
constexpr size_t kMostFolders = 64;     // that a worker holds open
constexpr int64_t kWarningMs = 10'000;  // at least, from one warning to the next
constexpr uint8_t kCodings = http::Selector::kAcceptEncoding | http::Selector::kWeightedCodings;

bool IsOfADirectory(std::string_view below) { return below.empty() || below.ends_with('/'); }

// A '/' of data is in no name of a file. Names of the request are judged, not those of a link's
// target: a mounted ConfigMap is links through ..data.
bool MayBeServed(std::string_view below, bool dotfiles) {
  if (below.find(http::kDataSlash) != std::string_view::npos) return false;
  return dotfiles || (!below.starts_with('.') && below.find("/.") == std::string_view::npos);
}

std::string_view SuffixOf(http::Coding coding) {
  return coding == http::Coding::kBrotli ? ".br" : ".gz";
}

}  // namespace

uint16_t FileResponder::Answer(const site::Site& site, const site::Answer& answer,
                               const site::Request& request, const site::Scratch& scratch,
                               Message* message, FileDescriptor* file) {
  message->Clear();
  const site::FileRule& rule = *answer.files;
  const Question question{site,    rule, scratch.canonical, answer.below, *request.head,
                          message, file};
  if (!rule.is_dir) return AnswerFileRule(question);
  Folder* folder = FolderOf(site, rule);
  const uint16_t status = AnswerBelow(question, folder);
  if (status != 404 || rule.options->fallback.empty()) return status;
  return AnswerNamed(question, folder, rule.options->fallback);
}

uint16_t FileResponder::AnswerFileRule(const Question& question) {
  const site::FileRule& rule = question.rule;
  ShownFile shown;
  shown.state = OpenFile(rule.path, question.file);
  if (shown.state.kind == Kind::kFault) return Fail(rule.path, shown.state.error);
  if (shown.state.kind != Kind::kFile) return 404;
  shown.type = rule.type.empty() ? question.site.TypeOf(rule.path) : rule.type;
  return Show(question, shown);
}

uint16_t FileResponder::AnswerBelow(const Question& question, Folder* folder) {
  const config::Options& options = *question.rule.options;
  const std::string_view below = question.below;
  if (!MayBeServed(below, options.dotfiles)) return 404;
  if (!IsOfADirectory(below)) return AnswerNamed(question, folder, below);
  name_.assign(below).append(kIndex);
  const uint16_t status = AnswerNamed(question, folder, name_);
  return status == 404 && options.listing ? AnswerListing(question, folder) : status;
}

// 404 comes before anything is put into the message.
uint16_t FileResponder::AnswerNamed(const Question& question, Folder* folder,
                                    std::string_view name) {
  const site::FileRule& rule = question.rule;
  ShownFile shown;
  shown.type = rule.type.empty() ? question.site.TypeOf(name) : rule.type;
  shown.is_negotiated = rule.options->compress && http::IsCompressible(shown.type);
  http::CodingWeights weights;
  if ((question.head.selectors & kCodings) != 0) weights = http::WeightsOf(question.head.selecting);
  shown.state = OpenBest(question, folder, name, weights, &shown);
  switch (shown.state.kind) {
    case Kind::kFile:
      break;
    case Kind::kDirectory:
      return AnswerDirectory(question, folder, name);
    case Kind::kFault:
      return Fail(folder->last_path(), shown.state.error);
    case Kind::kMissing:
      return 404;
  }
  if (shown.coding == http::Coding::kIdentity && weights.identity == 0) {
    question.file->Reset();
    return 406;
  }
  return Show(question, shown);
}

// Opens the file in the best coding that stands beside it. As elsewhere, a sibling counts whatever
// its age: who makes them knows, and a copied tree has any times.
FileState FileResponder::OpenBest(const Question& question, Folder* folder, std::string_view name,
                                  const http::CodingWeights& weights, ShownFile* shown) {
  const bool wants_coding = weights.brotli > 0 || weights.gzip > 0;
  if (!shown->is_negotiated || !wants_coding) return folder->Open(name, question.file);
  const FileState original = folder->Look(name);
  if (original.kind != Kind::kFile) return original;
  uint8_t available = http::BitOf(http::Coding::kIdentity) | http::BitOf(http::Coding::kGzip) |
                      http::BitOf(http::Coding::kBrotli);
  for (;;) {
    const http::Coding coding = http::Choose(weights, available).value_or(http::Coding::kIdentity);
    if (coding == http::Coding::kIdentity) return folder->Open(name, question.file);
    sibling_.assign(name).append(SuffixOf(coding));
    const FileState state = folder->Open(sibling_, question.file);
    if (state.kind == Kind::kFile) {
      shown->coding = coding;
      return state;
    }
    available &= static_cast<uint8_t>(~http::BitOf(coding));
  }
}

uint16_t FileResponder::Show(const Question& question, const ShownFile& shown) {
  Message& message = *question.message;
  const Moment now{context_.unix_seconds, context_.date};
  const uint16_t error = ComposeFile(question.rule, shown, question.head, now, &message);
  if (question.head.method_id == http::Method::kHead) message.body.clear();
  if (message.body.empty()) question.file->Reset();
  return error;
}

// A directory without its slash: links of its page would be wrong, so the client asks again. The
// path is what was understood, not what was sent, and has one slash in front: it can't name another
// host.
uint16_t FileResponder::AnswerDirectory(const Question& question, Folder* folder,
                                        std::string_view name) {
  if (IsOfADirectory(question.below) || name.data() != question.below.data()) return 404;
  if (folder->Find(name).kind != Kind::kDirectory) return 404;
  const http::RequestHead& head = question.head;
  std::string& text = question.message->text;
  BeginFileHead(question.rule, 301, &text);
  if (http::FindField(question.rule.fields, "location").data() == nullptr) {
    text.append("Location: ");
    http::AppendPercentEncoded(question.path, true, &text);
    text.append("/");
    if (head.query.data() != nullptr) text.append("?").append(head.query);
    text.append("\r\n");
  }
  AppendVary(question.rule, "", &text);
  AppendContentLength(0, &text);
  EndHead(context_.date, question.message);
  return 0;
}

uint16_t FileResponder::AnswerListing(const Question& question, Folder* folder) {
  FileDescriptor directory;
  const FileState state = folder->OpenDirectory(question.below, &directory);
  if (state.kind == Kind::kFault) return Fail(folder->last_path(), state.error);
  if (state.kind != Kind::kDirectory) return 404;
  const bool dotfiles = question.rule.options->dotfiles;
  const Listing listing = ReadListing(folder, question.below, std::move(directory), dotfiles);
  if (listing.error != 0) return Fail(folder->path(), listing.error);

  std::string page;
  const bool json = http::PrefersJson(question.head.fields);
  if (json) {
    AppendJsonListing(listing, &page);
  } else {
    AppendHtmlListing(listing, question.path, !question.below.empty(), &page);
  }
  Message& message = *question.message;
  BeginFileHead(question.rule, 200, &message.text);
  message.text.append(json ? "Content-Type: application/json\r\n"
                           : "Content-Type: text/html; charset=utf-8\r\n");
  AppendContentLength(page.size(), &message.text);
  AppendVary(question.rule, "Accept", &message.text);
  EndHead(context_.date, &message);
  if (question.head.method_id == http::Method::kHead) return 0;
  message.text.append(page);
  message.body.push_back({message.text.size(), 0, 0});
  return 0;
}

uint16_t FileResponder::Fail(const std::string& path, int error) {
  if (context_.now_ms < next_warning_ms_) return 500;
  next_warning_ms_ = context_.now_ms + kWarningMs;
  spdlog::warn("opening {}: {}", QuotedForLog(path), std::strerror(error));
  return 500;
}

Folder* FileResponder::FolderOf(const site::Site& site, const site::FileRule& rule) {
  if (site_ != &site) {
    site_ = &site;
    folders_.clear();  // those of rules that are gone would stay open
  }
  const config::Symlinks links = rule.options->symlinks;
  for (const std::unique_ptr<Folder>& folder : folders_) {
    if (folder->links() == links && folder->path() == rule.path) return folder.get();
  }
  auto made = std::make_unique<Folder>(rule.path, links);
  if (folders_.size() < kMostFolders) return folders_.emplace_back(std::move(made)).get();
  std::unique_ptr<Folder>& place = folders_[next_folder_++ % kMostFolders];
  place = std::move(made);
  return place.get();
}

}  // namespace quipd::server
