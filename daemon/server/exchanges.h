// SPDX-License-Identifier: MIT
// The exchanges that are under way between a worker and its evhttp, and the ids in a header of each
// request by which the handler finds its exchange. An id is a number and a random 128-bit token
// drawn for this worker, so that no other process can guess one.
//
// One thread: the worker's. An Exchange lives until it was removed and every handler let go of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/diagnostic.h"
#include "server/relay.h"

namespace quipd::server {

inline constexpr std::string_view kExchangeField = "Quipd-Exchange";

// 32 hexadecimal digits from the system's generator.
[[nodiscard]] Result<std::string> RandomToken();

class Exchanges {
 public:
  [[nodiscard]] static Result<Exchanges> Create();

  // Its number: 1 and up, never used again.
  uint64_t Add(std::shared_ptr<const Exchange> exchange);
  void Remove(uint64_t id) { under_way_.erase(id); }

  // The value of kExchangeField for that number.
  [[nodiscard]] std::string FieldValue(uint64_t id) const;

  // The exchange that a field value names; null where the token is wrong or none has that number.
  // How long it takes doesn't tell how much of the token was right.
  [[nodiscard]] std::shared_ptr<const Exchange> Find(std::string_view field_value) const;

 private:
  explicit Exchanges(std::string token) : token_(std::move(token)) {}

  std::string token_;  // constant after construction
  uint64_t last_id_ = 0;
  std::unordered_map<uint64_t, std::shared_ptr<const Exchange>> under_way_;
};

}  // namespace quipd::server
