// SPDX-License-Identifier: MIT
#include "app/access_outlet.h"

#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace quipd::app {

Result<std::unique_ptr<AccessOutlet>> AccessOutlet::Open(const config::AccessLog& log) {
  const auto wrap = [&log](auto opened) -> Result<std::unique_ptr<AccessOutlet>> {
    if (!opened) return tl::unexpected(std::move(opened.error()));
    return std::unique_ptr<AccessOutlet>(new AccessOutlet(log, std::move(*opened)));
  };
  constexpr std::string_view kWhat = "the access log";
  if (log.target == "journal") return wrap(Journal::Open(kWhat));
  if (log.target != "stdout") return wrap(LogTarget::Open(log.target, kWhat));
  return wrap(Result<LogTarget>(LogTarget::Borrow(STDOUT_FILENO)));
}

AccessOutlet::AccessOutlet(const config::AccessLog& log, Destination destination)
    : name_(log.target), format_(log.format), destination_(std::move(destination)) {}

// At the end of what waits; what was written is let go of first.
char* AccessOutlet::RoomFor(size_t bytes) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (capacity_ - end_ < bytes) {
    const size_t waiting = end_ - begin_;
    const size_t due = waiting + bytes;
    if (due > capacity_) {
      const size_t grown = std::max(due, 2 * kWorthAWrite);
      std::unique_ptr<char[]> larger(new char[grown]);
      if (waiting > 0) std::memcpy(larger.get(), buffer_.get() + begin_, waiting);
      buffer_ = std::move(larger);
      capacity_ = grown;
    } else {
      std::memmove(buffer_.get(), buffer_.get() + begin_, waiting);
    }
    begin_ = 0;
    end_ = waiting;
  }
  return buffer_.get() + end_;
}

void AccessOutlet::Add(const server::AccessEntry& entry) {
  char* const line = RoomFor(AccessFormat::Bound(entry));
  char* const end = format_.Write(entry, line);
  if (std::holds_alternative<Journal>(destination_)) {
    AddEntry(entry, {line, static_cast<size_t>(end - line) - 1});
  } else {
    end_ += static_cast<size_t>(end - line);
  }
  ++lines_;
}

// `message` stands where the entry will.
void AccessOutlet::AddEntry(const server::AccessEntry& entry, std::string_view message) {
  std::array<char, server::Peer::kLongestText> client;
  const char* const client_end = entry.client.WriteTo(client.data());
  entry_.clear();
  BeginJournalEntry(LOG_INFO, message, &entry_);
  AddJournalField("QUIPD_CLIENT", {client.data(), static_cast<size_t>(client_end - client.data())},
                  &entry_);
  const auto add = [this](std::string_view name, std::string_view value) {
    if (!value.empty()) AddJournalField(name, value, &entry_);
  };
  add("QUIPD_METHOD", entry.method);
  add("QUIPD_TARGET", entry.target);
  add("QUIPD_HOST", entry.host);
  add("QUIPD_STATUS", std::to_string(entry.status));
  add("QUIPD_BYTES", std::to_string(entry.body_bytes));
  add("QUIPD_US", std::to_string(entry.latency_us));
  add("QUIPD_RULE", entry.rule);
  add("QUIPD_FILE", entry.file);
  if (!entry.file.empty()) add("QUIPD_LINE", std::to_string(entry.line));
  add("QUIPD_REFERER", entry.referer);
  add("QUIPD_USER_AGENT", entry.user_agent);
  const auto length = static_cast<uint32_t>(entry_.size());
  char* const out = RoomFor(sizeof length + length);
  std::memcpy(out, &length, sizeof length);
  std::memcpy(out + sizeof length, entry_.data(), length);
  end_ += sizeof length + length;
}

AccessOutlet::Flushed AccessOutlet::Flush() {
  if (begin_ == end_) return {};
  if (auto* const target = std::get_if<LogTarget>(&destination_)) return FlushLines(target);
  return FlushEntries(std::get_if<Journal>(&destination_));
}

AccessOutlet::Flushed AccessOutlet::FlushLines(LogTarget* target) {
  const char* const begin = buffer_.get() + begin_;
  const LogTarget::Written written = target->Write({begin, end_ - begin_});
  Flushed flushed{.error = written.error};
  flushed.written = static_cast<uint64_t>(std::count(begin, begin + written.bytes, '\n'));
  lines_ -= flushed.written;
  begin_ += written.bytes;
  if (written.error != 0 && written.error != EAGAIN) {
    target->GiveUpLine();
    flushed.failed = std::exchange(lines_, 0);
    begin_ = end_;
  }
  return flushed;
}

AccessOutlet::Flushed AccessOutlet::FlushEntries(Journal* journal) {
  Flushed flushed;
  while (begin_ < end_) {
    uint32_t length;
    std::memcpy(&length, buffer_.get() + begin_, sizeof length);
    const int error = journal->Send({buffer_.get() + begin_ + sizeof length, length});
    if (error != 0) flushed.error = error;
    if (error == EAGAIN) break;
    ++(error == 0 ? flushed.written : flushed.failed);
    begin_ += sizeof length + length;
    --lines_;
  }
  return flushed;
}

void AccessOutlet::AwaitRoom(int timeout_ms) const {
  std::visit([timeout_ms](const auto& one) { one.AwaitRoom(timeout_ms); }, destination_);
}

}  // namespace quipd::app
