// SPDX-License-Identifier: MIT
#include "server/access_ring.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <chrono>
#include <string>
#include <thread>

namespace quipd::server {
namespace {

using Clock = std::chrono::steady_clock;

Peer PeerOf(const char* address) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  inet_pton(AF_INET, address, &in.sin_addr);
  return Peer(reinterpret_cast<const sockaddr*>(&in));
}

// Entry number `number`, of a size that depends on it.
AccessEntry Numbered(uint64_t number, const std::string& text) {
  AccessEntry entry;
  entry.body_bytes = number;
  entry.method = "GET";
  entry.target = std::string_view(text).substr(0, number * 37 % text.size());
  return entry;
}

TEST(AccessRing, KeepsEveryPartOfAnEntry) {
  AccessRing ring;
  AccessEntry in;
  in.client = PeerOf("192.0.2.7");
  in.unix_ms = 1'700'000'000'123;
  in.latency_us = 17;
  in.body_bytes = 1ull << 40;
  in.status = 404;
  in.secure = true;
  in.http10 = true;
  in.method = "PROPFIND";
  in.target = std::string_view("/a\0b\xff", 5);
  in.host = "h.test";
  in.referer = "http://r.test/";
  in.user_agent = "agent \"1\"";
  in.rule = "home";
  in.file = "conf.d/a.yaml";
  in.line = 12;
  ring.Add(in);
  ring.Publish(0);
  AccessEntry out;
  ASSERT_TRUE(ring.Pop(&out));
  EXPECT_EQ(out.client.Text(), "192.0.2.7");
  EXPECT_EQ(out.unix_ms, in.unix_ms);
  EXPECT_EQ(out.latency_us, 17u);
  EXPECT_EQ(out.body_bytes, in.body_bytes);
  EXPECT_EQ(out.status, 404);
  EXPECT_TRUE(out.secure);
  EXPECT_TRUE(out.http10);
  EXPECT_EQ(out.method, in.method);
  EXPECT_EQ(out.target, in.target);
  EXPECT_EQ(out.host, in.host);
  EXPECT_EQ(out.referer, in.referer);
  EXPECT_EQ(out.user_agent, in.user_agent);
  EXPECT_EQ(out.rule, in.rule);
  EXPECT_EQ(out.file, in.file);
  EXPECT_EQ(out.line, 12u);
  EXPECT_FALSE(ring.Pop(&out));
}

TEST(AccessRing, ShowsNothingBeforeItIsPublished) {
  AccessRing ring;
  AccessEntry out;
  EXPECT_FALSE(ring.Pop(&out));
  EXPECT_FALSE(ring.has_unpublished());
  ring.Add({});
  EXPECT_TRUE(ring.has_unpublished());
  EXPECT_TRUE(ring.empty());
  EXPECT_FALSE(ring.Pop(&out));
  ring.Publish(0);
  EXPECT_FALSE(ring.has_unpublished());
  EXPECT_FALSE(ring.empty());
  EXPECT_TRUE(ring.Pop(&out));
  EXPECT_TRUE(ring.empty());
}

TEST(AccessRing, EndsTheLatencyOfWhatHasNone) {
  AccessRing ring;
  AccessEntry begun;
  begun.begun_ns = 5'000;
  AccessEntry known = begun;
  known.latency_us = 3;
  AccessEntry later = begun;
  later.begun_ns = 99'000'000;
  ring.Add(begun);
  ring.Add(known);
  ring.Add({});
  ring.Add(later);
  ring.Publish(1'005'999);
  ring.Add(begun);
  ring.Publish(2'005'000);
  for (const uint64_t expected : {1000u, 3u, 0u, 0u, 2000u}) {
    AccessEntry out;
    ASSERT_TRUE(ring.Pop(&out));
    EXPECT_EQ(out.latency_us, expected);
  }
}

TEST(AccessRing, CutsTextsAtTheLongest) {
  AccessRing ring;
  const std::string longest(AccessEntry::kLongestText, 'a');
  const std::string longer = longest + "b";
  AccessEntry in;
  in.method = longer;
  in.target = longer;
  in.host = longest;
  in.referer = longer;
  in.user_agent = longer;
  in.rule = longer;
  in.file = longer;
  ring.Add(in);
  ring.Publish(0);
  AccessEntry out;
  ASSERT_TRUE(ring.Pop(&out));
  for (const std::string_view text :
       {out.method, out.target, out.host, out.referer, out.user_agent, out.rule, out.file}) {
    EXPECT_EQ(text, longest);
  }
}

TEST(AccessRing, CountsWhatFindsNoRoomAndGoesOnWhenThereIsSome) {
  AccessRing ring;
  const std::string text(5000, 't');
  uint64_t added = 0;
  for (; ring.dropped() == 0; ++added) ring.Add(Numbered(added, text));
  --added;  // the last found no room
  EXPECT_GT(added, AccessRing::kCapacity / 6000);
  ring.Publish(0);
  EXPECT_TRUE(ring.is_filling());
  AccessEntry out;
  for (uint64_t i = 0; i < added; ++i) {
    ASSERT_TRUE(ring.Pop(&out)) << i;
    ASSERT_EQ(out.body_bytes, i);
  }
  EXPECT_FALSE(ring.Pop(&out));
  EXPECT_FALSE(ring.is_filling());
  ring.Add(Numbered(7, text));
  ring.Publish(0);
  ASSERT_TRUE(ring.Pop(&out));
  EXPECT_EQ(out.body_bytes, 7u);
  EXPECT_EQ(ring.dropped(), 1u);
}

// What was popped is not overwritten before the next Pop, however much is added.
TEST(AccessRing, LeavesAnEntryInPlaceUntilTheNextIsPopped) {
  AccessRing ring;
  const std::string text(5000, 't');
  AccessEntry first;
  first.target = "/first";
  ring.Add(first);
  ring.Publish(0);
  AccessEntry out;
  ASSERT_TRUE(ring.Pop(&out));
  for (uint64_t i = 0; ring.dropped() == 0; ++i) ring.Add(Numbered(i, text));
  ring.Publish(0);
  EXPECT_EQ(out.target, "/first");
}

// Sizes of all remainders come to the ring's end at all places.
TEST(AccessRing, IsNeverTornWhereItBeginsAnew) {
  AccessRing ring;
  std::string text;
  for (int i = 0; i < 4000; ++i) text += static_cast<char>('a' + i % 23);
  uint64_t popped = 0;
  AccessEntry out;
  for (uint64_t added = 0; added < 20'000; ++added) {
    ring.Add(Numbered(added, text));
    ring.Publish(0);
    if (added - popped < 300) continue;
    ASSERT_TRUE(ring.Pop(&out));
    const AccessEntry expected = Numbered(popped, text);
    ASSERT_EQ(out.body_bytes, popped);
    ASSERT_EQ(out.method, "GET");
    ASSERT_EQ(out.target, expected.target);
    ++popped;
  }
  EXPECT_EQ(ring.dropped(), 0u);
}

TEST(AccessRings, WaitEndsWithItsTimeWhereNothingComes) {
  AccessRings rings(2);
  EXPECT_EQ(rings.size(), 2u);
  const auto begun = Clock::now();
  rings.Wait(20);
  EXPECT_GE(Clock::now() - begun, std::chrono::milliseconds(19));
}

TEST(AccessRings, WakeEndsTheNextWait) {
  AccessRings rings(1);
  rings.Wake();
  const auto begun = Clock::now();
  rings.Wait(60'000);
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(30));
}

TEST(AccessRings, WaitDoesNotSleepOnWhatWasPublishedBefore) {
  AccessRings rings(2);
  rings.of(1).Add({});
  rings.of(1).Publish(0);
  rings.Ring(rings.of(1));
  const auto begun = Clock::now();
  rings.Wait(60'000);
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(30));
  EXPECT_FALSE(rings.of(1).empty());
}

// Two workers and their reader, who sleeps as often as he can. A wake-up that is lost shows as a
// Wait that lasts its minute.
TEST(AccessRings, NothingIsLostBetweenThreads) {
  constexpr uint64_t kEach = 30'000;
  AccessRings rings(2);
  const auto write = [&rings](size_t worker) {
    const std::string text(300, static_cast<char>('a' + worker));
    for (uint64_t i = 0; i < kEach; ++i) {
      AccessEntry entry = Numbered(i, text);
      entry.begun_ns = 1000;
      AccessRing& ring = rings.of(worker);
      ring.Add(entry);
      if (i % 3 != 0 && i + 1 != kEach) continue;
      ring.Publish(5000 * 1000);
      rings.Ring(ring);
      if (i % 64 == 0) std::this_thread::yield();
    }
  };
  std::thread first(write, 0);
  std::thread second(write, 1);
  std::array<uint64_t, 2> next{};
  bool whole = true;
  const auto begun = Clock::now();
  const auto done = [&](size_t i) { return next[i] + rings.of(i).dropped() >= kEach; };
  while (!done(0) || !done(1)) {
    rings.Wait(60'000);
    for (size_t i = 0; i < rings.size(); ++i) {
      AccessEntry out;
      while (rings.of(i).Pop(&out)) {
        whole = whole && out.latency_us == 4999 && out.body_bytes >= next[i] &&
                out.target == std::string(out.body_bytes * 37 % 300, static_cast<char>('a' + i));
        ++next[i];
      }
    }
  }
  first.join();
  second.join();
  EXPECT_TRUE(whole);
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(59));
  EXPECT_EQ(next[0] + rings.of(0).dropped(), kEach);
  EXPECT_EQ(next[1] + rings.of(1).dropped(), kEach);
}

}  // namespace
}  // namespace quipd::server
