// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel_points.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"

using namespace clusterwright;

TEST_CASE("every point is computed once", "[sim]") {
  std::vector<std::atomic<int>> computed(1000);
  for_each_point(last_first(computed.size()), [&](std::size_t point) { ++computed[point]; });
  for (const auto& times : computed) CHECK(times == 1);
  for_each_point({}, [](std::size_t) { FAIL("there is no point"); });
}

TEST_CASE("the first error in the order of the points is thrown, and the others are computed", "[sim]") {
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::atomic<int> computed = 0;
    const auto compute = [&](std::size_t point) {
      ++computed;
      if (point % 3 == 1) throw std::runtime_error(std::to_string(point));
    };
    CHECK_THROWS_WITH(for_each_point(last_first(99), compute), "97");
    CHECK(computed == 99);
  }
}
