// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_warnings.hpp"

#include <string>
#include <vector>

#include "models/plan/expert_work.hpp"
#include "models/plan/planned_job.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/prediction/predict_step.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

bool any_contains(const std::vector<std::string>& list, const std::string& text) {
  for (const std::string& line : list)
    if (line.find(text) != std::string::npos) return true;
  return false;
}

SmallCase one_node() {
  SmallCase c;
  c.data = 8;
  c.hidden = 1024;
  c.sequence = 1024;
  return c;
}

SmallCase mixture() {
  SmallCase c = one_node();
  c.experts = ExpertMixture{8, 2, 1024, 0, {}, 0, 1, {}, {}};
  c.expert = 8;
  return c;
}

double dropped(const SmallCase& c) {
  const Scenario s = small_scenario(c);
  const Plan plan = plan_of(s);
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  return dropped_share(planned_job(s.transformer, s.job, s.stack, plan, layout));
}

StepPrediction with_capacity(double factor) {
  SmallCase c = mixture();
  c.routing.capacity_factor = factor;
  return predict_step(small_scenario(c));
}

}  // namespace

TEST_CASE("a tensor group beyond the node is named", "[models]") {
  const auto names_it = [](int tensor) {
    SmallCase c = one_node();
    c.tensor = tensor;
    c.data = 16 / tensor;
    return any_contains(predict_step(small_scenario(c)).warnings, "span 2 scale-up domains of 8");
  };
  CHECK(names_it(16));
  CHECK_FALSE(names_it(8));
}

TEST_CASE("a width that is no multiple of 8 elements is named, an odd sequence is not", "[models]") {
  SmallCase c = one_node();
  c.sequence = 1023;
  const auto predicted = [&] {
    Scenario s = small_scenario(c);
    s.stack.kernel_launch.verified = true;  // or a step this short says that its host time is an estimate
    return predict_step(s);
  };
  CHECK(predicted().warnings.empty());
  c.vocabulary = 2047;
  const StepPrediction odd = predicted();
  REQUIRE(odd.warnings.size() == 1);
  CHECK(any_contains(odd.warnings, "vocabulary of a rank 2047 is no multiple of 8 elements (16 bytes)"));
}

TEST_CASE("the sequence is a contiguous width of scores that are kept in memory", "[models]") {
  SmallCase c = one_node();
  c.stack = "deepspeed-2022";
  c.sequence = 1023;
  Scenario s = small_scenario(c);
  s.stack.attention = "unfused";
  CHECK(any_contains(alignment_warnings(s, plan_of(s)), "sequence of a rank 1023"));
}

TEST_CASE("a capacity factor drops what popular experts get beyond it", "[models]") {
  SmallCase c = mixture();
  CHECK(dropped(c) == 0);  // without one nothing is dropped
  c.routing = {0.0, 0.5};
  CHECK(dropped(c) == Approx(0.5));  // all experts get the mean, half of it is accepted
  c.routing = {0.0, 1.0};
  CHECK(dropped(c) == Approx(0));
  // Popularity w of mean 1 and deviation 0.2: the mean of max(0, w - 1) is 0.2 / sqrt(2 pi) = 0.080 for a normal w.
  c.routing = {0.2, 1.0};
  CHECK(dropped(c) == Approx(0.080).epsilon(0.15));
  c.routing = {0.2, 2.0};
  CHECK(dropped(c) < 0.005);
}

TEST_CASE("dropped assignments are no model FLOPs, and are named", "[models]") {
  const StepPrediction half = with_capacity(0.5), none = with_capacity(0.001), whole = with_capacity(4);
  CHECK(half.dropped == Approx(0.5).epsilon(0.02));
  CHECK(any_contains(half.warnings, "drops 50."));
  CHECK_FALSE(any_contains(whole.warnings, "drops"));
  // FLOPs per token of attention, head and router are all that is left without experts.
  const Flops per_token = none.model_flops_per_accelerator * none.step_time * none.accelerators /
                          (none.tokens_per_second * none.step_time.in(second));
  const Scenario s = small_scenario(mixture());
  CHECK(per_token / training_flops_per_token(s.transformer, s.job.sequence, 0.001) == Approx(1).epsilon(1e-3));
  CHECK(none.mfu < 1);
  CHECK(half.mfu < whole.mfu * 2);
}

