// SPDX-License-Identifier: MIT
// Where quipd listens: `listen` of a file and --listen of the command line. Pure but for the
// report; names of hosts are looked up by the server, not here.
#pragma once

#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/problem.h"
#include "config/reader.h"

namespace quipd::config {

// `8080`, `:8080`, `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, `unix:/run/x.sock`,
// `systemd:web`; a relative path of a socket starts at `folder`.
[[nodiscard]] Parsed<ListenAddress> ParseAddress(std::string_view text, std::string_view folder);

// The same socket. Port 0 is a new one each time.
[[nodiscard]] bool SameAddress(const ListenAddress& a, const ListenAddress& b);

// One address, a list, or mappings.
[[nodiscard]] std::vector<Listener> ReadListeners(Reader& reader, const Value& value);

// The listener that `listener: text` means, by its name or its address; -1: none.
[[nodiscard]] int FindListener(const std::vector<Listener>& listeners, std::string_view text);

}  // namespace quipd::config
