// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/nearest_change.hpp"

#include <string>

#include "models/memory/memory_use.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/search/choose_plan.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Eight replicas whose activations, without recomputation, are most of the memory.
SmallCase long_sequences() {
  SmallCase c;
  c.data = 8;
  c.layers = 16;
  c.hidden = 2048;
  c.sequence = 16384;
  return c;
}

/// Accelerator with a little less memory than the job needs.
Scenario just_too_small(const SmallCase& c, double share) {
  Scenario s = small_scenario(c);
  const MemoryUse use = memory_under(s, plan_of(s));
  s.cluster.accelerator.memory.value = use.total() * share;
  s.cluster.accelerator.addressable_memory.reset();
  return s;
}

}  // namespace

TEST_CASE("the nearest change is the least recomputation that fits, with memory and step", "[models]") {
  const StepPrediction step = predict_step(just_too_small(long_sequences(), 0.5));
  REQUIRE_FALSE(step.fits);
  CHECK(step.remedy.starts_with("with job.recompute=full and job.recomputed_layers="));
  CHECK(step.remedy.find(" GB, step ") != std::string::npos);
}

TEST_CASE("the named change really fits", "[models]") {
  Scenario s = just_too_small(long_sequences(), 0.5);
  s.job.recompute = Recompute::full;
  CHECK(predict_step(s).fits);
  CHECK(predict_step(s).remedy.empty());
}

TEST_CASE("a smaller micro-batch is named where recomputation is full already", "[models]") {
  SmallCase c = long_sequences();
  c.recompute = Recompute::full;
  c.micro_batch = 4;
  const StepPrediction step = predict_step(just_too_small(c, 0.85));
  REQUIRE_FALSE(step.fits);
  CHECK(step.remedy.starts_with("with job.micro_batch="));
}

TEST_CASE("a job that no change makes fit says so", "[models]") {
  const StepPrediction step = predict_step(just_too_small(long_sequences(), 0.01));
  REQUIRE_FALSE(step.fits);
  CHECK(step.remedy.starts_with("no layout fits on 8 accelerators: the leanest, with "));
}
