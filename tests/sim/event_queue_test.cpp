// SPDX-License-Identifier: Apache-2.0
#include "sim/event_queue.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "support/catch.hpp"

using namespace clusterwright;

TEST_CASE("events leave in time order, ties in order of insertion", "[sim]") {
  EventQueue<int> queue;
  queue.push({5}, 0);
  queue.push({3}, 1);
  queue.push({5}, 2);
  queue.push({3}, 3);
  std::vector<int> order;
  while (!queue.empty()) order.push_back(queue.pop().payload);
  CHECK(order == std::vector<int>{1, 3, 0, 2});
}

TEST_CASE("an event pushed at the present instant leaves after those already due", "[sim]") {
  EventQueue<int> queue;
  queue.push({7}, 0);
  queue.push({7}, 1);
  CHECK(queue.pop().payload == 0);
  CHECK(queue.more_now());
  queue.push({7}, 2);
  queue.push({8}, 3);
  CHECK(queue.pop().payload == 1);
  CHECK(queue.pop().payload == 2);
  CHECK_FALSE(queue.more_now());
  CHECK(queue.now() == Picoseconds{7});
  CHECK(queue.pop().payload == 3);
  CHECK(queue.empty());
}

TEST_CASE("any interleaving of pushes and pops is a stable sort", "[sim][laws]") {
  REQUIRE(rc::check("pops are the earliest, then the oldest", [] {
    struct Entry {
      std::int64_t time;
      int order;
    };
    EventQueue<int> queue;
    std::vector<Entry> pending;
    const auto steps = *rc::gen::container<std::vector<std::pair<bool, std::int64_t>>>(rc::gen::pair(
        rc::gen::arbitrary<bool>(),
        rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 4), rc::gen::inRange<std::int64_t>(0, 1 << 20))));
    int order = 0;
    for (const auto& [push, ahead] : steps) {
      if (push || pending.empty()) {
        pending.push_back({queue.now().count + ahead, order});
        queue.push({queue.now().count + ahead}, order++);
        continue;
      }
      const auto earliest =
          std::min_element(pending.begin(), pending.end(), [](Entry a, Entry b) { return a.time < b.time; });
      const auto event = queue.pop();
      RC_ASSERT(event.time.count == earliest->time);
      RC_ASSERT(event.payload == earliest->order);
      pending.erase(earliest);
      RC_ASSERT(queue.size() == pending.size());
    }
  }));
}
