// SPDX-License-Identifier: MIT
#include "server/gate.h"

#include <algorithm>
#include <utility>

#include "http/path.h"
#include "server/file_body.h"
#include "server/partial.h"

namespace quipd::server {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

bool IsHead(const http::RequestHead& head) { return head.method_id == http::Method::kHead; }

Persistence PersistenceOf(const http::RequestHead& head, bool close) {
  if (close) return Persistence::kClose;
  return head.keep_alive_10 ? Persistence::kKeepAlive : Persistence::kImplied;
}

int StatusOf(BodyReader::State state) { return state == BodyReader::State::kTooLarge ? 413 : 400; }

}  // namespace

size_t Gate::Take(Connection* connection, std::string_view input) {
  size_t taken = 0;
  while (taken < input.size() && connection->TakesRequests()) {
    const std::string_view rest = input.substr(taken);
    const size_t more = connection->incoming() != nullptr ? TakeBody(connection, rest)
                                                          : TakeHeads(connection, rest);
    if (more == 0) break;
    taken += more;
  }
  return taken;
}

size_t Gate::TakeHeads(Connection* connection, std::string_view input) {
  http::HeadResult stop;
  const size_t count = ParseBatch(connection, input, &stop);
  size_t taken = 0;
  if (count > 0) {
    taken = AnswerBatch(connection, input, count);
    if (taken != heard_[count - 1].end || !connection->TakesRequests()) return taken;
  }
  if (stop.state == http::HeadState::kFault) {
    Refuse(connection, StatusOf(stop.fault), IsHead(heard_[count].head));
  }
  return taken;
}

// Parses up to kBatch heads; `stop` says why it ended before. A request with a body ends a batch.
size_t Gate::ParseBatch(Connection* connection, std::string_view input, http::HeadResult* stop) {
  const site::Site& site = *context_.site;
  size_t count = 0;
  size_t position = 0;
  bool ended = false;
  while (count < kBatch && position < input.size() && !ended) {
    Heard& heard = heard_[count];
    *stop = http::ParseRequestHead(input.substr(position), context_.limits, &heard.head,
                                   count > 0 ? &heard_[count - 1].head : nullptr);
    if (stop->state != http::HeadState::kComplete) break;
    position += stop->length;
    heard.end = position;
    heard.request = {&heard.head, connection->listener_number(), connection->secure(), {}};
    site.Prepare(heard.request, &scratch_[count], &heard.lookup);
    ended = heard.head.close || heard.head.HasBody();
    ++count;
  }
  // While draining, the last request that is here ends the connection.
  if (context_.draining && count > 0 && (count < kBatch || position == input.size())) {
    heard_[count - 1].head.close = true;
  }
  for (size_t i = 0; i < count; ++i) site.Advance(&heard_[i].lookup);
  return count;
}

// Answers the batch in order as far as the connection takes answers; returns the bytes taken.
size_t Gate::AnswerBatch(Connection* connection, std::string_view input, size_t count) {
  // A Site posted while this runs is not seen before the next read; the reference is safe.
  const std::shared_ptr<const site::Site>& site = context_.site;
  size_t taken = 0;
  for (size_t i = 0; i < count && connection->TakesRequests(); ++i) {
    Heard& heard = heard_[i];
    const site::Answer answer = site->Find(heard.request, heard.lookup, &scratch_[i]);
    taken = heard.end;
    if (heard.head.HasBody()) {
      return taken + BeginBody(connection, heard, answer, &scratch_[i], input.substr(heard.end));
    }
    Answer(connection, &heard.request, answer, &scratch_[i], site, {});
  }
  return taken;
}

// Reads as much of the body as is here. A body that is whole is answered at once; else the request
// waits for the rest of it. What quipd answers itself doesn't make a client that asks (Expect) send
// its body.
size_t Gate::BeginBody(Connection* connection, const Heard& heard, const site::Answer& answer,
                       site::Scratch* scratch, std::string_view rest) {
  const http::RequestHead& head = heard.head;
  BodyReader reader(head, context_.body_limit);
  const bool wanted = answer.kind == site::Answer::Kind::kRelay;
  std::string content;
  size_t taken = 0;
  if (answer.close || (answer.own && head.expect_continue && !reader.is_too_large())) {
    AnswerWithoutBody(connection, heard, answer, scratch);
    return taken;
  }
  const BodyReader::State state = reader.Read(rest, wanted ? &content : nullptr, &taken);
  switch (state) {
    case BodyReader::State::kDone: {
      site::Request request = heard.request;
      Answer(connection, &request, answer, scratch, context_.site, std::move(content));
      break;
    }
    case BodyReader::State::kMore: {
      auto incoming = std::make_unique<Incoming>(head, context_.site, reader);
      incoming->content = std::move(content);
      incoming->wanted = wanted;
      connection->SetIncoming(std::move(incoming));
      if (head.expect_continue && rest.empty()) connection->Send(kContinue);
      break;
    }
    case BodyReader::State::kInvalid:
    case BodyReader::State::kTooLarge:
      Refuse(connection, StatusOf(state), IsHead(head));
      break;
  }
  return taken;
}

