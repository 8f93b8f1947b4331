// SPDX-License-Identifier: MIT
#include "conformance/run_case.h"

#include <sched.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "client/content_coding.h"
#include "client/multipart.h"

namespace quipd::test {
namespace {

constexpr std::string_view kCanary =
    "GET /canary HTTP/1.1\r\nHost: canary\r\nConnection: close\r\n\r\n";

// Long requests are sent byte by byte at both ends only.
void SendBytewise(std::string_view bytes, Client* client) {
  constexpr size_t kEdge = 600;
  constexpr size_t kTurn = 16;  // so often the daemon is let go first
  for (size_t at = 0; at < bytes.size();) {
    const bool edge = at < kEdge || at + kEdge > bytes.size();
    const size_t size = edge ? 1 : std::min<size_t>(977, bytes.size() - kEdge - at + 1);
    if (!client->Send(bytes.substr(at, size))) {
      return;
    }
    at += size;
    if (at % kTurn == 0) {
      sched_yield();
    }
  }
}

void SendByLine(std::string_view bytes, Client* client) {
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find("\r\n"), bytes.size() - 2) + 2;
    if (!client->Send(bytes.substr(0, end))) {
      return;
    }
    bytes.remove_prefix(std::min(end, bytes.size()));
    sched_yield();
  }
}

void SendAs(Way way, std::string_view bytes, Client* client) {
  switch (way) {
    case Way::kWhole:
      client->Send(bytes);
      break;
    case Way::kBytewise:
      SendBytewise(bytes, client);
      break;
    case Way::kByLine:
      SendByLine(bytes, client);
      break;
  }
}

std::string CheckStatus(const ExpectedResponse& expected, const Response& got) {
  if (std::find(expected.statuses.begin(), expected.statuses.end(), got.status) !=
      expected.statuses.end()) {
    return "";
  }
  std::string wanted;
  for (const int status : expected.statuses) {
    wanted += (wanted.empty() ? "" : " or ") + std::to_string(status);
  }
  return "status " + std::to_string(got.status) + " instead of " + wanted + " " + got.fault + "\n" +
         got.raw + "\n";
}

// Whether a field's value is what a case wants.
bool Fits(const std::string& wanted, const std::string& value) {
  if (wanted.starts_with('~')) {
    return value.find(wanted.substr(1)) != std::string::npos;
  }
  return wanted == "*" || value == wanted;
}

std::string CheckParts(const ExpectedResponse& expected, const Multipart& got) {
  std::string faults = got.fault.empty() ? "" : got.fault + "\n";
  if (got.parts.size() != expected.parts.size()) {
    faults += std::to_string(got.parts.size()) + " parts\n";
  }
  for (size_t i = 0; i < std::min(got.parts.size(), expected.parts.size()); ++i) {
    const std::string range = got.parts[i].Value("Content-Range");
    if (range != expected.parts[i].content_range || got.parts[i].body != expected.parts[i].body) {
      faults += "part " + std::to_string(i) + " is " + range + ": " + got.parts[i].body + "\n";
    }
  }
  return faults;
}

// `content` is what body_of speaks of.
std::string CheckContent(const BodyOf& expected, const std::string& content, const Response& got) {
  const std::string coding = got.Value("Content-Encoding");
  if (!expected.decoded) {
    const size_t first = std::min(expected.first, content.size());
    const bool same = got.body == content.substr(first, expected.last + 1 - first);
    return same && coding == expected.coding ? "" : "the body is not those bytes\n";
  }
  const std::optional<std::string> decoded = coding.empty() ? got.body : Decode(coding, got.body);
  return decoded == content ? "" : "the body is not that of " + expected.path + "\n";
}

std::string CheckResponse(const ExpectedResponse& expected, const std::string& content,
                          const Response& got, const Multipart& parts) {
  std::string faults = CheckStatus(expected, got);
  for (const auto& [name, value] : expected.fields) {
    if (!got.Find(name) || !Fits(value, got.Value(name))) {
      faults += name + " is \"" + got.Find(name).value_or("(missing)") + "\"\n";
    }
  }
  for (const std::string& name : expected.forbidden) {
    faults += got.Find(name) ? name + " is there\n" : "";
  }
  if (expected.has_body && got.body != expected.body) {
    faults += "body is \"" + got.body.substr(0, 500) + "\"\n";
  }
  faults += CheckParts(expected, parts);
  faults += expected.body_of ? CheckContent(*expected.body_of, content, got) : "";
  for (const std::string& text : expected.holds) {
    faults += got.body.find(text) == std::string::npos
                  ? "\"" + text + "\" is not in the body: " + got.body.substr(0, 500) + "\n"
                  : "";
  }
  for (const std::string& text : expected.lacks) {
    faults += got.body.find(text) != std::string::npos
                  ? "\"" + text + "\" is in the body: " + got.body.substr(0, 500) + "\n"
                  : "";
  }
  return faults;
}

