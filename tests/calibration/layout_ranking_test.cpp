// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/layout_ranking.hpp"

#include <cmath>

#include "calibration/validation/published_job.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// Training steps of one job on 16 GPUs that are told apart by the tensor degree.
struct MadeUpSteps {
  std::vector<Measurement> measurements;
  std::vector<CaseResult> results;

  Measurement& add(int tensor, double predicted, double measured) {
    Measurement& m = measurements.emplace_back();
    m.hardware.accelerator = "H100-SXM";
    m.hardware.accelerators = 16;
    m.hardware.accelerators_per_node = 8;
    m.step = MeasuredStep{};
    m.step->model.layers = 32;
    m.step->job.global_batch = 64;
    m.step->job.tensor = tensor;
    CaseResult& result = results.emplace_back();
    result.family = "made up";
    result.kind = "training_step";
    result.predicted = result.low = result.high = {predicted};
    result.measured = {measured};
    result.step = StepDetail{};
    return m;
  }

  LayoutRanking ranking() const { return layout_ranking(measurements, results); }
};

}  // namespace

TEST_CASE("regret is what the layout predicted best loses against the best", "[calibration][validation]") {
  MadeUpSteps steps;
  steps.add(1, 120, 90);
  steps.add(2, 110, 100);
  steps.add(4, 80, 50);
  const LayoutRanking ranking = steps.ranking();
  REQUIRE(ranking.groups.size() == 1);
  const LayoutGroup& group = ranking.groups.front();
  CHECK(group.predicted_best.words == "data parallel");
  CHECK(group.true_best.words == "tensor 2");
  CHECK(group.regret == Approx(std::log(100.0 / 90)));
  CHECK(group.blind_regret == Approx((std::log(100.0 / 90) + std::log(2.0)) / 3));
  CHECK(group.kendall_tau.value() == Approx(1.0 / 3));  // two of three pairs in the right order
  CHECK(ranking.scored.groups == 1);
  CHECK(ranking.scored.layouts == 3);
  CHECK(ranking.scored.right_best == 0);
  CHECK(ranking.scored.within_3_percent == 0);
  CHECK(ranking.scored.mean_regret == Approx(group.regret));
  CHECK(ranking.with_unscored.groups == 0);
}

TEST_CASE("regrets are summed up over groups and by family", "[calibration][validation]") {
  MadeUpSteps steps;
  steps.add(1, 100, 100);  // right
  steps.add(2, 90, 50);
  for (int tensor : {1, 2}) steps.add(tensor, tensor == 1 ? 100 : 90, tensor == 1 ? 98 : 100);  // wrong by 2 %
  steps.measurements[2].hardware.accelerators = steps.measurements[3].hardware.accelerators = 32;
  steps.results[2].family = steps.results[3].family = "another";
  const LayoutRanking ranking = steps.ranking();
  REQUIRE(ranking.groups.size() == 2);
  CHECK(ranking.groups.front().family == "another");  // the largest regret first
  CHECK(ranking.scored.right_best == Approx(0.5));
  CHECK(ranking.scored.within_3_percent == Approx(1));
  CHECK(ranking.scored.median_regret == Approx(0));
  CHECK(ranking.scored.p90_regret == Approx(-std::log(0.98)));
  CHECK(ranking.scored.mean_regret == Approx(-std::log(0.98) / 2));
  CHECK(ranking.scored.median_tau == Approx(-1));  // the lower of 1 and -1
  REQUIRE(ranking.families.size() == 2);
  for (const RankingFigures& family : ranking.families) CHECK(family.groups == 1);
}

TEST_CASE("of equal predictions the slowest layout is the one chosen, in any order", "[calibration][validation]") {
  for (const bool slow_first : {true, false}) {
    MadeUpSteps steps;
    steps.add(slow_first ? 1 : 2, 100, slow_first ? 80 : 100);
    steps.add(slow_first ? 2 : 1, 100, slow_first ? 100 : 80);
    const LayoutRanking ranking = steps.ranking();
    REQUIRE(ranking.groups.size() == 1);
    CHECK(ranking.groups.front().regret == Approx(std::log(100.0 / 80)));
    CHECK_FALSE(ranking.groups.front().kendall_tau);
  }
}

TEST_CASE("a tie among measured rates is no regret", "[calibration][validation]") {
  MadeUpSteps steps;
  steps.add(1, 110, 100);
  steps.add(2, 120, 100);
  CHECK(steps.ranking().groups.front().regret == 0);
  CHECK(steps.ranking().scored.right_best == 1);
}

