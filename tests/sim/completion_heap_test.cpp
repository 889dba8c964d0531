// SPDX-License-Identifier: Apache-2.0
#include "sim/completion_heap.hpp"

#include <rapidcheck.h>

#include <map>
#include <vector>

#include "support/catch.hpp"

using namespace clusterwright;

TEST_CASE("completions leave by time, those of one time together", "[sim]") {
  CompletionHeap<int> heap;
  CHECK(heap.empty());
  heap.set(3, 50);
  heap.set(1, 20);
  heap.set(2, 20);
  heap.set(3, 10);  // earlier
  heap.set(1, 30);  // later
  CHECK(heap.first() == 10);
  std::vector<std::uint32_t> keys;
  heap.take_first(keys);
  CHECK(keys == std::vector<std::uint32_t>{3});
  heap.set(3, 20);
  heap.take_first(keys);
  CHECK(keys == std::vector<std::uint32_t>{3, 2, 3});
  CHECK(heap.size() == 1);
}

TEST_CASE("a heap of completions holds what a sorted map holds", "[sim][laws]") {
  REQUIRE(rc::check("after any history of times that are set and taken", [] {
    CompletionHeap<int> heap;
    std::map<std::uint32_t, int> times;
    const int range = *rc::gen::element(3, 1000);
    for (int step = 0; step < 300; ++step) {
      if (*rc::gen::inRange(0, 4) > 0 || times.empty()) {
        const std::uint32_t key = *rc::gen::inRange(0u, 60u);
        heap.set(key, times[key] = *rc::gen::inRange(0, range));
        continue;
      }
      int first = range;
      for (const auto& [key, time] : times) first = std::min(first, time);
      std::vector<std::uint32_t> expected;
      for (const auto& [key, time] : times)
        if (time == first) expected.push_back(key);
      std::erase_if(times, [&](const auto& item) { return item.second == first; });
      RC_ASSERT(heap.first() == first);
      std::vector<std::uint32_t> keys;
      heap.take_first(keys);
      RC_ASSERT(keys == expected);
      RC_ASSERT(heap.size() == times.size());
    }
  }));
}
