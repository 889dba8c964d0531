// SPDX-License-Identifier: Apache-2.0
#include "sim/typed_id.hpp"

#include <type_traits>
#include <unordered_set>
#include <vector>

#include "support/catch.hpp"

namespace clusterwright {

namespace {

using AppleId = Id<struct AppleTag>;
using PearId = Id<struct PearTag>;

template <class Range>
std::vector<std::uint32_t> values(const Range& range) {
  std::vector<std::uint32_t> out;
  for (const auto id : range) out.push_back(id.value);
  return out;
}

}  // namespace

TEST_CASE("ids of two kinds do not convert to each other, and no number becomes an id unasked", "[sim]") {
  STATIC_REQUIRE_FALSE(std::is_convertible_v<AppleId, PearId>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<AppleId, PearId>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<int, AppleId>);
}

TEST_CASE("an id is none until it is given a number", "[sim]") {
  CHECK_FALSE(AppleId().exists());
  CHECK(AppleId(0).exists());
  CHECK(AppleId(1) < AppleId(2));
  CHECK(std::unordered_set<AppleId>{AppleId(1), AppleId(1), AppleId(2)}.size() == 2);
}

TEST_CASE("ids of one kind count from each other", "[sim]") {
  CHECK(AppleId(3) + 4 == AppleId(7));
  CHECK(AppleId(7) - AppleId(3) == 4);
  CHECK(AppleId(3) - AppleId(7) == -4);
}

TEST_CASE("a range of ids counts from the first to before the end, in steps", "[sim]") {
  CHECK(values(IdRange<AppleId>(2, 5)) == std::vector<std::uint32_t>{2, 3, 4});
  CHECK(values(IdRange<AppleId, 2>(0, 6)) == std::vector<std::uint32_t>{0, 2, 4});
  CHECK(IdRange<AppleId, 2>(0, 6).size() == 3);
  CHECK(values(IdRange<AppleId>(0, 0)).empty());
}

TEST_CASE("an indexed vector hands out the ids of its elements", "[sim]") {
  IndexedVector<AppleId, int> weights;
  const AppleId first = weights.push_back(150);
  weights.push_back(180);
  CHECK(weights[first] == 150);
  CHECK(values(weights.ids()) == std::vector<std::uint32_t>{0, 1});
}

}  // namespace clusterwright
