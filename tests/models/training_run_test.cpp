// SPDX-License-Identifier: Apache-2.0
// Training runs by hand: steps, time, hours, energy, and the time that is paid.
#include "models/prediction/training_run.hpp"

#include <algorithm>

#include "models/prediction/predict_scale.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Step of 2,048 sequences on 16,384 accelerators in 6.5 s, 5 to 8 s, at 16 MW.
StepPrediction big_step() {
  StepPrediction step;
  step.accelerators = 16384;
  step.plan.global_batch = 2048;
  step.step_time = 6.5 * second;
  step.low = 5 * second;
  step.high = 8 * second;
  step.power.nodes_mean = 16 * megawatt;
  return step;
}

/// One replica on each accelerator of a node, with a batch that twice as many divide too.
Scenario eight_replicas() {
  SmallCase c;
  c.data = 8;
  c.micro_batches = 2;
  return small_scenario(c);
}

constexpr std::int64_t big_batch = 2048LL * 8192;  // 16,777,216 tokens

}  // namespace

TEST_CASE("the last step of a run is a whole one", "[models][training_run]") {
  CHECK(steps_for(1, 10) == 1);
  CHECK(steps_for(10, 10) == 1);
  CHECK(steps_for(11, 10) == 2);
  CHECK(steps_for(15'600'000'000'000, big_batch) == 929'833);  // 15.6e12 / 16,777,216 = 929,832.5
  CHECK(steps_for(1'000'000'000'000'000'000, 1) == 1'000'000'000'000'000'000);
  Job job;
  CHECK_FALSE(stated_steps(job, 10));
  job.tokens = 11;
  CHECK(stated_steps(job, 10) == 2);
  job.tokens.reset();
  job.steps = 7;
  CHECK(stated_steps(job, 10) == 7);
}

TEST_CASE("a run of 15.6T tokens takes 70 days of 16,384 accelerators", "[models][training_run]") {
  const TrainingRun run = training_run(big_step(), 8192, 929'833);
  CHECK(run.tokens == Approx(929'833.0 * 16'777'216).epsilon(1e-15));
  CHECK(run.time.value.in(day) == Approx(929'833 * 6.5 / 86'400).epsilon(1e-12));  // 69.95
  CHECK(run.time.low.in(day) == Approx(53.81).epsilon(1e-3));                      // 5 / 6.5 of it
  CHECK(run.time.high.in(day) == Approx(86.10).epsilon(1e-3));
  CHECK(run.accelerator_hours.value == Approx(16'384 * 24 * 69.953).epsilon(1e-4));  // 27.5 million
  CHECK(run.nodes_energy.value.in(kilowatt_hour) == Approx(16'000 * 24 * 69.953).epsilon(1e-4));
  CHECK_FALSE(run.facility_energy);
  TrainingRun grid = run;
  add_site_energy(grid, {17 * megawatt, {}, {}, 20 * megawatt, {}});
  CHECK(grid.it_energy->value / run.nodes_energy.value == Approx(17.0 / 16));
  CHECK(grid.facility_energy->value / run.nodes_energy.value == Approx(1.25));
}

TEST_CASE("checkpoints lengthen a run by their pauses, accelerators without work are held", "[models][training_run]") {
  StepPrediction step = big_step();
  step.checkpoint.emplace();
  step.checkpoint->every_steps = 100;
  step.checkpoint->stall = 65 * second;
  step.idle_accelerators = 2048;
  const TrainingRun run = training_run(step, 8192, 1000);
  CHECK(run.time.value.in(second) == Approx(1000 * 6.5 + 10 * 65));
  CHECK(run.time.low.in(second) == Approx(1000 * 5.0 + 10 * 65));  // pauses do not shrink with the step
  CHECK(run.checkpoints.in(second) == Approx(650));
  CHECK(run.accelerator_hours.value == Approx(18'432 * 7150.0 / 3600));
}

TEST_CASE("paid hours hold all losses once, those of checkpoints too", "[models][training_run]") {
  StepPrediction step = big_step();
  step.checkpoint.emplace();
  step.checkpoint->every_steps = 100;
  step.checkpoint->stall = 65 * second;
  const TrainingRun run = training_run(step, 8192, 1000);
  // 6,500 s in steps at 80 % goodput; the 650 s of checkpoints are part of the other 20 %.
  CHECK(paid_time(run, 0.8).value.in(second) == Approx(8125));
  CHECK(goodput_of(run, paid_time(run, 0.8)) == Approx(0.8));
  // A list that claims 95 % does not know of checkpoints that take 650 of 7,150 s.
  CHECK(paid_time(run, 0.95).value == run.time.value);
  CHECK(goodput_of(run, paid_time(run, 0.95)) == Approx(6500.0 / 7150));
  const RunRent rent = rent_of(run, Sourced<DollarsPerSecond>{2.5 * dollar / hour}, 0.8);
  CHECK(rent.total.value.in(dollar) == Approx(16'384 * 2.5 * 8125 / 3600));
  CHECK(rent.total.low < rent.total.value);
}

TEST_CASE("a job without an end has no run, and its end changes nothing else", "[models][training_run]") {
  Scenario scenario = eight_replicas();
  const StepPrediction open = predict_step(scenario);
  CHECK_FALSE(open.training);
  scenario.job.steps = 1000;
  const StepPrediction step = predict_step(scenario);
  REQUIRE(step.training);
  CHECK(step.step_time == open.step_time);
  CHECK(step.training->time.value.in(second) == Approx(1000 * open.step_time.in(second)));
  CHECK_FALSE(step.training->rent);
}

TEST_CASE("a strong curve trains the same tokens at every size, a weak one the same steps if steps are given",
          "[models][training_run]") {
  Scenario scenario = eight_replicas();
  const int all = scenario.cluster.spec.accelerators;
  scenario.job.steps = 1000;
  const ScaleCurve strong = predict_scale(scenario, {all, 2 * all}, true, {});
  REQUIRE(strong.points[1].step.training);
  CHECK(strong.points[0].step.training->tokens == strong.points[1].step.training->tokens);
  const ScaleCurve weak = predict_scale(scenario, {all, 2 * all}, false, {});
  CHECK(weak.points[0].step.training->steps == weak.points[1].step.training->steps);
  CHECK(weak.points[1].step.training->tokens == 2 * weak.points[0].step.training->tokens);
  scenario.job.steps.reset();
  scenario.job.tokens = 1'000'000'000;
  const ScaleCurve twice = predict_scale(scenario, {all, 2 * all}, false, {});
  const double ratio = static_cast<double>(twice.points[0].step.training->steps) /
                       static_cast<double>(twice.points[1].step.training->steps);
  CHECK(ratio == Approx(2).epsilon(1e-3));
}
