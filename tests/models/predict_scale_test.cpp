// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/predict_scale.hpp"
#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/efficiency_reasons.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// 16 accelerators: tensor 8, two replicas of 16 sequences; tensor groups fill nodes.
Scenario tensor_sixteen() {
  SmallCase c;
  c.tensor = 8;
  c.data = 2;
  c.micro_batches = 16;
  c.hidden = 2048;
  c.sequence = 2048;
  return small_scenario(c);
}

ScaleCurve curve(const std::vector<int>& sizes, bool strong) {
  return predict_scale(tensor_sixteen(), sizes, strong, {});
}

}  // namespace

TEST_CASE("strong scaling keeps the batch, weak scaling the batch per replica", "[models]") {
  for (const bool strong : {true, false}) {
    const ScaleCurve c = curve({8, 16, 32}, strong);
    REQUIRE(c.points.size() == 3);
    CHECK(c.strong == strong);
    for (std::size_t i = 0; i < 3; ++i) {
      const Plan& plan = c.points[i].step.plan;
      CHECK(plan.data == 1 << i);
      CHECK(plan.global_batch == (strong ? 32 : 16 << i));
      CHECK(plan.micro_batches == plan.global_batch / plan.data);
    }
  }
}

TEST_CASE("weak scaling needs no plan of its own for the batch", "[models]") {
  Scenario s = tensor_sixteen();
  s.job.parallel.pipeline.reset();
  const ScaleCurve c = predict_scale(s, {16, 32}, false, {});
  CHECK(c.points[0].step.plan.global_batch == 32);
  CHECK(c.points[1].step.plan.global_batch == 64);
}

TEST_CASE("a growing batch stops at the tokens that the training can use, and says so", "[models]") {
  Scenario s = tensor_sixteen();
  s.job.max_global_batch_tokens = 50 * s.job.sequence;
  const ScaleCurve held = predict_scale(s, {16, 32, 64}, false, {});
  CHECK(held.points[0].step.plan.global_batch == 32);
  CHECK(held.points[1].step.plan.global_batch == 48);  // four replicas share at most 50
  CHECK(held.points[2].step.plan.global_batch == 48);  // as do eight
  REQUIRE(held.warnings.size() == 1);
  CHECK(held.warnings.front().starts_with("from 32 accelerators on the global batch is held at 0.102 million"));
}

TEST_CASE("a batch that grows without a known limit is remarked, a constant one is not", "[models]") {
  const ScaleCurve grown = curve({8, 16, 64}, false);
  REQUIRE(grown.warnings.size() == 1);
  CHECK(grown.warnings.front().starts_with("the global batch grows to 0.262 million tokens at 64 accelerators;"));
  CHECK(curve({8, 16}, false).warnings.empty());
  CHECK(curve({8, 16, 64}, true).warnings.empty());
}

TEST_CASE("a batch beyond the job's own limit is refused at every size", "[models]") {
  Scenario s = tensor_sixteen();
  s.job.max_global_batch_tokens = 31 * s.job.sequence;
  CHECK_THROWS_AS(predict_scale(s, {16, 32}, false, {}), ConfigError);
  CHECK_THROWS_AS(predict_step(s), ConfigError);
}

TEST_CASE("efficiency and speed-up are relative to the first point", "[models]") {
  const ScaleCurve c = curve({16, 32}, true);
  const StepPrediction &first = c.points[0].step, &second_point = c.points[1].step;
  CHECK(c.points[0].efficiency == 1);
  CHECK(c.points[0].speedup == 1);
  const double speedup = second_point.tokens_per_second / first.tokens_per_second;
  CHECK(c.points[1].speedup == Approx(speedup));
  CHECK(c.points[1].efficiency == Approx(speedup / 2));
}

TEST_CASE("an impossible size keeps its reason and does not disturb the others", "[models]") {
  const ScaleCurve c = curve({13, 16, 24, 32}, true);
  REQUIRE(c.points.size() == 4);
  CHECK(c.points[0].step.accelerators == 13);
  CHECK(c.points[0].reason.find("multiple") != std::string::npos);      // of a node of 8
  CHECK(c.points[2].reason.find("global batch") != std::string::npos);  // 3 replicas, 32 sequences
  CHECK(c.points[1].reason.empty());
  CHECK(c.points[1].efficiency == 1);
  CHECK(c.points[3].efficiency > 0);
  CHECK(c.points[0].efficiency == 0);
}

TEST_CASE("a curve without any possible size is an error", "[models]") {
  CHECK_THROWS_AS(curve({12, 20}, true), ConfigError);
}

TEST_CASE("the curve tells how far it is", "[models]") {
  std::vector<std::size_t> seen;
  predict_scale(tensor_sixteen(), {8, 12, 16}, true, [&](std::size_t n) { seen.push_back(n); });
  CHECK(seen == std::vector<std::size_t>{1, 2, 3});
}

TEST_CASE("the knee is the last size before the slope between neighbours falls below 1.8 times per doubling",
          "[models]") {
  const ScaleCurve c = curve({8, 16, 32, 64, 128, 256}, true);
  std::size_t last = 0;
  while (last + 1 < c.points.size() && c.points[last + 1].speedup >= 1.8 * c.points[last].speedup) ++last;
  REQUIRE(last > 0);
  REQUIRE(last + 1 < c.points.size());
  CHECK(c.knee == c.points[last].step.accelerators);
  CHECK(c.knee_place == KneePlace::inside);
}

TEST_CASE("sizes need not be doublings for a slope", "[models]") {
  const ScaleCurve c = curve({8, 32}, true);
  // Twice 1.8 times: ln 3.24 / ln 4 = 0.848.
  CHECK(c.knee_place == (c.points[1].speedup >= 3.24 ? KneePlace::beyond : KneePlace::before));
  CHECK_FALSE(c.knee);  // not between the sizes
  CHECK(curve({8}, true).knee_place == KneePlace::unknown);
}

TEST_CASE("the order of the sizes does not move the knee", "[models]") {
  CHECK(curve({256, 8, 64, 16, 128, 32}, true).knee == curve({8, 16, 32, 64, 128, 256}, true).knee);
}

TEST_CASE("an efficiency above 1 names what the first size does differently", "[models]") {
  ScaleCurve c = curve({16, 32}, true);
  c.points[1].efficiency = 1.09;
  c.points[0].step.plan.recompute = Recompute::full;
  c.points[1].step.warnings.clear();
  explain_efficiencies(c);
  REQUIRE(c.points[1].step.warnings.size() == 1);
  CHECK(c.points[1].step.warnings[0] ==
        "efficiency is above 100 % because it compares with 16 accelerators: full recomputation there, no "
        "recomputation here");
  c.points[0].step.plan = c.points[1].step.plan;
  CHECK_FALSE(why_more_efficient(c.points[0].step, c.points[1].step).empty());  // alike plans: a charge that fell
}