TEST_CASE("Kendall's tau-b allows for ties on either side", "[calibration][validation]") {
  const auto layout = [](double predicted, double measured) {
    RankedLayout out;
    out.predicted = predicted;
    out.measured = measured;
    return out;
  };
  CHECK(kendall_tau({layout(1, 1), layout(2, 2), layout(3, 3)}).value() == Approx(1));
  CHECK(kendall_tau({layout(1, 3), layout(2, 2), layout(3, 1)}).value() == Approx(-1));
  // Pairs: one tied among predictions, two agree; 2 / sqrt(2 x 3)
  CHECK(kendall_tau({layout(1, 1), layout(1, 2), layout(3, 3)}).value() == Approx(2 / std::sqrt(6.0)));
  CHECK_FALSE(kendall_tau({layout(1, 1)}));
}

TEST_CASE("one layout alone, and layouts of other jobs, are no group", "[calibration][validation]") {
  const auto groups = [](auto change) {
    MadeUpSteps steps;
    steps.add(1, 100, 100);
    change(steps.add(2, 90, 90));
    return steps.ranking().groups.size();
  };
  CHECK(MadeUpSteps().ranking().groups.empty());
  CHECK(groups([](Measurement&) {}) == 1);
  CHECK(groups([](Measurement& m) { m.step->job.tensor = 1; }) == 0);      // a repeat
  CHECK(groups([](Measurement& m) { m.step->job.tensor.reset(); }) == 0);  // may be the same
  CHECK(groups([](Measurement& m) { m.step->model.layers = 33; }) == 0);
  CHECK(groups([](Measurement& m) { m.step->model.sequence = 4096; }) == 0);
  CHECK(groups([](Measurement& m) { m.step->job.global_batch = 128; }) == 0);
  CHECK(groups([](Measurement& m) { m.step->job.global_batch.reset(); }) == 0);
  CHECK(groups([](Measurement& m) { m.step->job.release = {2024, 7}; }) == 0);
  CHECK(groups([](Measurement& m) { m.step->job.precision = "fp8-tensor"; }) == 0);
  CHECK(groups([](Measurement& m) { m.hardware.accelerators = 32; }) == 0);
  CHECK(groups([](Measurement& m) { m.hardware.accelerator = "H200"; }) == 0);
  CHECK(groups([](Measurement& m) { m.hardware.scale_up_domain = 16; }) == 0);
}

TEST_CASE("groups do not know what anything is called", "[calibration][validation]") {
  MadeUpSteps steps;
  steps.add(1, 100, 100);
  Measurement& other = steps.add(2, 90, 90);
  other.id = other.family = other.source = other.step->model.name = "called otherwise";
  CHECK(steps.ranking().groups.size() == 1);
}

TEST_CASE("of repeats of a layout the best counts", "[calibration][validation]") {
  MadeUpSteps steps;
  steps.add(1, 100, 80);
  steps.add(1, 100, 95);
  steps.add(2, 90, 90);
  const LayoutRanking ranking = steps.ranking();
  REQUIRE(ranking.groups.size() == 1);
  CHECK(ranking.groups.front().layouts.size() == 2);
  CHECK(ranking.groups.front().regret == 0);
}

TEST_CASE("the rule takes the largest tensor degree inside a node, ties by their mean", "[calibration][validation]") {
  MadeUpSteps steps;
  steps.add(1, 120, 90);
  steps.add(8, 110, 100).step->job.micro_batch = 1;
  steps.add(8, 100, 80).step->job.micro_batch = 2;
  steps.add(16, 80, 50);  // two nodes
  const LayoutRanking ranking = steps.ranking();
  REQUIRE(ranking.groups.size() == 1);
  CHECK(ranking.groups.front().rule_regret == Approx(std::log(100.0 / 80) / 2));
  CHECK(ranking.scored.mean_rule_regret == Approx(std::log(100.0 / 80) / 2));
}

TEST_CASE("the rule draws any layout where none is inside a node", "[calibration][validation]") {
  MadeUpSteps steps;
  steps.add(16, 100, 100);
  steps.add(32, 90, 50);
  CHECK(steps.ranking().groups.front().rule_regret == Approx(std::log(2.0) / 2));
}

