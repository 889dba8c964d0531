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

TEST_CASE("more micro-batches are no advice where stages are uneven", "[models]") {
  StepPrediction step = losing(StepCharge::bubble, 0.09);
  step.plan.pipeline = 4;
  step.plan.micro_batches = 32;  // equal stages wait for 3 / 35 = 8.6 % of a step
  CHECK(starts_with(name_bottleneck(step), "pipeline bubble (9 % of the step): untried: more micro-batches"));
  step.plan.micro_batches = 2048;  // 0.15 %
  CHECK(starts_with(name_bottleneck(step), "uneven pipeline stages (9 % of the step): untried: a more even split"));
  step.plan.schedule = PipelineSchedule::dualpipe;
  CHECK(starts_with(name_bottleneck(step), "pipeline bubble"));
}

TEST_CASE("advice says whether it was tried", "[models]") {
  StepPrediction step = losing(StepCharge::launch, 0.09);
  CHECK(name_bottleneck(step) == "kernel launches (9 % of the step): untried: larger micro-batches or captured graphs");
  step.layout_advice = LayoutAdvice{31, {}, {}, 0.5};
  CHECK(name_bottleneck(step) ==
        "kernel launches (9 % of the step): none of 31 layouts near this one saves 1 %; untried: captured graphs");
  step.layout_advice = LayoutAdvice{31, {"job.micro_batch=2", "job.recompute=none"}, 0.958 * second, 0.84};
  CHECK(name_bottleneck(step) ==
        "kernel launches (9 % of the step): with job.micro_batch=2 and job.recompute=none it takes 0.958 s, 4.2 % less "
        "(faster with 84 % probability); untried: captured graphs");
}

TEST_CASE("memory-bound kernels are the sum of two charges", "[models]") {
  StepPrediction step = losing(StepCharge::compute_other, 0.06);
  step.breakdown[static_cast<std::size_t>(StepCharge::optimizer)] = 0.05 * second;
  step.breakdown[static_cast<std::size_t>(StepCharge::bubble)] = 0.10 * second;
  CHECK(starts_with(name_bottleneck(step), "memory-bound kernels (11 %"));
}

TEST_CASE("losses below 3 % are not worth naming", "[models]") {
  CHECK(starts_with(name_bottleneck(losing(StepCharge::bubble, 0.029)), "GEMMs and attention: "));
}

TEST_CASE("every charge but GEMMs and attention can be the largest loss", "[models]") {
  for (std::size_t i = 0; i < step_charge_count; ++i) {
    const auto charge = static_cast<StepCharge>(i);
    const bool useful = charge == StepCharge::compute_gemm || charge == StepCharge::compute_attention;
    const StepPrediction step = losing(charge, 0.36);
    INFO(step_charge_names[i]);
    CHECK(largest_loss(step).advice.empty() == useful);
    if (!useful) CHECK(largest_loss(step).share == Approx(0.36));
  }
}

TEST_CASE("experts at 36 % win over a bubble of 5 %", "[models]") {
  StepPrediction step = losing(StepCharge::ep_exposed, 0.36);
  step.breakdown[static_cast<std::size_t>(StepCharge::bubble)] = 0.05 * second;
  CHECK(starts_with(name_bottleneck(step), "expert-parallel exchange (36 %"));
}

TEST_CASE("imbalance of experts and of layers get advice of their own", "[models]") {
  CHECK(name_bottleneck(losing(StepCharge::ep_imbalance, 0.16)).find("router") != std::string::npos);
  CHECK(name_bottleneck(losing(StepCharge::imbalance, 0.16)).find("split of layers") != std::string::npos);
}

TEST_CASE("a straggler is replaced, whatever its peers wait in", "[models]") {
  // 1.2 s with it, 1.0 s without: a loss of 0.2 / 1.2 = 17 %. Its peers wait in the bubble, 0.25 s instead of 0.05 s.
  StepPrediction step = losing(StepCharge::bubble, 0.25);
  step.step_time = 1.2 * second;
  step.stragglers = StragglerUse{{3}, 0.2 * second, losing(StepCharge::bubble, 0.05).breakdown};
  CHECK(name_bottleneck(step) == "stragglers (17 % of the step): replace accelerator 3");
}

TEST_CASE("a job that does not fit is told the nearest change that does", "[models]") {
  StepPrediction step = losing(StepCharge::bubble, 0.5);
  step.fits = false;
  step.remedy = "with job.recompute=full it fits: 71.2 of 80.0 GB, step 9.1 s";
  CHECK(name_bottleneck(step) == "memory: " + step.remedy);
}

TEST_CASE("accelerators are named in spans, at most six of them", "[models]") {
  CHECK(accelerator_names({7}) == "accelerator 7");
  CHECK(accelerator_names({9, 7}) == "accelerators 7 and 9");
  CHECK(accelerator_names({93, 40, 41, 42, 43}) == "accelerators 40 to 43 and 93");
  CHECK(accelerator_names({1, 3, 5, 7, 9, 11}) == "accelerators 1, 3, 5, 7, 9 and 11");
  CHECK(accelerator_names({1, 3, 5, 7, 9, 11, 13, 14}) == "accelerators 1, 3, 5, 7, 9, 11 and 2 more");
}