TEST_CASE("a step falls smoothly with the capacity factor", "[models]") {
  double before = with_capacity(1.25).step_time.in(second);
  for (const double factor : {1.2, 1.1, 1.01, 1.0, 0.95, 0.9, 0.875}) {
    const double now = with_capacity(factor).step_time.in(second);
    INFO(factor);
    CHECK(now <= before * 1.002);
    CHECK(now > before * 0.9);
    before = now;
  }
}

TEST_CASE("a clock cap above the clock that power allows says that it changes nothing", "[models]") {
  SmallCase c = one_node();
  c.hidden = 8192;
  c.heads = 64;
  c.sequence = 4096;
  c.layers = 2;
  c.recompute = Recompute::full;
  c.slow = {{3, 0.99, {}}};
  const StepPrediction idle = predict_step(small_scenario(c));
  CHECK(any_contains(idle.warnings, "the clock cap of 0.99 on accelerator 3 changes nothing"));
  CHECK_FALSE(idle.stragglers);
  c.slow = {{3, 0.6, {}}};
  const StepPrediction slow = predict_step(small_scenario(c));
  CHECK_FALSE(any_contains(slow.warnings, "changes nothing"));
  REQUIRE(slow.stragglers);
  CHECK(slow.stragglers->accelerators == std::vector<int>{3});
  CHECK(slow.stragglers->loss > 0.1 * slow.step_time);
}

TEST_CASE("a fabric that does not state its routing leaves a spread, which the interval holds", "[models]") {
  Scenario s = small_scenario(two_stages_over_leaves());
  const StepPrediction open = predict_step(s);
  REQUIRE(open.hashed_time);
  CHECK(*open.hashed_time > 1.01 * open.step_time);
  CHECK(open.high / open.step_time > open.step_time / open.low);
  CHECK(open.high > *open.hashed_time);
  CHECK(any_contains(open.warnings, "does not state its routing"));
  s.cluster.spec.fabric.routing = Routing::hash;
  s.cluster = resized(s.cluster, s.cluster.spec.accelerators);
  const StepPrediction stated = predict_step(s);
  CHECK_FALSE(stated.hashed_time);
  CHECK_FALSE(any_contains(stated.warnings, "does not state its routing"));
  CHECK(stated.step_time / *open.hashed_time == Approx(1));
}

TEST_CASE("a step that waits for its host says that the time of a launch is an estimate", "[models]") {
  SmallCase c = one_node();
  c.hidden = 128;
  c.sequence = 128;
  Scenario s = small_scenario(c);
  s.stack.kernel_launch = {25 * microsecond, "test"};
  CHECK(any_contains(predict_step(s).warnings, "for the host, whose 25 us for each kernel are an estimate"));
  s.stack.kernel_launch.verified = true;
  CHECK_FALSE(any_contains(predict_step(s).warnings, "for the host"));
  s.stack.kernel_launch.verified = false;
  s.stack.graph_capture = GraphCapture::all;
  CHECK_FALSE(any_contains(predict_step(s).warnings, "for the host"));
}

TEST_CASE("ranks whose NIC has failed share the next one, and a step says how many do", "[models]") {
  SmallCase c = one_node();
  c.data = 32;
  Scenario s = small_scenario(c);
  s.cluster.spec.fabric.faults = {"node:1.3", "node:2.0"};
  s.cluster = resized(s.cluster, s.cluster.spec.accelerators);
  CHECK(any_contains(predict_step(s).warnings, "2 of 32 NICs have no working cable"));
}
