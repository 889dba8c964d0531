// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "calibration/validation/predict_footprint.hpp"
#include "calibration/validation/predict_power.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const ScenarioShelf& shelf() {
  static const ScenarioShelf all = load_shelf(CLUSTERWRIGHT_CONFIGS);
  return all;
}

double only_value(const Prediction& prediction) {
  if (const auto* why = std::get_if<std::string>(&prediction)) FAIL(*why);
  const auto& values = std::get<PredictedValues>(prediction);
  REQUIRE(values.predicted.size() == 1);
  CHECK(values.low[0] < values.predicted[0]);
  CHECK(values.high[0] > values.predicted[0]);
  return values.predicted[0];
}

double median_of(std::vector<double> values) {
  REQUIRE_FALSE(values.empty());
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double error(double predicted, double measured) {
  return std::abs(std::log(predicted / measured));
}

}  // namespace

TEST_CASE("published footprints are predicted to 2 %", "[calibration][validation]") {
  int rows = 0;
  for (const Measurement& m : read_measurements(measurements / "memory-footprint.json")) {
    INFO(m.id);
    CHECK(error(only_value(predict_footprint(m, shelf())), m.footprint->value) < 0.02);
    ++rows;
  }
  CHECK(rows == 20);
}

TEST_CASE("peak memory of runs on Hopper is predicted to 13 % in the median", "[calibration][validation]") {
  std::vector<double> errors;
  for (const Measurement& m : read_measurements(measurements / "training-nvidia-hopper.json"))
    if (m.step && m.step->peak_memory)
      errors.push_back(error(only_value(predict_peak_memory(m, shelf())), m.step->peak_memory->in(gigabyte)));
  CHECK(errors.size() == 37);
  CHECK(median_of(errors) < 0.13);
}

TEST_CASE("node power over windows of training is predicted to 8 % in the median", "[calibration][validation]") {
  std::vector<double> errors;
  for (const Measurement& m : read_measurements(measurements / "power.json")) {
    if (m.scored) errors.push_back(error(only_value(predict_power(m, shelf())), m.power->node_mean.in(watt)));
  }
  CHECK(errors.size() == 4);
  CHECK(median_of(errors) < 0.08);
}

TEST_CASE("what was measured, and what a case is called, changes no prediction", "[calibration][validation]") {
  Measurement footprint = read_measurements(measurements / "memory-footprint.json").front();
  Measurement power = read_measurements(measurements / "power.json").at(1);
  const double memory = only_value(predict_footprint(footprint, shelf()));
  const double watts = only_value(predict_power(power, shelf()));
  for (Measurement* m : {&footprint, &power}) m->id = m->family = m->source = "another";
  footprint.step->model.name = "another";
  footprint.footprint->value *= 2;
  power.power->node_mean = 2 * power.power->node_mean;
  power.power->model->name = "another";
  CHECK(only_value(predict_footprint(footprint, shelf())) == memory);
  CHECK(only_value(predict_power(power, shelf())) == watts);
}

TEST_CASE("liquid cooling saves fans, and the far side of a supply its loss", "[calibration][validation]") {
  Measurement m = read_measurements(measurements / "power.json").at(1);
  REQUIRE(m.power->measured_at == "ac");
  REQUIRE(m.power->cooling == "immersion");
  const double ac = only_value(predict_power(m, shelf()));
  m.power->measured_at = "dc";
  CHECK(only_value(predict_power(m, shelf())) == Approx(0.96 * ac));
  m.power->measured_at = "ac";
  m.power->cooling = "air";
  const double fans = only_value(predict_power(m, shelf())) - ac;
  // 14 % of 7.75 to 8.4 kW, while it runs
  CHECK(fans > 1000);
  CHECK(fans < 1250);
}
