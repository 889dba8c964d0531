// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/thermal_fit.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"
#include "support/made_up_samples.hpp"

using namespace clusterwright;

namespace {

/// Idle, load and idle again, 20, 140 and 80 s, as NVML reads them.
ProbeSamples warm_up(const ThermalParameters& truth) {
  std::vector<double> t_s, power_w;
  for (int i = 0; i <= 2400; ++i) {
    t_s.push_back(0.1 * i);
    power_w.push_back(i < 200 ? 100 : i < 1600 ? 690 : 110);
  }
  const std::vector<double> temperature = predicted_temperatures(truth, t_s, power_w);
  ProbeSamples samples = made_up_gpu();
  const auto add = [&](const char* load, std::size_t begin, std::size_t end) {
    ProbeSample sample;
    sample.what.emplace<ProbedPower>().load = load;
    for (std::size_t i = begin; i < end; ++i) {
      sample.trace.t_s.push_back(t_s[i] - t_s[begin] + 0.1);
      sample.trace.power_w.push_back(power_w[i]);
      sample.trace.temperature_c.push_back(std::round(temperature[i]));
    }
    samples.samples.push_back(std::move(sample));
  };
  add("idle_before_ramp", 0, 200);
  add("ramp", 200, 1600);
  add("cool_down", 1600, 2401);
  return samples;
}

ThermalParameters heat_of(double capacity_j_per_c) {
  ThermalParameters out;
  out.inlet_c.value = 27;
  out.resistance_c_per_w.value = 0.06;
  out.fast_resistance_c_per_w.value = 0.02;
  out.capacity_j_per_c.value = capacity_j_per_c;
  return out;
}

}  // namespace

TEST_CASE("a warm-up tells resistance and capacity", "[calibration][samples]") {
  ProbeSamples samples = warm_up(heat_of(900));  // a time constant of 36 s
  const auto& hottest = samples.samples[1].trace.temperature_c;
  CHECK(*samples.samples[0].trace.temperature_c.front() == Approx(27 + 6));
  CHECK(**std::max_element(hottest.begin(), hottest.end()) == Approx(27 + 0.06 * 690).epsilon(0.03));
  const auto found = fit_thermal({samples}, "own");
  REQUIRE(found);
  CHECK(found->resistance_c_per_w.value == Approx(0.06).epsilon(0.05));
  CHECK(found->capacity_j_per_c.value == Approx(900).epsilon(0.1));
  CHECK(found->inlet_c.value == Approx(27).epsilon(0.05));
  samples.samples.pop_back();
  samples.samples.pop_back();  // idle alone says nothing
  CHECK_FALSE(fit_thermal({samples}, "own"));
}

TEST_CASE("a warm-up far from its balance tells no resistance", "[calibration][samples]") {
  CHECK_FALSE(fit_thermal({warm_up(heat_of(15000))}, "own"));  // 600 s
}
