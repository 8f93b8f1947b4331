// SPDX-License-Identifier: MIT
#include "app/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <utility>

#include "base/check.h"

namespace quipd::app {

Signals::Signals(event_base* base, std::function<void(int)> on_signal)
    : base_(base), on_signal_(std::move(on_signal)) {
  sigemptyset(&taken_);
}

void Signals::Take(int number) {
  sigaddset(&taken_, number);
  Check(pthread_sigmask(SIG_BLOCK, &taken_, nullptr) == 0);
  std::signal(number, SIG_DFL);
  const int fd = signalfd(fd_ ? fd_.get() : -1, &taken_, SFD_NONBLOCK | SFD_CLOEXEC);
  Check(fd >= 0);
  if (fd_) return;
  fd_.Reset(fd);
  readable_.reset(event_new(base_, fd, EV_READ | EV_PERSIST, OnReadable, this));
  Check(readable_ != nullptr && event_add(readable_.get(), nullptr) == 0);
}

void Signals::OnReadable(evutil_socket_t fd, short, void* pointer) {
  auto* const self = static_cast<Signals*>(pointer);
  signalfd_siginfo info;
  while (read(fd, &info, sizeof info) == sizeof info) {
    self->on_signal_(static_cast<int>(info.ssi_signo));
  }
}

}  // namespace quipd::app