// The body is never read: the connection ends behind the answer.
void Gate::AnswerWithoutBody(Connection* connection, const Heard& heard, const site::Answer& answer,
                             site::Scratch* scratch) {
  http::RequestHead head = heard.head;
  head.close = true;
  site::Request request = heard.request;
  request.head = &head;
  Answer(connection, &request, answer, scratch, context_.site, {});
  connection->EndAfterReplies(true);
}

size_t Gate::TakeBody(Connection* connection, std::string_view input) {
  Incoming& incoming = *connection->incoming();
  size_t taken = 0;
  const BodyReader::State state =
      incoming.reader.Read(input, incoming.wanted ? &incoming.content : nullptr, &taken);
  if (state == BodyReader::State::kDone) {
    AnswerIncoming(connection);
  } else if (state != BodyReader::State::kMore) {
    const bool head_only = IsHead(incoming.head);
    static_cast<void>(connection->TakeIncoming());
    Refuse(connection, StatusOf(state), head_only);
  }
  return taken;
}

void Gate::AnswerIncoming(Connection* connection) {
  const std::unique_ptr<Incoming> incoming = connection->TakeIncoming();
  if (context_.draining) incoming->head.close = true;
  site::Request request{&incoming->head, connection->listener_number(), connection->secure(), {}};
  const site::Answer answer = incoming->site->Find(request, &incoming_scratch_);
  Answer(connection, &request, answer, &incoming_scratch_, incoming->site,
         std::move(incoming->content));
}

void Gate::Answer(Connection* connection, site::Request* request, const site::Answer& answer,
                  site::Scratch* scratch, const std::shared_ptr<const site::Site>& site,
                  std::string&& content) {
  const http::RequestHead& head = *request->head;
  const bool close = head.close || answer.close;
  const Persistence persistence = PersistenceOf(head, close);
  const Exchanged exchanged{connection, request, answer, *scratch, site, persistence};
  context_.counters.requests.Add(1);
  switch (answer.kind) {
    case site::Answer::Kind::kFixed: {
      const site::Response& response =
          context_.not_ready && answer.draining != nullptr ? *answer.draining : *answer.response;
      if ((head.selectors & response.selectors) != 0) [[unlikely]] {
        AnswerSelected(exchanged, response);
      } else {
        connection->Reply(response, IsHead(head), persistence, site);
      }
      break;
    }
    case site::Answer::Kind::kTemplate:
      Render(exchanged, answer);
      break;
    case site::Answer::Kind::kRelay:
      StartRelay(connection, *request, answer, *scratch, site, std::move(content), persistence);
      return;  // ends the connection itself when the answer is through
    case site::Answer::Kind::kFile:
      AnswerFile(exchanged);
      break;
  }
  if (close) connection->EndAfterReplies(answer.close);
}

// A condition, a range or a coding asks for another answer than the plain one.
void Gate::AnswerSelected(const Exchanged& exchanged, const site::Response& response) {
  const site::Selected selected =
      exchanged.site->Select(response, *exchanged.request->head, context_.unix_seconds);
  if (selected.response == nullptr) return AnswerError(exchanged, 406, {});
  const site::Response& chosen = *selected.response;
  switch (selected.selection.status) {
    case 200:
      return exchanged.connection->Reply(chosen, exchanged.head_only(), exchanged.persistence,
                                         exchanged.site);
    case 412:
      return AnswerError(exchanged, 412, {});
    case 416:
      message_.text = "Content-Range: ";
      http::AppendUnsatisfiedRange(chosen.body_size, &message_.text);
      message_.text += "\r\n";
      return AnswerError(exchanged, 416, message_.text);
    default:
      ComposePartial(chosen, selected.selection, context_.date, &message_);
      return SendMessage(exchanged, {chosen.bytes + chosen.head_size, chosen.body_size}, {});
  }
}

void Gate::AnswerFile(const Exchanged& exchanged) {
  FileDescriptor file;
  const uint16_t error = files_.Answer(*exchanged.site, exchanged.answer, *exchanged.request,
                                       exchanged.scratch, &message_, &file);
  if (error != 0) return AnswerError(exchanged, error, message_.text);
  SendMessage(exchanged, {}, std::move(file));
}

