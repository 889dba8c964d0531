// SPDX-License-Identifier: Apache-2.0
// Recomputation: what stacks leave out of it, and how much of it an open job takes.
#include <algorithm>

#include "models/lowering/step_charge.hpp"
#include "models/search/choose_plan.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

SmallCase wide_layers() {
  SmallCase c;
  c.per_node = 4;
  c.tensor = 2;
  c.data = 2;
  c.layers = 12;
  c.hidden = 4096;
  c.heads = 32;
  c.sequence = 4096;
  c.gated_mlp = false;
  c.recompute = Recompute::full;
  return c;
}

Seconds charged(const StepTime& step, StepCharge charge) {
  return step.breakdown[static_cast<std::size_t>(charge)];
}

ChosenPlan with_memory(Scenario s, double gigabytes) {
  s.cluster.accelerator.addressable_memory.reset();
  s.cluster.accelerator.memory.value = gigabytes * gigabyte;
  return choose_plan(s);
}

}  // namespace

TEST_CASE("full recomputation may leave out the last multiply of the MLP and its collective", "[models][recompute]") {
  Scenario s = small_scenario(wide_layers());
  const Plan plan = resolve_plan(s).plan;
  const StepTime whole = time_step(s, plan);
  s.stack.prunes_recompute = true;
  const StepTime pruned = time_step(s, plan);
  // Four of the twelve squares of the width, a third of the multiplies, are the last one; attention stays.
  const double left =
      charged(pruned, StepCharge::recompute).in(second) / charged(whole, StepCharge::recompute).in(second);
  CHECK(left > 0.66);
  CHECK(left < 0.8);
  CHECK(charged(pruned, StepCharge::tp_exposed) < 0.96 * charged(whole, StepCharge::tp_exposed));
  CHECK(charged(pruned, StepCharge::compute_gemm).in(second) ==
        Approx(charged(whole, StepCharge::compute_gemm).in(second)).epsilon(0.02));
}

TEST_CASE("nothing is left out of the recomputation of experts", "[models][recompute]") {
  SmallCase c = wide_layers();
  c.expert = 2;
  c.experts = ExpertMixture{4, 2, 4096, 0, {}, 0, 1, {}, {}};
  Scenario s = small_scenario(c);
  const Plan plan = resolve_plan(s).plan;
  const StepTime whole = time_step(s, plan);
  s.stack.prunes_recompute = true;
  CHECK(time_step(s, plan).end == whole.end);
}

TEST_CASE("a job that ran recomputes no more than the error of its memory asks for", "[models][recompute]") {
  Scenario s = small_scenario(wide_layers());
  s.job.recompute.reset();
  s.job.sharding = Sharding::none;
  const MemoryUse all = with_memory(s, 1000).memory;
  const MemoryRange range = memory_range(all, memory_residual(s.steps, s.stack));
  REQUIRE(range.low < 0.98 * all.total());
  const double tight = 0.5 * (range.low + all.total()).in(gigabyte);
  CHECK(with_memory(s, tight).plan.recompute != Recompute::none);
  s.ran = true;
  const ChosenPlan known = with_memory(s, tight);
  CHECK(known.plan.recompute == Recompute::none);
  CHECK(known.possible());
  CHECK_FALSE(known.fits());
  CHECK(with_memory(s, 0.9 * range.low.in(gigabyte)).plan.recompute != Recompute::none);
}

TEST_CASE("open pipelines try other numbers of stages where no power of two fits", "[models][recompute]") {
  SmallCase c = wide_layers();
  c.per_node = 2;
  c.data = 3;
  Scenario s = small_scenario(c);
  s.job.recompute.reset();
  s.job.sharding = Sharding::none;
  s.job.parallel.pipeline = 3;
  s.job.parallel.data.reset();
  const double three = with_memory(s, 1000).memory.total().in(gigabyte);
  s.job.parallel.pipeline = 1;
  const double one = with_memory(s, 1000).memory.total().in(gigabyte);
  REQUIRE(three < 0.9 * one);
  s.job.parallel.pipeline.reset();
  CHECK(with_memory(s, 1.01 * one).plan.pipeline == 1);
  const ChosenPlan chosen = with_memory(s, 1.01 * three);
  CHECK(chosen.plan.pipeline == 3);
  CHECK(chosen.plan.recompute == Recompute::none);
}