TEST_CASE("layouts of one cell share its vote in a group", "[calibration][validation]") {
  MadeUpSteps steps;
  steps.add(1, 100, 100).cell = "a";
  for (const int pipeline : {1, 2}) {
    Measurement& m = steps.add(2, 100 + pipeline, 50 / pipeline);
    m.step->job.pipeline = pipeline;
    m.cell = "b";
  }
  const LayoutRanking ranking = steps.ranking();
  REQUIRE(ranking.groups.size() == 1);
  const LayoutGroup& group = ranking.groups.front();
  // a: regret 0, weight 1; b: log 2 and log 4, weight 1/2 each
  CHECK(group.blind_regret == Approx((std::log(2.0) + std::log(4.0)) / 4));
  CHECK(group.rule_regret == Approx((std::log(2.0) + std::log(4.0)) / 2));
  CHECK(group.regret == Approx(std::log(4.0)));
  // Both pairs of different cells are in the wrong order; the pair inside b does not count.
  CHECK(group.kendall_tau.value() == Approx(-1));
  CHECK(group.weight == Approx(1));
}

TEST_CASE("layouts of one cell alone are no group", "[calibration][validation]") {
  MadeUpSteps steps;
  for (const int tensor : {1, 2}) steps.add(tensor, 100, 100 / tensor).cell = "a";
  CHECK(steps.ranking().groups.empty());
}

TEST_CASE("groups of the same cells share one vote", "[calibration][validation]") {
  MadeUpSteps steps;
  const auto add_group = [&](int layers, const std::vector<std::string>& cells, double best) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      Measurement& m = steps.add(1 << i, 100 - static_cast<double>(i), i == 0 ? 50 : best);
      m.step->model.layers = layers;
      m.cell = cells[i];
    }
  };
  add_group(8, {"a", "b"}, 100);
  add_group(16, {"a", "b"}, 100);
  add_group(24, {"a", "b", "c"}, 50);
  const LayoutRanking ranking = steps.ranking();
  REQUIRE(ranking.groups.size() == 3);
  for (const LayoutGroup& group : ranking.groups)
    CHECK(group.weight == Approx(group.layouts.size() == 2 ? 1.0 / 3 : 5.0 / 9));
  CHECK(ranking.scored.votes == Approx(11.0 / 9));
  // Two groups with a regret of log 2 weigh 6/9, one without weighs 5/9.
  CHECK(ranking.scored.mean_regret == Approx(std::log(2.0) * 6 / 11));
  CHECK(ranking.scored.right_best == Approx(5.0 / 11));
  CHECK(ranking.scored.median_regret == Approx(std::log(2.0)));
}

TEST_CASE("groups without cells weigh one each", "[calibration][validation]") {
  MadeUpSteps steps;
  for (const int layers : {8, 16})
    for (const int tensor : {1, 2}) steps.add(tensor, 100, 100).step->model.layers = layers;
  for (const LayoutGroup& group : steps.ranking().groups) CHECK(group.weight == 1);
  CHECK(steps.ranking().scored.votes == Approx(2));
}

TEST_CASE("unscored layouts make a group of their own kind, invalid ones none", "[calibration][validation]") {
  MadeUpSteps steps;
  steps.add(1, 100, 90);
  steps.add(2, 90, 80);
  steps.add(4, 80, 100);
  steps.results[2].scored = false;
  LayoutRanking ranking = steps.ranking();
  REQUIRE(ranking.groups.size() == 2);
  CHECK(ranking.scored.groups == 1);
  CHECK(ranking.scored.mean_regret == 0);
  CHECK(ranking.with_unscored.groups == 1);
  CHECK(ranking.with_unscored.layouts == 3);
  CHECK(ranking.with_unscored.mean_regret == Approx(std::log(100.0 / 90)));
  CHECK(ranking.families.size() == 1);
  steps.results[2].status = CaseStatus::infeasible;
  CHECK(steps.ranking().with_unscored.groups == 0);
}

TEST_CASE("a layout in words says what is switched on", "[calibration][validation]") {
  MeasuredJob job;
  CHECK(layout_words(job) == "data parallel");
  job.tensor = 8;
  job.pipeline = 1;
  job.micro_batch = 1;
  job.sequence_parallel = true;
  job.recompute = "none";
  job.sharding = "zero1";
  CHECK(layout_words(job) == "tensor 8, micro-batch 1, sequence parallel, sharding zero1");
}
