// SPDX-License-Identifier: Apache-2.0
#include "sim/event_queue.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "support/catch.hpp"

using namespace clusterwright;

TEST_CASE("events leave in time order, ties in the order of their payloads", "[sim]") {
  EventQueue<int> queue;
  queue.push({5}, 2);
  queue.push({3}, 3);
  queue.push({5}, 0);
  queue.push({3}, 1);
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

TEST_CASE("any interleaving of pushes and pops leaves in order", "[sim][laws]") {
  REQUIRE(rc::check("pops are the earliest, then those pushed before their instant came, then the least", [] {
    struct Entry {
      std::int64_t time;
      bool at_its_instant;
      int payload;
      auto operator<=>(const Entry&) const = default;
    };
    EventQueue<int> queue;
    std::vector<Entry> pending;
    const auto steps = *rc::gen::container<std::vector<std::pair<int, std::int64_t>>>(rc::gen::pair(
        rc::gen::inRange(-3, 4),
        rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 4), rc::gen::inRange<std::int64_t>(0, 1 << 20))));
    int pushed = 0;
    for (const auto& [push, ahead] : steps) {
      if (push > 0 || pending.empty()) {
        // Payloads that fall at first, and rise for events at their own instant, whose order is that of insertion.
        const int payload = ahead == 0 ? pushed : push * 1000 - pushed;
        ++pushed;
        pending.push_back({queue.now().count + ahead, ahead == 0, payload});
        queue.push({queue.now().count + ahead}, payload);
        continue;
      }
      const auto earliest = std::min_element(pending.begin(), pending.end());
      const auto event = queue.pop();
      RC_ASSERT(event.time.count == earliest->time);
      RC_ASSERT(event.payload == earliest->payload);
      pending.erase(earliest);
      RC_ASSERT(queue.size() == pending.size());
    }
  }));
}
