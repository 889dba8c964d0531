// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/bottleneck.hpp"

#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// A step of 1 s in which `share` goes to one charge and the rest to matrix multiplies.
StepPrediction losing(StepCharge charge, double share) {
  StepPrediction step;
  step.fits = true;
  step.step_time = 1 * second;
  step.breakdown[static_cast<std::size_t>(StepCharge::compute_gemm)] = (1 - share) * second;
  step.breakdown[static_cast<std::size_t>(charge)] = share * second;
  return step;
}

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

}  // namespace

TEST_CASE("what does not fit is limited by memory", "[models]") {
  StepPrediction step = losing(StepCharge::bubble, 0.5);
  step.fits = false;
  step.verdict = "does not fit: each rank needs 92.1 GB";
  CHECK(name_bottleneck(step) == "memory: does not fit: each rank needs 92.1 GB");
}

TEST_CASE("the largest loss is named with its share", "[models]") {
  CHECK(starts_with(name_bottleneck(losing(StepCharge::bubble, 0.09)), "pipeline bubble (9 % of the step): "));
  CHECK(starts_with(name_bottleneck(losing(StepCharge::dp_exposed, 0.2)), "data-parallel collectives (20 %"));
  StepPrediction two = losing(StepCharge::tp_exposed, 0.10);
  two.breakdown[static_cast<std::size_t>(StepCharge::launch)] = 0.11 * second;
  CHECK(starts_with(name_bottleneck(two), "kernel launches (11 %"));
}

TEST_CASE("memory-bound kernels are the sum of two charges", "[models]") {
  StepPrediction step = losing(StepCharge::compute_other, 0.06);
  step.breakdown[static_cast<std::size_t>(StepCharge::optimizer)] = 0.05 * second;
  step.breakdown[static_cast<std::size_t>(StepCharge::bubble)] = 0.10 * second;
  CHECK(starts_with(name_bottleneck(step), "memory-bound kernels (11 %"));
}

TEST_CASE("losses below 3 % are not worth naming", "[models]") {
  CHECK(starts_with(name_bottleneck(losing(StepCharge::bubble, 0.029)), "GEMMs: "));
}
