// SPDX-License-Identifier: Apache-2.0
#include "sim/enum_array.hpp"

#include <array>
#include <numeric>
#include <string_view>

#include "support/catch.hpp"

namespace clusterwright {

namespace {

enum class Side { left, middle, right };

}  // namespace

template <>
struct EnumNames<Side> {
  static constexpr std::array<std::string_view, 3> names = {"left", "middle", "right"};
};

TEST_CASE("an enumeration with names knows how many values it has and how each is written", "[sim]") {
  STATIC_REQUIRE(enum_count<Side> == 3);
  STATIC_REQUIRE(enum_name(Side::right) == "right");
}

TEST_CASE("an array over an enumeration has one element for each value", "[sim]") {
  EnumArray<Side, int> counts{{1, 2, 4}};
  counts[Side::middle] += 10;
  CHECK(counts[Side::left] == 1);
  CHECK(counts[Side::middle] == 12);
  CHECK(counts.size() == 3);
  CHECK(std::accumulate(counts.begin(), counts.end(), 0) == 17);  // 1 + 12 + 4
}

TEST_CASE("an array over an enumeration begins with default values and compares element by element", "[sim]") {
  constexpr EnumArray<Side, double> zeros;
  CHECK(zeros[Side::right] == 0);
  CHECK(zeros == EnumArray<Side, double>{{0, 0, 0}});
  CHECK_FALSE(zeros == EnumArray<Side, double>{{0, 0, 1}});
}

}  // namespace clusterwright
