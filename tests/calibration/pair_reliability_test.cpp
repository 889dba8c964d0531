// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/pair_reliability.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// Training steps of one job on 16 GPUs, all of one publisher.
struct PairedSteps {
  std::vector<Measurement> measurements;
  std::vector<CaseResult> results;

  Measurement& add(double predicted, double measured) {
    Measurement& m = measurements.emplace_back();
    m.source = "somebody's table";
    m.hardware.accelerator = "H100-SXM";
    m.hardware.accelerators = 16;
    m.hardware.accelerators_per_node = 8;
    m.step = MeasuredStep{};
    m.step->model.layers = 32;
    m.step->model.sequence = 4096;
    m.step->job.global_batch = 64;
    m.step->job.tensor = 1;
    m.step->job.precision = "bf16";
    CaseResult& result = results.emplace_back();
    result.predicted = result.low = result.high = {predicted};
    result.measured = {measured};
    result.step = StepDetail{};
    result.step->uncertainty.own = result.step->uncertainty.layout = 0.1 / std::sqrt(2.0);
    result.step->uncertainty.job = std::to_string(results.size());
    return m;
  }

  std::vector<StepPair> pairs() const { return step_pairs(measurements, results); }
};

JudgedPair judged_pair(double probability, bool came_out, double weight) {
  JudgedPair out;
  out.pair.weight = weight;
  out.predicted = 0.1;
  out.measured = came_out ? 0.1 : -0.5;
  out.error = {0.1, 0.1};
  out.probability = probability;
  return out;
}

}  // namespace

TEST_CASE("pairs of steps differ in one thing, and what follows it may follow", "[calibration][validation]") {
  PairedSteps steps;
  steps.add(100, 100);
  steps.add(90, 90).step->job.tensor = 2;
  Measurement& larger = steps.add(80, 80);
  larger.hardware.accelerators = 32;
  larger.step->job.global_batch = 128;
  Measurement& newer = steps.add(200, 200);
  newer.hardware.accelerator = "B200";
  newer.step->job.tensor = 4;                       // a layout may follow the accelerator
  steps.add(150, 150).step->job.precision = "fp8";  // neither layout nor batch follow a format
  Measurement& longer = steps.add(70, 70);
  longer.step->model.sequence = 8192;
  longer.step->job.global_batch = 32;
  const std::vector<StepPair> pairs = steps.pairs();
  std::vector<std::pair<PairAxis, std::size_t>> of_first;
  for (const StepPair& pair : pairs)
    if (pair.first == 0) of_first.emplace_back(pair.axis, pair.second);
  CHECK(of_first == std::vector<std::pair<PairAxis, std::size_t>>{{PairAxis::accelerator, 3},
                                                                  {PairAxis::accelerators, 2},
                                                                  {PairAxis::layout, 1},
                                                                  {PairAxis::number_format, 4},
                                                                  {PairAxis::sequence, 5}});
  // The second step differs from B200 in accelerator and layout, and from the longer sequence in both.
  CHECK(pairs.size() == 7);
}

TEST_CASE("ties, cells, unscored steps and other publishers make no pair", "[calibration][validation]") {
  PairedSteps steps;
  steps.add(100, 100);
  steps.add(90, 100.4).step->job.tensor = 2;
  CHECK(steps.pairs().empty());
  steps.results[1].measured = {100.6};
  CHECK(steps.pairs().size() == 1);
  steps.results[0].cell = steps.results[1].cell = "one measurement";
  CHECK(steps.pairs().empty());
  steps.results[0].cell.clear();
  steps.results[1].scored = false;
  CHECK(steps.pairs().empty());
  steps.results[1].scored = true;
  steps.measurements[1].source = "another table";
  CHECK(steps.pairs().empty());
}

TEST_CASE("a step gives its pairs one vote, and a publisher the root of the votes", "[calibration][validation]") {
  PairedSteps steps;
  for (const int tensor : {1, 2, 4}) steps.add(100, 100 + 10 * tensor).step->job.tensor = tensor;
  std::vector<StepPair> pairs = steps.pairs();
  REQUIRE(pairs.size() == 3);
  for (const StepPair& pair : pairs) CHECK(pair.weight == Approx(std::sqrt(1.5) / 3));
  steps.results[2].weight = 0.5;  // shares a cell with a row that is no part of this
  pairs = steps.pairs();
  CHECK(pairs[0].weight == Approx(0.5 / std::sqrt(1.25)));  // first and second: 1/4 of a vote of each
  CHECK(pairs[1].weight == Approx(0.375 / std::sqrt(1.25)));
}

