// SPDX-License-Identifier: MIT
#include "server/tls_tickets.h"

#include <gtest/gtest.h>

#include <utility>

namespace quipd::server {
namespace {

using Clock = TicketKeys::Clock;
using std::chrono::hours;
using std::chrono::seconds;

class Tickets : public testing::Test {
 protected:
  TicketKey::Name Seal() { return keys_.Newest()->name; }
  // How a ticket of that key is taken now.
  std::string Show(const TicketKey::Name& name) {
    const auto found = keys_.Find(name);
    if (!found) return "refused";
    return found->newest ? "taken" : "taken and renewed";
  }
  void Pass(Clock::duration time) { now_ += time; }

 private:
  Clock::time_point now_{};
  TicketKeys keys_{[this] { return now_; }};
};

TEST_F(Tickets, KeySealsForItsPeriod) {
  const TicketKey::Name first = Seal();
  EXPECT_EQ(Show(first), "taken");
  Pass(TicketKeys::kPeriod - seconds(1));
  EXPECT_EQ(Seal(), first);
  Pass(seconds(1));
  EXPECT_NE(Seal(), first);
}

TEST_F(Tickets, TwoOlderKeysOpen) {
  const TicketKey::Name first = Seal();
  for (const char* expected : {"taken", "taken and renewed", "taken and renewed", "refused"}) {
    EXPECT_EQ(Show(first), expected);
    Pass(TicketKeys::kPeriod);
  }
}

// A daemon that nobody asks makes no keys, and yet none grows older than it may.
TEST_F(Tickets, KeyEndsWithoutUseToo) {
  const TicketKey::Name first = Seal();
  Pass(TicketKeys::kPeriod * 3 - seconds(1));
  EXPECT_EQ(Show(first), "taken and renewed");
  Pass(seconds(1));
  EXPECT_EQ(Show(first), "refused");
  Pass(hours(1000));
  const TicketKey::Name later = Seal();
  EXPECT_EQ(Show(later), "taken");
}

// The lifetime that clients hear of never ends before the key that opens the ticket.
TEST_F(Tickets, TicketIsGoodForItsLifetime) {
  static_assert(TicketKeys::kLifetime <= hours(24));
  Pass(TicketKeys::kPeriod - seconds(1));
  const TicketKey::Name late = Seal();
  Pass(TicketKeys::kLifetime);
  EXPECT_EQ(Show(late), "taken and renewed");
}

TEST_F(Tickets, ForeignNameIsRefused) {
  Seal();
  EXPECT_EQ(Show(TicketKey::Name{}), "refused");
}

}  // namespace
}  // namespace quipd::server
