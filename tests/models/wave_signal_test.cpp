// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/wave_signal.hpp"

#include <cmath>
#include <numbers>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

constexpr Seconds sample = 4 * millisecond;

/// 120 s of mean + amplitude sin(2 pi f t) for two frequencies.
PowerSignal sines(double mean, double hertz, double amplitude, double other_hertz = 1, double other = 0) {
  PowerSignal out{sample, {}};
  for (int i = 0; i < 30000; ++i) {
    const double turn = 2 * std::numbers::pi * 0.004 * i;
    out.watts.push_back(mean + amplitude * std::sin(turn * hertz) + other * std::sin(turn * other_hertz));
  }
  return out;
}

PowerSignal square(double low, double high, double period_s) {
  PowerSignal out{sample, {}};
  for (int i = 0; i < 30000; ++i) out.watts.push_back(std::fmod(0.004 * i, period_s) < period_s / 2 ? high : low);
  return out;
}

}  // namespace

TEST_CASE("figures of a sine are its own", "[models][wave]") {
  const SignalFigures f = figures_of(sines(1000, 2, 100));
  CHECK(f.mean.in(watt) == Approx(1000));
  CHECK(f.swing().in(watt) == Approx(200).epsilon(1e-3));
  CHECK(f.ramp.in(watt) == Approx(200).epsilon(1e-3));
  CHECK(f.band.in(watt) == Approx(200).epsilon(0.01));
  CHECK(f.band_share == Approx(1).epsilon(1e-6));
  REQUIRE_FALSE(f.lines.empty());
  CHECK(f.lines.front().hertz == Approx(2));
  CHECK(f.lines.front().swing.in(watt) == Approx(200).epsilon(0.01));
}

TEST_CASE("a band leaves out what is slower and faster", "[models][wave]") {
  const PowerSignal both = sines(1000, 0.05, 300, 30, 50);
  CHECK(band_swing(both, 0.1, 20).in(watt) < 3);
  CHECK(band_swing(both, 0.01, 0.1).in(watt) == Approx(600).epsilon(0.02));
  CHECK(band_swing(both, 20, 55).in(watt) == Approx(100).epsilon(0.02));
  CHECK(figures_of(both).band_share < 0.01);
}

TEST_CASE("the largest change of a slow sine within a second is its slope", "[models][wave]") {
  // 100 W at 0.02 Hz: 2 pi 0.02 100 = 12.6 W/s.
  CHECK(change_within(sines(1000, 0.02, 100), 1 * second).in(watt) == Approx(12.56).epsilon(0.01));
  CHECK(change_within(sines(1000, 0.02, 100), 10 * minute).in(watt) == Approx(200).epsilon(1e-3));
}

TEST_CASE("a square wave is flattened by a quarter of its swing over its frequency", "[models][wave]") {
  // 48 kW at 1 Hz: 12 kJ (half of the swing, half of the period).
  const FlatStorage flat = flat_storage(square(72e3, 120e3, 1));
  CHECK(flat.power.in(kilowatt) == Approx(24));
  CHECK(flat.energy.in(joule) == Approx(12e3).epsilon(0.01));
}