TEST_CASE("a pair is judged from the side that is predicted faster, in either order", "[calibration][validation]") {
  PairedSteps steps;
  steps.add(100, 100);
  steps.add(110, 95).step->job.tensor = 2;
  const StepCalibration none;
  const JudgedPair one = judged_pairs(steps.pairs(), steps.results, none).front();
  CHECK(one.predicted == Approx(std::log(1.1)));
  CHECK(one.measured == Approx(std::log(0.95)));
  CHECK(one.error.slower == Approx(0.1));
  CHECK(one.error.faster == Approx(0.1));
  CHECK(one.outcome() == 0);
  CHECK(one.in_interval());
  std::swap(steps.results[0], steps.results[1]);
  std::swap(steps.measurements[0], steps.measurements[1]);
  const JudgedPair turned = judged_pairs(steps.pairs(), steps.results, none).front();
  CHECK(turned.predicted == Approx(one.predicted));
  CHECK(turned.measured == Approx(one.measured));
  CHECK(turned.probability == Approx(one.probability));
  steps.results[0].predicted = steps.results[1].predicted;
  const JudgedPair equal = judged_pairs(steps.pairs(), steps.results, none).front();
  CHECK(equal.probability == 0.5);
  CHECK(equal.outcome() == 0.5);
}

TEST_CASE("held-out errors and covariances take the place of the shipped ones", "[calibration][validation]") {
  PairedSteps steps;
  steps.add(100, 100);
  steps.add(110, 95).step->job.tensor = 2;
  for (std::size_t i : {0, 1}) steps.results[i].step->uncertainty.slopes = {{"drift", i == 0 ? 1.0 : 0.0}};
  SplitErrors split{"by_model", "model held out", {{0, 0.02}, {1, -0.01}}};
  split.held_out = {"small", "small"};
  split.calibrations["small"].fitted = {"drift"};
  split.calibrations["small"].covariance = {0.03};
  const JudgedPair one = judged_pairs(steps.pairs(), steps.results, {}, split).front();
  CHECK(one.predicted == Approx(std::log(100 / 95.0) + 0.03));
  CHECK(one.error.slower == Approx(0.2));
}

TEST_CASE("probabilities are binned, weighted and scored", "[calibration][validation]") {
  const PairReliability all = pair_reliability(
      {judged_pair(0.9, true, 1), judged_pair(0.9, false, 1), judged_pair(0.55, true, 2), judged_pair(1, true, 1)});
  REQUIRE(all.bins.size() == 7);
  CHECK(all.bins[0].name == "50 to 60 %");
  CHECK(all.bins[0].pairs == 1);
  CHECK(all.bins[3].pairs == 0);  // 0.9 opens the next one
  const ReliabilityFigures& bin = all.bins[4];
  CHECK(bin.pairs == 2);
  CHECK(bin.mean_probability == Approx(0.9));
  CHECK(bin.frequency == Approx(0.5));
  CHECK(bin.brier == Approx(0.41));
  CHECK(bin.brier_of_mean == Approx(0.25));
  CHECK(bin.chance == Approx(std::sqrt(0.09 / 2)));
  CHECK(bin.in_interval == Approx(0.5));
  CHECK(all.bins[6].pairs == 1);
  REQUIRE(all.axes.size() == 1);
  CHECK(all.axes.front().name == "accelerator");
  CHECK(all.all.pairs == 4);
  CHECK(all.all.votes == Approx(5));
  CHECK(all.all.mean_probability == Approx((0.9 + 0.9 + 1.1 + 1) / 5));
  CHECK(all.all.frequency == Approx(0.8));
  CHECK(pair_reliability({}).all.frequency == 0);
}

TEST_CASE("a pair is judged from the side that is more likely, which may be the one predicted slower",
          "[calibration]") {
  PairedSteps steps;
  steps.add(100, 90);
  steps.add(101, 100).step->job.tensor = 2;
  for (CaseResult& result : steps.results) {
    StepUncertainty& u = result.step->uncertainty;
    u.job = "one job";
    u.twin = result.id;
    u.size = 0.01;
    u.accelerators = &result == &steps.results.back() ? 64 : 8;
  }
  steps.results.front().step->uncertainty.twin = "smaller";
  StepCalibration calibration;
  calibration.residuals.size_growth.value = 0.05;
  const JudgedPair one = judged_pairs(steps.pairs(), steps.results, calibration).front();
  CHECK(one.probability > 0.5);
  CHECK(one.predicted == Approx(-std::log(1.01)));  // the smaller one
  CHECK(one.measured == Approx(std::log(0.9)));
  CHECK(one.error.faster > one.error.slower);  // it may be faster by what the larger one loses
  CHECK(one.outcome() == 0);
}
