// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/governed_energy.hpp"

#include <algorithm>
#include <vector>

#include "sim/split_mix.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const GovernedRank rank{100 * watt, 700 * watt, 22 * millisecond};
constexpr double saved = 0.022 * 600;  // joules

/// Cumulated energy of slots of 1 ms.
std::vector<double> joules_of(const std::vector<double>& watts) {
  std::vector<double> out = {0};
  for (const double power : watts) out.push_back(out.back() + 0.001 * power);
  return out;
}

double watts_at(const std::vector<double>& joules, std::size_t slot) {
  return (joules[slot + 1] - joules[slot]) * 1000;
}

/// Largest energy above the limit between two times of a step.
double most_above(const std::vector<double>& joules) {
  double least = 0, most = 0;
  for (std::size_t i = 0; i < joules.size(); ++i) {
    const double above = joules[i] - 0.7 * static_cast<double>(i);
    least = std::min(least, above);
    most = std::max(most, above - least);
  }
  return most;
}

}  // namespace

TEST_CASE("long work is held to the limit, and work below it gets the energy", "[models][wave]") {
  std::vector<double> watts(2000, 740);
  std::fill(watts.begin() + 1000, watts.end(), 500);
  std::vector<double> joules = joules_of(watts);
  hold_to_limit(joules, 1 * millisecond, rank);
  CHECK(joules.back() == Approx(1240));
  CHECK(watts_at(joules, 0) == Approx(740));    // what was saved pays for it
  CHECK(watts_at(joules, 900) == Approx(700));  // nothing is left
  CHECK(watts_at(joules, 1500) == Approx(500 + 40 - saved));
  CHECK(most_above(joules) <= saved * (1 + 1e-9));
}

TEST_CASE("no time holds more energy above the limit than a window saves up", "[models][wave]") {
  SplitMix random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> watts;
    while (watts.size() < 3000) {
      const double level = 100 + static_cast<double>(random.below(round < 10 ? 700 : 900));
      watts.insert(watts.end(), 1 + random.below(300), level);
    }
    const std::vector<double> before = joules_of(watts);
    std::vector<double> joules = before;
    hold_to_limit(joules, 1 * millisecond, rank);
    CHECK(most_above(joules) <= saved * (1 + 1e-6));
    CHECK(joules.back() <= before.back() * (1 + 1e-9));
    if (before.back() < 600 * 0.001 * static_cast<double>(watts.size()))
      CHECK(joules.back() == Approx(before.back()).epsilon(1e-3));
    CHECK(std::ranges::is_sorted(joules));
  }
}

TEST_CASE("work below the limit stays as it is", "[models][wave]") {
  const std::vector<double> before = joules_of(std::vector<double>(500, 650));
  std::vector<double> joules = before;
  hold_to_limit(joules, 1 * millisecond, rank);
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(joules[i] == Approx(before[i]));
}
