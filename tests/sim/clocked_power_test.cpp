// SPDX-License-Identifier: Apache-2.0
#include "sim/clocked_power.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"

using namespace clusterwright;

TEST_CASE("the share of work that follows the clock takes longer and draws less", "[sim]") {
  CHECK(clock_stretch(1, 0.5) == Approx(2));
  CHECK(clock_stretch(0.5, 0.5) == Approx(1.5));  // 0.5 / 0.5 + 0.5
  CHECK(clock_stretch(0, 0.5) == 1);
  const ClockedPower half(0.5, {2, 0});
  CHECK(half.of(1) == Approx(0.25));
  CHECK(half.of(0.5) == Approx(0.625));  // 0.5 x 0.25 + 0.5
  CHECK(half.of(0) == 1);
  CHECK(ClockedPower(1, {2.4, 0}).of(0.3) == 1);  // exactly
}

TEST_CASE("the energy of many works at a clock is the sum of their times and powers", "[sim]") {
  struct Work {
    double joules, share;
  };
  const Work works[] = {{10, 0.9}, {4, 0.2}, {7, 0}, {1, 1}};
  ClockedEnergy energy;
  for (const Work& work : works) energy.add(work.joules, work.share);
  for (const double clock : {1.0, 0.8, 0.45}) {
    const ClockedPower power(clock, {2.4, 0});
    double sum = 0;
    for (const Work& work : works) sum += work.joules * clock_stretch(work.share, clock) * power.of(work.share);
    CHECK(energy.at(clock, {2.4, 0}) == Approx(sum));
  }
}

TEST_CASE("below the clock at which the voltage stays, power falls as the clock does", "[sim]") {
  const VoltageCurve voltage{2.4, 0.7};
  CHECK(voltage.power(1) == 1);
  CHECK(voltage.power(0.85) == Approx(std::pow(0.85, 2.4)));
  const double at_floor = std::pow(0.7, 2.4);
  CHECK(voltage.power(0.7) == Approx(at_floor));
  CHECK(voltage.power(0.35) == Approx(at_floor / 2));
  CHECK(voltage.power(0.35) > std::pow(0.35, 2.4));
  for (const double clock : {0.3, 0.69, 0.7, 0.71, 1.0}) CHECK(voltage.clock(voltage.power(clock)) == Approx(clock));
}

TEST_CASE("no clock takes less than the least energy, whatever the voltage does", "[sim]") {
  for (const VoltageCurve voltage :
       {VoltageCurve{2.4, 0}, VoltageCurve{2.4, 0.75}, VoltageCurve{1, 0}, VoltageCurve{3, 1}})
    for (const double share : {0.0, 0.3, 0.8, 1.0}) {
      ClockedEnergy energy;
      energy.add(10, share);
      double found = energy.at(1, voltage);
      for (double clock = 0.3; clock <= 1; clock += 0.01) found = std::min(found, energy.at(clock, voltage));
      CHECK(energy.least(0.3, voltage) <= found * (1 + 1e-12));
      if (share == 0 || share == 1) CHECK(energy.least(0.3, voltage) == Approx(found).epsilon(1e-3));
    }
}
