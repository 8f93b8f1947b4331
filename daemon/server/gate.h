// SPDX-License-Identifier: MIT
// Between the bytes of a client and whatever answers: reads request heads, frames and checks the
// bodies behind them, finds the rule in the Site and sends finished answers or hands the request to
// evhttp. Nothing behind the Gate sees a byte that it has not judged.
//
// One for each worker, used by its thread alone. Heads that came in together are looked up
// together, so that their cache misses overlap.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/request_head.h"
#include "server/body_reader.h"
#include "server/connection.h"
#include "server/context.h"
#include "server/file_responder.h"
#include "server/message.h"
#include "site/site.h"

namespace quipd::server {

class Gate {
 public:
  explicit Gate(Context* context) : context_(*context), files_(context) {}

  // Takes requests, and the body of one begun before, from the front of `input` and answers them.
  // Returns how many bytes were taken: it stops at an incomplete head, where the connection is to
  // end, where its queue is full, and while evhttp answers.
  [[nodiscard]] size_t Take(Connection* connection, std::string_view input);

 private:
  static constexpr size_t kBatch = 16;

  // A request whose head is whole.
  struct Heard {
    http::RequestHead head;
    site::Request request;
    site::Lookup lookup;
    size_t end = 0;  // behind the head, in the input
  };

  // A request that is being answered.
  struct Exchanged {
    Connection* connection;
    site::Request* request;
    const site::Answer& answer;
    const site::Scratch& scratch;
    const std::shared_ptr<const site::Site>& site;
    Persistence persistence;

    [[nodiscard]] bool head_only() const { return request->head->method_id == http::Method::kHead; }
  };

  size_t TakeHeads(Connection* connection, std::string_view input);
  size_t ParseBatch(Connection* connection, std::string_view input, http::HeadResult* stop);
  size_t AnswerBatch(Connection* connection, std::string_view input, size_t count);
  size_t BeginBody(Connection* connection, const Heard& heard, const site::Answer& answer,
                   site::Scratch* scratch, std::string_view rest);
  void AnswerWithoutBody(Connection* connection, const Heard& heard, const site::Answer& answer,
                         site::Scratch* scratch);
  size_t TakeBody(Connection* connection, std::string_view input);
  void AnswerIncoming(Connection* connection);

  // Answers a request whose body, if any, is read.
  void Answer(Connection* connection, site::Request* request, const site::Answer& answer,
              site::Scratch* scratch, const std::shared_ptr<const site::Site>& site,
              std::string&& content);
  void AnswerSelected(const Exchanged& exchanged, const site::Response& response);
  void AnswerFile(const Exchanged& exchanged);
  void AnswerError(const Exchanged& exchanged, uint16_t status, std::string_view fields);
  void SendMessage(const Exchanged& exchanged, std::string_view memory, FileDescriptor file);
  void Render(const Exchanged& exchanged, const site::Answer& answer, std::string_view fields = {});
  void StartRelay(Connection* connection, const site::Request& request, const site::Answer& answer,
                  const site::Scratch& scratch, const std::shared_ptr<const site::Site>& site,
                  std::string&& content, Persistence persistence);
  void Refuse(Connection* connection, int status, bool head_only);

  Context& context_;
  std::array<Heard, kBatch> heard_;
  std::array<site::Scratch, kBatch> scratch_;
  site::Scratch incoming_scratch_;
  FileResponder files_;
  Message message_;
  std::string rendered_;
};

}  // namespace quipd::server
