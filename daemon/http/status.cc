// SPDX-License-Identifier: MIT
#include "http/status.h"

#include <algorithm>
#include <array>

namespace quipd::http {
namespace {

struct Status {
  int code;
  std::string_view reason;
};

// IANA's HTTP Status Code Registry, by code. 306 and 418 are "(Unused)" there: 306 has no phrase,
// 418 that of RFC 2324 2.3.2, by which it is known.
constexpr std::array kStatuses = {
    Status{100, "Continue"},
    Status{101, "Switching Protocols"},
    Status{102, "Processing"},
    Status{103, "Early Hints"},
    Status{200, "OK"},
    Status{201, "Created"},
    Status{202, "Accepted"},
    Status{203, "Non-Authoritative Information"},
    Status{204, "No Content"},
    Status{205, "Reset Content"},
    Status{206, "Partial Content"},
    Status{207, "Multi-Status"},
    Status{208, "Already Reported"},
    Status{226, "IM Used"},
    Status{300, "Multiple Choices"},
    Status{301, "Moved Permanently"},
    Status{302, "Found"},
    Status{303, "See Other"},
    Status{304, "Not Modified"},
    Status{305, "Use Proxy"},
    Status{307, "Temporary Redirect"},
    Status{308, "Permanent Redirect"},
    Status{400, "Bad Request"},
    Status{401, "Unauthorized"},
    Status{402, "Payment Required"},
    Status{403, "Forbidden"},
    Status{404, "Not Found"},
    Status{405, "Method Not Allowed"},
    Status{406, "Not Acceptable"},
    Status{407, "Proxy Authentication Required"},
    Status{408, "Request Timeout"},
    Status{409, "Conflict"},
    Status{410, "Gone"},
    Status{411, "Length Required"},
    Status{412, "Precondition Failed"},
    Status{413, "Content Too Large"},
    Status{414, "URI Too Long"},
    Status{415, "Unsupported Media Type"},
    Status{416, "Range Not Satisfiable"},
    Status{417, "Expectation Failed"},
    Status{418, "I'm a teapot"},
    Status{421, "Misdirected Request"},
    Status{422, "Unprocessable Content"},
    Status{423, "Locked"},
    Status{424, "Failed Dependency"},
    Status{425, "Too Early"},
    Status{426, "Upgrade Required"},
    Status{428, "Precondition Required"},
    Status{429, "Too Many Requests"},
    Status{431, "Request Header Fields Too Large"},
    Status{451, "Unavailable For Legal Reasons"},
    Status{500, "Internal Server Error"},
    Status{501, "Not Implemented"},
    Status{502, "Bad Gateway"},
    Status{503, "Service Unavailable"},
    Status{504, "Gateway Timeout"},
    Status{505, "HTTP Version Not Supported"},
    Status{506, "Variant Also Negotiates"},
    Status{507, "Insufficient Storage"},
    Status{508, "Loop Detected"},
    Status{510, "Not Extended"},
    Status{511, "Network Authentication Required"},
};

static_assert(std::ranges::is_sorted(kStatuses, {}, &Status::code));

}  // namespace

std::string_view ReasonOf(int status) {
  const auto* found = std::ranges::lower_bound(kStatuses, status, {}, &Status::code);
  return found != kStatuses.end() && found->code == status ? found->reason : "Unknown";
}

}  // namespace quipd::http
