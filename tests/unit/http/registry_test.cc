// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "http/method.h"
#include "http/status.h"

namespace quipd::http {
namespace {

TEST(Method, GoesThereAndBack) {
  for (int i = 0; i < kKnownMethods; ++i) {
    const auto method = static_cast<Method>(i);
    SCOPED_TRACE(NameOf(method));
    EXPECT_EQ(MethodOf(NameOf(method)), method);
  }
  EXPECT_EQ(NameOf(Method::kOther), "");
}

TEST(Method, CountsCaseAndLength) {
  for (const char* token : {"", "get", "Get", "GETT", "GE", "PURGE", "CONNECTS"}) {
    SCOPED_TRACE(token);
    EXPECT_EQ(MethodOf(token), Method::kOther);
  }
  EXPECT_EQ(MethodOf("DELETE"), Method::kDelete);
}

TEST(Status, HasTheRegisteredReason) {
  const struct {
    int status;
    const char* reason;
  } cases[] = {
      {100, "Continue"},
      {200, "OK"},
      {204, "No Content"},
      {308, "Permanent Redirect"},
      {404, "Not Found"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {431, "Request Header Fields Too Large"},
      {511, "Network Authentication Required"},
      {0, "Unknown"},
      {299, "Unknown"},
      {418, "I'm a teapot"},
      {599, "Unknown"},
      {-1, "Unknown"},
      {1000, "Unknown"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.status);
    EXPECT_EQ(ReasonOf(c.status), c.reason);
  }
}

TEST(Status, KnowsWhichHaveNoContent) {
  for (const int status : {100, 103, 199, 204, 205, 304}) {
    EXPECT_TRUE(HasNoContent(status)) << status;
  }
  for (const int status : {200, 203, 206, 301, 303, 400, 404, 500}) {
    EXPECT_FALSE(HasNoContent(status)) << status;
  }
}

}  // namespace
}  // namespace quipd::http
