// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/power_measures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/split_mix.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

constexpr Seconds every = 4 * millisecond;
const HeldAccelerator held_card{100 * watt, 700 * watt};

/// 60 s: `high` for `busy` of each period, else `low`.
PowerSignal pulses(double low, double high, double period_s, double busy) {
  PowerSignal out{every, {}};
  for (int i = 0; i < 15000; ++i) out.watts.push_back(std::fmod(0.004 * i, period_s) < busy * period_s ? high : low);
  return out;
}

/// Busy for 10 s, then idle for 10 s.
PowerSignal one_stop() {
  PowerSignal out{every, {}};
  for (int i = 0; i < 5000; ++i) out.watts.push_back(i < 2500 ? 650 : 120);
  return out;
}

double joules(const PowerSignal& signal) {
  return 0.004 * std::accumulate(signal.watts.begin(), signal.watts.end(), 0.0);
}

double swing(const PowerSignal& signal) {
  const auto [low, high] = std::ranges::minmax_element(signal.watts);
  return *high - *low;
}

/// in = out + stored + lost, content within its bounds, and no power beyond the rating.
void check_storage(const PowerSignal& load, const StorageModule& module) {
  PowerSignal out = load;
  const StorageUse use = store(out, module);
  const double rounding = 1e-9 * joules(load);
  CHECK(std::abs(joules(out) - joules(load) - use.stored.in(joule)-use.lost.in(joule)) < rounding);
  CHECK(use.lost.in(joule) >= -rounding);
  CHECK(use.least >= Joules());
  CHECK(use.most <= module.energy);
  double most = 0;
  for (std::size_t i = 0; i < load.watts.size(); ++i) most = std::max(most, std::abs(out.watts[i] - load.watts[i]));
  CHECK(most <= module.power.in(watt) * (1 + 1e-9));
  CHECK(swing(out) <= swing(load) * (1 + 1e-12));
}

}  // namespace

TEST_CASE("storage keeps energy, content and power", "[models][wave]") {
  SplitMix random(7);
  PowerSignal noise{every, {}};
  for (int i = 0; i < 15000; ++i) noise.watts.push_back(300 + static_cast<double>(random.below(400)));
  for (const PowerSignal& load : {pulses(150, 700, 6, 0.8), pulses(150, 700, 0.5, 0.5), noise, one_stop()})
    for (const double energy : {1.0, 65.0, 5e3, 1e6})
      for (const double power : {20.0, 1400.0})
        for (const double efficiency : {0.8, 1.0}) {
          INFO(energy << " J, " << power << " W, " << efficiency);
          check_storage(load, {energy * joule, power * watt, efficiency});
        }
}

TEST_CASE("more storage leaves less of a swing", "[models][wave]") {
  double before = 550;
  for (const double energy : {10.0, 100.0, 1e3, 1e4}) {
    PowerSignal load = pulses(150, 700, 1, 0.5);
    store(load, {energy * joule, 1000 * watt, 1});
    const PowerSignal settled = load.from(7500);
    CHECK(swing(settled) < before);
    before = swing(settled);
  }
  CHECK(before < 20);
}

TEST_CASE("a constant load needs no storage", "[models][wave]") {
  PowerSignal load = pulses(500, 500, 1, 0.5);
  const StorageUse use = store(load, {65 * joule, 1000 * watt, 0.9});
  CHECK(use.lost == Joules());
  CHECK(swing(load) == 0);
}

TEST_CASE("a floor holds power up while work runs and for the hold time behind it", "[models][wave]") {
  PowerSignal signal = one_stop();
  const double before = joules(signal);
  const MeasurePrice price = smooth(signal, {0.65, {}, {}, 2 * second}, held_card);
  CHECK(signal.watts[2000] == 650);
  CHECK(signal.watts[2600] == Approx(455));  // 0.65 x 700 W
  CHECK(signal.watts[4900] == 120);
  CHECK(price.added.in(joule) == Approx(2 * (455 - 120)).epsilon(0.01));
  CHECK(joules(signal) - before == Approx(price.added.in(joule)));
  CHECK(price.delayed == Joules());
}

TEST_CASE("ramps bound changes, and work waits for the one upwards", "[models][wave]") {
  PowerSignal signal = pulses(120, 650, 20, 0.5);
  PowerSmoothingSpec smoothing{0.65, 500.0, 100.0, 0 * second};
  const MeasurePrice price = smooth(signal, smoothing, held_card);
  for (std::size_t i = 5001; i < signal.watts.size(); ++i) {
    CHECK(signal.watts[i] - signal.watts[i - 1] <= 500 * 0.004 + 1e-9);
    if (signal.watts[i] < 455) CHECK(std::min(455.0, signal.watts[i - 1]) - signal.watts[i] <= 100 * 0.004 + 1e-9);
  }
  CHECK(price.delayed > Joules());
  CHECK(price.added > Joules());
}

TEST_CASE("filler starts and stops with its reaction", "[models][wave]") {
  PowerSignal signal = pulses(120, 650, 2, 0.5);
  const MeasurePrice price = fill(signal, {0.6, 20 * millisecond}, held_card);
  const auto at = [&](double seconds) { return signal.watts[static_cast<std::size_t>(seconds / 0.004)]; };
  CHECK(at(1.008) == 120);  // not noticed yet
  CHECK(at(1.5) == Approx(420));
  CHECK(at(2.010) == Approx(420));  // work waits for the filler that runs
  CHECK(at(2.5) == 650);
  // 30 waits of 1 s, each filled but for its first 20 ms; 29 of them are followed by work.
  CHECK(price.added.in(joule) == Approx(30 * 0.98 * 300).epsilon(0.01));
  CHECK(price.delayed.in(joule) == Approx(29 * 0.02 * 230).epsilon(0.05));
}

TEST_CASE("a filter of supplies keeps energy but for what is on its way", "[models][wave]") {
  PowerSignal signal = pulses(150, 700, 1, 0.5);
  const double before = joules(signal);
  filter(signal, 30 * millisecond);
  CHECK(joules(signal) == Approx(before).epsilon(1e-3));
  CHECK(swing(signal) < 550);
}
