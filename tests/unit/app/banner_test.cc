// SPDX-License-Identifier: MIT
#include "app/banner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quipd::app {
namespace {

TEST(Banner, UrlsReachWhereItListens) {
  EXPECT_EQ(UrlOf({"127.0.0.1:8080"}), "http://127.0.0.1:8080/");
  EXPECT_EQ(UrlOf({"[::1]:8080"}), "http://[::1]:8080/");
  EXPECT_EQ(UrlOf({"[::]:8443", true}), "https://localhost:8443/");
  EXPECT_EQ(UrlOf({"[::]:8080"}), "http://localhost:8080/");
  EXPECT_EQ(UrlOf({"0.0.0.0:80"}), "http://localhost:80/");
  EXPECT_EQ(UrlOf({"unix:/run/q.sock"}), "unix:/run/q.sock");
}

TEST(Banner, NamesWhatADeveloperLooksFor) {
  config::Config config;
  config.profile = "dev";
  config.rules.resize(2);
  const std::string banner =
      Banner(config, {"quipd.yaml", {{"127.0.0.1:8080"}}, std::chrono::milliseconds(12)});
  for (const char* part :
       {"quipd 0.", "configuration  quipd.yaml\n", "profile        dev\n", "pid            ",
        "routes         2\n", "listening      http://127.0.0.1:8080/\n",
        "ready          in 12 ms\n"}) {
    EXPECT_THAT(banner, testing::HasSubstr(part));
  }
}

TEST(Banner, SummaryCounts) {
  config::Config config;
  config.rules.resize(1);
  EXPECT_EQ(Summary(config, {{"127.0.0.1:1", true}, {"unix:/x"}}),
            "1 route, listening on https://127.0.0.1:1/, unix:/x");
}

}  // namespace
}  // namespace quipd::app
