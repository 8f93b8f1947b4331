// SPDX-License-Identifier: MIT
// The request heads that the benchmarks of http/ parse: the least a client sends, and a browser's.
#pragma once

#include <string_view>

namespace quipd::bench {

inline constexpr std::string_view kSmallHead = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
static_assert(kSmallHead.size() == 40);

inline constexpr std::string_view kBrowserHead =
    "GET /index.html HTTP/1.1\r\n"
    "Host: www.example.com\r\n"
    "Connection: keep-alive\r\n"
    "Cache-Control: max-age=0\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/120.0.0.0 Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
    "\r\n"
    "Sec-Fetch-Site: none\r\n"
    "Sec-Fetch-Mode: navigate\r\n"
    "Sec-Fetch-User: ?1\r\n"
    "Sec-Fetch-Dest: document\r\n"
    "Accept-Encoding: gzip, deflate, br\r\n"
    "Accept-Language: en-US,en;q=0.9\r\n"
    "Cookie: session=0123456789abcdef01234567\r\n"
    "\r\n";
static_assert(kBrowserHead.size() == 546);

}  // namespace quipd::bench
