// SPDX-License-Identifier: MIT
#include "server/exchanges.h"

#include <sys/random.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace quipd::server {
namespace {

constexpr size_t kTokenBytes = 16;
constexpr std::string_view kHexDigits = "0123456789abcdef";

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

}  // namespace

Result<std::string> RandomToken() {
  std::array<unsigned char, kTokenBytes> bytes;
  ssize_t drawn = 0;
  do {
    drawn = getrandom(bytes.data(), bytes.size(), 0);
  } while (drawn < 0 && errno == EINTR);
  if (drawn != static_cast<ssize_t>(bytes.size())) {
    const int error = errno;
    return Fail(std::string("drawing random bytes: ") + std::strerror(error));
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kHexDigits[byte >> 4U];
    token += kHexDigits[byte & 0xFU];
  }
  return token;
}

Result<Exchanges> Exchanges::Create() {
  Result<std::string> token = RandomToken();
  if (!token) return tl::unexpected(std::move(token.error()));
  return Exchanges(*std::move(token));
}

uint64_t Exchanges::Add(std::shared_ptr<const Exchange> exchange) {
  under_way_.emplace(++last_id_, std::move(exchange));
  return last_id_;
}

std::string Exchanges::FieldValue(uint64_t id) const { return token_ + '-' + std::to_string(id); }

std::shared_ptr<const Exchange> Exchanges::Find(std::string_view field_value) const {
  const size_t token_size = token_.size();
  if (field_value.size() < token_size + 2 || field_value[token_size] != '-') return nullptr;
  if (!EqualInConstantTime(field_value.substr(0, token_size), token_)) return nullptr;
  const char* begin = field_value.data() + token_size + 1;
  const char* end = field_value.data() + field_value.size();
  uint64_t id = 0;
  const auto [rest, error] = std::from_chars(begin, end, id);
  if (error != std::errc() || rest != end) return nullptr;
  const auto found = under_way_.find(id);
  return found == under_way_.end() ? nullptr : found->second;
}

}  // namespace quipd::server