// RFC 9112 9.6: who closes says so in the last answer. To HTTP/1.0 it goes without saying.
bool MustSayClose(const Case& wanted) {
  return wanted.end == Case::End::kClose && wanted.request.find("HTTP/1.0") == std::string::npos;
}

// All that must be equal for equal requests: without the time, and without a boundary, which may be
// drawn anew each time.
std::string Transcript(const Response& got, const std::string& boundary) {
  std::string text = got.WithoutDate();
  for (size_t at = text.find(boundary); !boundary.empty() && at != text.npos;
       at = text.find(boundary, at)) {
    text.replace(at, boundary.size(), "*");
  }
  return text;
}

// Reads the answers that the case wants; false where one is missing, so that reading on is of no
// use.
bool ReadAnswers(const ReadyCase& ready, Client* client, Result* result) {
  const Case& wanted = ready.wanted;
  std::optional<Response> ahead;
  for (size_t i = 0; i < wanted.responses.size(); ++i) {
    const ExpectedResponse& expected = wanted.responses[i];
    Response got = ahead ? std::move(*ahead) : client->Read(expected.to_head);
    ahead.reset();
    if (expected.optional_interim) {
      if (got.status != 100) {
        ahead = std::move(got);
      }
      continue;
    }
    const bool none = got.status == 0 && got.fault == "closed without a response";
    if (none && expected.may_be_missing) {
      return false;
    }
    const std::string type = got.Value("Content-Type");
    const bool multipart = got.status == 206 && type.starts_with("multipart/");
    const Multipart parts = multipart ? ParseMultipart(type, got.body) : Multipart();
    result->faults += CheckResponse(expected, ready.bodies[i], got, parts);
    result->transcript += Transcript(got, parts.boundary);
    if (i + 1 == wanted.responses.size() && MustSayClose(wanted) && got.status >= 200 &&
        got.Value("Connection") != "close") {
      result->faults += "the connection is closed without saying so\n";
    }
    if (got.status == 0) {
      return false;
    }
  }
  return true;
}

void CheckEnd(const Case& wanted, Client* client, Result* result) {
  if (wanted.end == Case::End::kOpen) {
    const Response canary = client->Read();
    if (canary.status != 200 || canary.body != "canary") {
      result->faults += "the request behind is not answered: " + canary.fault + canary.raw + "\n";
    }
  }
  const End end = client->WaitEnd();
  if (end == End::kBytes) {
    result->faults += "stray bytes: " + client->ReadToEnd().substr(0, 500) + "\n";
  } else if (end == End::kOpen) {
    result->faults += "the connection stays open\n";
  } else if (end == End::kCut) {
    result->faults += "the connection ends without close_notify\n";
  }
}

}  // namespace

ReadyCase Prepare(Case wanted, Endpoints* endpoints) {
  ReadyCase ready{std::move(wanted), {}};
  ready.wanted.request = endpoints->Expand(ready.wanted.request);
  for (ExpectedResponse& expected : ready.wanted.responses) {
    for (auto& [name, value] : expected.fields) {
      value = endpoints->Expand(value);
    }
    const std::optional<BodyOf>& of = expected.body_of;
    ready.bodies.push_back(of ? endpoints->Get(of->path, of->coding).body : "");
  }
  return ready;
}

Result Run(const ReadyCase& ready, Way way, const Endpoint& endpoint) {
  const Case& wanted = ready.wanted;
  Result result;
  Client client = endpoint.Connect();
  if (!client.connected()) {
    result.faults = client.fault() + "\n";
    return result;
  }
  if (wanted.end == Case::End::kHalfClose) {
    SendAs(way, wanted.request, &client);
    client.HalfClose();
  } else {
    SendAs(way, wanted.request + std::string(kCanary), &client);
  }
  const bool whole = ReadAnswers(ready, &client, &result);
  if (whole || result.faults.empty()) {
    CheckEnd(wanted, &client, &result);
  }
  return result;
}

}  // namespace quipd::test
