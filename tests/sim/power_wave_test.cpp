// SPDX-License-Identifier: Apache-2.0
#include "sim/power_wave.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/random_step.hpp"
#include "support/small_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Square wave: `high` for half a period, then `low`.
DomainPower square(Watts high, Watts low, std::int64_t period_us) {
  DomainPower power;
  power.samples = {{us(0), high}, {us(period_us / 2), low}};
  power.mean = 0.5 * (high + low);
  return power;
}

/// Largest change by looking at every pair.
double by_pairs(const std::vector<double>& samples, std::size_t window, bool cyclic) {
  double most = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t step = 0; step <= window; ++step) {
      if (!cyclic && i + step >= samples.size()) break;
      most = std::max(most, std::abs(samples[(i + step) % samples.size()] - samples[i]));
    }
  return most;
}

}  // namespace

TEST_CASE("the largest change within a window is that of all pairs of samples", "[sim][power]") {
  std::vector<double> samples;
  for (int i = 0; i < 60; ++i) samples.push_back(100 * std::sin(0.7 * i) + 3 * i % 41);
  for (const std::size_t window : {1u, 2u, 7u, 30u, 59u, 200u})
    for (const bool cyclic : {false, true}) {
      INFO(window << " " << cyclic);
      CHECK(largest_change(samples, window, cyclic) == by_pairs(samples, std::min<std::size_t>(window, 59), cyclic));
    }
  CHECK(largest_change({}, 3, true) == 0);
  CHECK(largest_change(std::vector{5.0}, 3, true) == 0);
}

TEST_CASE("a ramp is the whole swing where a step is short, and less where it is slow", "[sim][power]") {
  const PowerWave fast = smoothed_wave(square(800 * watt, 200 * watt, 2'000'000), us(2'000'000), 30 * millisecond);
  CHECK(fast.high.in(watt) == Approx(800).epsilon(1e-3));
  CHECK(fast.low.in(watt) == Approx(200).epsilon(1e-3));
  CHECK(fast.ramp.in(watt) == Approx(600).epsilon(2e-3));
  // Behind a filter of 10 s a second sees less than a tenth of the way.
  const PowerWave slow = smoothed_wave(square(800 * watt, 200 * watt, 2'000'000), us(2'000'000), 10 * second);
  CHECK(slow.ramp.in(watt) == Approx(30).epsilon(0.05));
  CHECK(slow.ramp <= slow.high - slow.low);
}

TEST_CASE("slots of ranks hold the energy of their domain", "[sim][power]") {
  SmallStep step;
  WorkTiming work = busy(3);
  work.power = 500 * watt;
  const LaneId lane = step.compute_lane(step.rank("gpu", 4));
  step.compute(lane, work);
  step.compute(lane, busy(2));
  const StepGraph graph = std::move(step.builder).build();
  const ReplayResult result = replay(graph);
  const RankEnergy energy = meter_ranks(graph.structure, graph.timing, result, us(2));
  const std::vector<double>& joules = energy.joules[RankClassId(0)];
  // 600 W for 3 us, then 100 W: 1.2 mJ, 0.6 + 0.1 mJ, 0.1 mJ.
  REQUIRE(joules.size() == 4);
  CHECK(joules[1] == Approx(1.2e-3));
  CHECK(joules[2] == Approx(1.9e-3));
  CHECK(joules[3] == Approx(2.0e-3));
  CHECK(energy.until(RankClassId(0), 1e-6) == Approx(0.6e-3));
  CHECK(energy.until(RankClassId(0), 4.5e-6) == Approx(1.95e-3));
  CHECK(energy.until(RankClassId(0), 1) == Approx(2.0e-3));
  const DomainPower domain = meter_power(graph.structure, graph.timing, result)[PowerDomainId(0)];
  CHECK(4 * joules.back() == Approx(domain.energy.in(joule)));
}
