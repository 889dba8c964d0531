// SPDX-License-Identifier: Apache-2.0
#include "sim/clocked_power.hpp"

#include "support/catch.hpp"

using namespace clusterwright;

TEST_CASE("the share of work that follows the clock takes longer and draws less", "[sim]") {
  CHECK(clock_stretch(1, 0.5) == Approx(2));
  CHECK(clock_stretch(0.5, 0.5) == Approx(1.5));  // 0.5 / 0.5 + 0.5
  CHECK(clock_stretch(0, 0.5) == 1);
  const ClockedPower half(0.5, 2);
  CHECK(half.of(1) == Approx(0.25));
  CHECK(half.of(0.5) == Approx(0.625));  // 0.5 x 0.25 + 0.5
  CHECK(half.of(0) == 1);
  CHECK(ClockedPower(1, 2.4).of(0.3) == 1);  // exactly
}

TEST_CASE("the energy of many works at a clock is the sum of their times and powers", "[sim]") {
  struct Work {
    double joules, share;
  };
  const Work works[] = {{10, 0.9}, {4, 0.2}, {7, 0}, {1, 1}};
  ClockedEnergy energy;
  for (const Work& work : works) energy.add(work.joules, work.share);
  for (const double clock : {1.0, 0.8, 0.45}) {
    const ClockedPower power(clock, 2.4);
    double sum = 0;
    for (const Work& work : works) sum += work.joules * clock_stretch(work.share, clock) * power.of(work.share);
    CHECK(energy.at(clock, 2.4) == Approx(sum));
  }
}
