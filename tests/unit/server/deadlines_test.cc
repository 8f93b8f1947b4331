// SPDX-License-Identifier: MIT
#include "server/deadlines.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

namespace quipd::server {
namespace {

class Wheel : public testing::Test {
 protected:
  struct Named : Deadline {
    int number = 0;
  };

  // The numbers of what expires by `now_ms`, in order.
  std::vector<int> Sweep(int64_t now_ms) {
    fired_.clear();
    wheel_.Sweep(
        now_ms,
        [](void* self, Deadline* deadline) {
          auto* test = static_cast<Wheel*>(self);
          const int number = static_cast<Named*>(deadline)->number;
          test->fired_.push_back(number);
          if (test->on_fire_) test->on_fire_(number);
        },
        this);
    return fired_;
  }

  DeadlineWheel wheel_{0, 10};
  std::vector<int> fired_;
  std::function<void(int)> on_fire_;
};

TEST_F(Wheel, FiresWithinOneSlotAfterItIsDueAndOnce) {
  Named one;
  one.number = 1;
  wheel_.Set(&one, 100);
  EXPECT_EQ(Sweep(90), std::vector<int>{});
  EXPECT_EQ(Sweep(110), std::vector<int>{1});
  EXPECT_EQ(one.due_ms(), kNoDeadline);
  EXPECT_EQ(Sweep(10'000), std::vector<int>{});
}

TEST_F(Wheel, LaterIsKeptWithoutFilingAnew) {
  Named one;
  wheel_.Set(&one, 50);
  wheel_.Set(&one, 200);
  EXPECT_TRUE(Sweep(190).empty());
  EXPECT_EQ(Sweep(210).size(), 1u);
}

TEST_F(Wheel, NearerIsFiledAnew) {
  Named one;
  wheel_.Set(&one, 2000);
  wheel_.Set(&one, 30);
  EXPECT_EQ(Sweep(40).size(), 1u);
}

TEST_F(Wheel, BeyondTheHorizonOfTheSlotsIsKept) {
  Named one;
  wheel_.Set(&one, 1'000'000);
  for (int64_t now = 0; now < 1'000'000; now += 5'000) ASSERT_TRUE(Sweep(now).empty()) << now;
  EXPECT_EQ(Sweep(1'000'010).size(), 1u);
}

TEST_F(Wheel, NoneMeansNever) {
  Named one;
  wheel_.Set(&one, 50);
  wheel_.Set(&one, kNoDeadline);
  EXPECT_TRUE(Sweep(100'000).empty());
}

TEST_F(Wheel, ACallbackMaySetItsOwnAndDestroyAnother) {
  Named one;
  one.number = 1;
  auto other = std::make_unique<Named>();
  other->number = 2;
  wheel_.Set(&one, 20);
  wheel_.Set(other.get(), 20);
  on_fire_ = [&](int number) {
    if (number != 1) return;
    wheel_.Set(&one, 500);
    other.reset();
  };
  EXPECT_EQ(Sweep(30), std::vector<int>{1});
  on_fire_ = nullptr;
  EXPECT_EQ(Sweep(510), std::vector<int>{1});
}

TEST_F(Wheel, AnotherSlotWidthKeepsWhatIsDue) {
  Named near;
  Named far;
  near.number = 1;
  far.number = 2;
  wheel_.Set(&near, 100);
  wheel_.Set(&far, 5'000);
  wheel_.set_slot_ms(1000);
  EXPECT_EQ(Sweep(1'000), std::vector<int>{1});
  wheel_.set_slot_ms(5);
  EXPECT_TRUE(Sweep(4'990).empty());
  EXPECT_EQ(Sweep(5'010), std::vector<int>{2});
}

TEST_F(Wheel, ManyAtRandomFireInTimeAndNeverEarly) {
  std::mt19937 random(7);
  std::vector<Named> all(500);
  std::vector<int64_t> due(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].number = static_cast<int>(i);
    due[i] = static_cast<int64_t>(random() % 6'000);
    wheel_.Set(&all[i], static_cast<int64_t>(random() % 6'000));
    wheel_.Set(&all[i], due[i]);
  }
  size_t fired = 0;
  for (int64_t now = 0; now <= 6'020; now += 7) {
    for (const int number : Sweep(now)) {
      ++fired;
      const auto index = static_cast<size_t>(number);
      EXPECT_LE(due[index], now);
      EXPECT_GE(due[index] + 10 + 7, now);
    }
  }
  EXPECT_EQ(fired, all.size());
}

}  // namespace
}  // namespace quipd::server
