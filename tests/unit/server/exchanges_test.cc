// SPDX-License-Identifier: MIT
#include "server/exchanges.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace quipd::server {
namespace {

TEST(Exchanges, AreFoundByTheirWholeIdAlone) {
  Exchanges exchanges = Exchanges::Create().value();
  const auto first = std::make_shared<const Exchange>();
  const auto second = std::make_shared<const Exchange>();
  const uint64_t first_id = exchanges.Add(first);
  const uint64_t second_id = exchanges.Add(second);
  const std::string value = exchanges.FieldValue(second_id);
  EXPECT_EQ(exchanges.Find(exchanges.FieldValue(first_id)), first);
  EXPECT_EQ(exchanges.Find(value), second);

  std::string wrong_token = value;
  wrong_token[31] = wrong_token[31] == '0' ? '1' : '0';
  const std::string guesses[] = {"",
                                 "2",
                                 wrong_token,
                                 value + "0",
                                 value + " ",
                                 value.substr(0, 33),
                                 value + "x",
                                 "-" + value,
                                 value.substr(0, 33) + "-2",
                                 value.substr(0, 33) + "99999999999999999999"};
  for (const std::string& guess : guesses) {
    SCOPED_TRACE(guess);
    EXPECT_EQ(exchanges.Find(guess), nullptr);
  }
  exchanges.Remove(second_id);
  EXPECT_EQ(exchanges.Find(value), nullptr);
}

TEST(Exchanges, EachBookHasItsOwnToken) {
  const Exchanges a = Exchanges::Create().value();
  const Exchanges b = Exchanges::Create().value();
  EXPECT_EQ(a.FieldValue(1).size(), 34u);
  EXPECT_NE(a.FieldValue(1), b.FieldValue(1));
}

}  // namespace
}  // namespace quipd::server