// The error that the rule has in place of its answer, with `fields` beside its own.
void Gate::AnswerError(const Exchanged& exchanged, uint16_t status, std::string_view fields) {
  const site::Answer error =
      exchanged.site->ErrorOf(exchanged.answer, status, *exchanged.request, exchanged.scratch);
  if (error.kind != site::Answer::Kind::kFixed) return Render(exchanged, error, fields);
  Connection& connection = *exchanged.connection;
  const site::Response& response = *error.response;
  if (fields.empty()) {
    return connection.Reply(response, exchanged.head_only(), exchanged.persistence, exchanged.site);
  }
  const std::string_view head(response.bytes, response.head_size);
  connection.Send(head.substr(0, response.date_offset - site::kDateName));
  connection.Send(fields);
  connection.Send(FieldOf(exchanged.persistence));
  connection.Send(head.substr(response.date_offset - site::kDateName, site::kDateName));
  connection.Send({context_.date.data(), context_.date.size()});
  connection.Send(head.substr(response.date_offset + http::kDateLength));
  if (!exchanged.head_only()) {
    connection.SendBody({response.bytes + response.head_size, response.body_size}, exchanged.site);
  }
}

// Sends message_, the slices of its body out of `memory` or of a file.
void Gate::SendMessage(const Exchanged& exchanged, std::string_view memory, FileDescriptor file) {
  Connection& connection = *exchanged.connection;
  const std::string_view head = std::string_view(message_.text).substr(0, message_.head_size);
  connection.Send(head.substr(0, message_.splice));
  connection.Send(FieldOf(exchanged.persistence));
  connection.Send(head.substr(message_.splice));
  if (exchanged.head_only()) return;
  if (!file) {
    for (size_t i = 0; i < message_.body.size(); ++i) {
      connection.Send(message_.TextOf(i));
      const Message::Slice& slice = message_.body[i];
      connection.SendBody(memory.substr(slice.offset, slice.size), exchanged.site);
    }
  } else if (message_.body.size() == 1) {
    connection.SendFile(std::move(file), message_.body[0].offset, message_.body[0].size);
  } else {
    std::vector<FileSlice> slices;
    for (size_t i = 0; i < message_.body.size(); ++i) {
      const Message::Slice& slice = message_.body[i];
      slices.push_back({std::string(message_.TextOf(i)), slice.offset, slice.size});
    }
    connection.SendFile(FileBody(std::move(file), std::move(slices)));
  }
}

// Renders an answer that is not finished; `fields`, each with its CRLF, stand beside its own.
void Gate::Render(const Exchanged& exchanged, const site::Answer& answer, std::string_view fields) {
  Connection& connection = *exchanged.connection;
  const std::string client = connection.ClientText();
  exchanged.request->client = client;
  rendered_.clear();
  uint16_t status = 0;
  const size_t splice = exchanged.site->Render(answer, *exchanged.request, exchanged.scratch,
                                               {context_.date.data(), context_.date.size()},
                                               exchanged.head_only(), &rendered_, &status);
  const std::string_view whole = rendered_;
  connection.Send(whole.substr(0, splice));
  connection.Send(fields);
  connection.Send(FieldOf(exchanged.persistence));
  connection.Send(whole.substr(splice));
}

void Gate::StartRelay(Connection* connection, const site::Request& request,
                      const site::Answer& answer, const site::Scratch& scratch,
                      const std::shared_ptr<const site::Site>& site, std::string&& content,
                      Persistence persistence) {
  auto exchange = std::make_unique<Exchange>();
  exchange->site = site;
  exchange->rule = answer.rule;
  exchange->head_bytes = request.head->bytes;
  exchange->head = ParseAgain(exchange->head_bytes);
  for (uint16_t i = 0; i < scratch.param_count; ++i) {
    const site::Param& param = scratch.params[i];
    exchange->params.push_back(http::DecodedText({param.data, param.size}));
  }
  exchange->body = std::move(content);
  exchange->client = connection->ClientText();
  exchange->secure = connection->secure();
  context_.counters.relayed.Add(1);
  if (!connection->StartExchange(std::move(exchange), persistence)) {
    connection->Reply(site->FaultResponse(503), IsHead(*request.head), persistence, site);
    if (persistence == Persistence::kClose) connection->EndAfterReplies(false);
  }
}

void Gate::Refuse(Connection* connection, int status, bool head_only) {
  context_.counters.faults.Add(1);
  connection->Reply(context_.site->FaultResponse(status), head_only, Persistence::kClose,
                    context_.site);
  connection->EndAfterReplies(true);
}

}  // namespace quipd::server
