// SPDX-License-Identifier: MIT
#include "server/tls_stream.h"

#include <event2/buffer.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace quipd::server {
namespace {

constexpr size_t kRecord = SSL3_RT_MAX_PLAIN_LENGTH;
constexpr size_t kTurn = 1u << 20;  // written before others have their turn

// Of the thread: what is joined to one record, and pieces of files. Holds nothing between calls.
using Scratch = std::array<char, 4 * kRecord>;
Scratch& ThreadScratch() {
  thread_local Scratch scratch;
  return scratch;
}

ssize_t CountOr(size_t written, bool ok) {
  return written > 0 || ok ? static_cast<ssize_t>(written) : -1;
}

}  // namespace

// --- Input ---

ssize_t TlsStream::Read(char* out, size_t size) {
  has_pending_ = false;
  wants_write_ = false;
  if (failed_) {
    errno = EPROTO;
    return -1;
  }
  if (at_end_) return 0;
  if (ssl_ == nullptr && !Begin()) return -1;
  if (in_handshake_ && !ShakeHands()) return at_end_ ? 0 : -1;
  return ReadRecords(out, size);
}

// Behind an accept there may be nothing to read yet; later Reads have an event for their reason.
bool TlsStream::Begin() {
  char byte = 0;
  if (!std::exchange(was_asked_, true) && recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0) {
    return false;
  }
  ssl_ = context_->Accept(socket_);
  failed_ = ssl_ == nullptr;
  errno = ENOMEM;
  return !failed_;
}

bool TlsStream::ShakeHands() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result != 1) {
    Explain(result);
    return false;
  }
  in_handshake_ = false;
  ERR_clear_error();
  return true;
}

// From here on the queue of errors is empty before each call: what fails clears it.
ssize_t TlsStream::ReadRecords(char* out, size_t size) {
  size_t total = 0;
  while (total < size) {
    size_t got = 0;
    const int result = SSL_read_ex(ssl_.get(), out + total, size - total, &got);
    if (result == 1) {
      total += got;
      // Nothing is left of what was received: the socket's next event is waited for.
      if (SSL_has_pending(ssl_.get()) == 0) return static_cast<ssize_t>(total);
      continue;
    }
    Explain(result);
    if (total == 0) return at_end_ ? 0 : -1;
    has_pending_ = at_end_ || failed_;  // the next Read says so
    return static_cast<ssize_t>(total);
  }
  has_pending_ = SSL_has_pending(ssl_.get()) == 1;
  return static_cast<ssize_t>(total);
}

void TlsStream::Explain(int result) {
  const int error = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_WRITE:
      wants_write_ = true;
      errno = EAGAIN;
      break;
    case SSL_ERROR_WANT_READ:
      errno = EAGAIN;
      break;
    case SSL_ERROR_ZERO_RETURN:
      at_end_ = true;
      break;
    case SSL_ERROR_SYSCALL:
      failed_ = true;
      ERR_clear_error();
      errno = error == 0 || error == EAGAIN ? ECONNRESET : error;
      break;
    default:
      Fail();
      break;
  }
}

void TlsStream::Fail() {
  const unsigned long error = ERR_peek_last_error();
  failed_ = true;
  heard_plain_http_ = in_handshake_ && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST;
  if (spdlog::should_log(spdlog::level::debug)) {
    const char* const reason = ERR_reason_error_string(error);
    spdlog::debug("a {} failed: {}", in_handshake_ ? "TLS handshake" : "TLS connection",
                  reason == nullptr ? "unknown reason" : reason);
  }
  ERR_clear_error();
  errno = EPROTO;
}

// --- Output ---

bool TlsStream::WriteSome(std::string_view bytes, size_t* written) {
  if (failed_) {
    errno = EPROTO;
    return false;
  }
  size_t taken = 0;
  const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &taken);
  *written += taken;
  if (result == 1) return true;
  const bool reading = wants_write_;
  Explain(result);
  // What a read waits for is the read's own.
  if (!failed_ && !std::exchange(wants_write_, reading)) {
    failed_ = true;  // a write never waits for input: there is no renegotiation
    errno = EPROTO;
  }
  return false;
}

ssize_t TlsStream::Write(std::string_view bytes) {
  size_t written = 0;
  bool ok = true;
  while (ok && written < bytes.size() && written < kTurn) {
    ok = WriteSome(bytes.substr(written), &written);
  }
  return CountOr(written, ok);
}

// A small first part doesn't make a record of its own.
ssize_t TlsStream::Write(std::string_view first, std::string_view second) {
  size_t written = 0;
  if (first.size() < kRecord && !second.empty()) {
    Scratch& joined = ThreadScratch();
    const size_t of_second = std::min(kRecord - first.size(), second.size());
    first.copy(joined.data(), first.size());
    second.copy(joined.data() + first.size(), of_second);
    const bool ok = WriteSome({joined.data(), first.size() + of_second}, &written);
    if (!ok) return CountOr(written, ok);
    second.remove_prefix(of_second);
  } else {
    const ssize_t of_first = Write(first);
    if (of_first < 0) return of_first;
    written = static_cast<size_t>(of_first);
    if (written < first.size()) return of_first;
  }
  const ssize_t more = Write(second);
  return more < 0 ? CountOr(written, false) : static_cast<ssize_t>(written) + more;
}

ssize_t TlsStream::Write(evbuffer* buffer) {
  size_t written = 0;
  while (written < kTurn) {
    const size_t size = std::min(evbuffer_get_length(buffer), kRecord);
    if (size == 0) break;
    const unsigned char* const bytes = evbuffer_pullup(buffer, static_cast<ssize_t>(size));
    if (bytes == nullptr) {
      errno = ENOMEM;
      return -1;
    }
    size_t taken = 0;
    const bool ok = WriteSome({reinterpret_cast<const char*>(bytes), size}, &taken);
    evbuffer_drain(buffer, taken);
    written += taken;
    if (!ok) return CountOr(written, ok);
  }
  return static_cast<ssize_t>(written);
}

// Where it is tried again the bytes are read again: what was not sent is not kept.
ssize_t TlsStream::WriteFile(int file, uint64_t offset, size_t size) {
  Scratch& piece = ThreadScratch();
  const ssize_t read =
      pread(file, piece.data(), std::min(size, piece.size()), static_cast<off_t>(offset));
  if (read <= 0) return read;
  return Write({piece.data(), static_cast<size_t>(read)});
}

// --- The end ---

bool TlsStream::CloseNotify() {
  if (failed_ || in_handshake_ || notified_) return true;
  const int result = SSL_shutdown(ssl_.get());
  if (result >= 0) {
    notified_ = true;
    return true;
  }
  if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_WRITE) return false;
  failed_ = true;
  ERR_clear_error();
  return true;
}

}  // namespace quipd::server
