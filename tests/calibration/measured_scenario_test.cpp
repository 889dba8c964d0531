// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/measured_scenario.hpp"

#include <stdexcept>
#include <variant>

#include "support/catch.hpp"

using namespace clusterwright;

TEST_CASE("a framework takes the newest stack of its date, others the generic one", "[calibration][measured]") {
  MeasuredJob job;
  const auto stack = [&](const char* framework, CalendarDate release) {
    job.framework = framework;
    job.release = release;
    return stack_of(job);
  };
  CHECK(stack("nemo", {2022, 9}) == "nemo-2022");
  CHECK(stack("nemo", {2023, 10}) == "nemo-2023");
  CHECK(stack("nemo", {2024, 9}) == "nemo-2024");
  CHECK(stack("nemo", {2025, 5}) == "nemo-2025");
  CHECK(stack("nemo", {}) == "nemo-2025");  // no date: the newest
  CHECK(stack("megatron-lm", {2024, 12}) == "megatron-2024");
  CHECK(stack("megatron-lm", {2025, 1}) == "megatron-2025");
  CHECK(stack("megatron-deepspeed", {2023, 12}) == "deepspeed-2023");
  CHECK(stack("paxml", {2024, 6}) == "paxml-2024");
  CHECK(stack("other", {2021, 6}) == "generic-2021");
  CHECK(stack("other", {2024, 7}) == "generic-2023");
  CHECK(stack("a framework of tomorrow", {2026, 1}) == "generic-2025");
  job.precision = "bf16";
  CHECK(stack("megatron-deepspeed", {2022, 3}) == "deepspeed-bf16-2022");
  job.sharding = "zero3";
  CHECK(stack("megatron-lm", {2021, 4}) == "deepspeed-zero3-2021");
}

namespace {

/// A published mixture of experts, with nothing said of its recipe.
Measurement published_mixture() {
  for (Measurement& one : read_training_steps(CLUSTERWRIGHT_MEASUREMENTS))
    if (one.step && one.step->model.experts && one.step->job.framework == "megatron-bridge" &&
        one.step->job.global_batch && !one.step->job.expert_overlap && !one.step->job.expert_dispatcher)
      return one;
  throw std::runtime_error("no mixture on Megatron Bridge is shipped");
}

Scenario described(const Measurement& measurement) {
  static const ScenarioShelf shelf = load_shelf(CLUSTERWRIGHT_CONFIGS);
  auto out = measured_scenario(measurement, shelf);
  REQUIRE(std::holds_alternative<Scenario>(out));
  return std::get<Scenario>(std::move(out));
}

}  // namespace

TEST_CASE("what a recipe says replaces what its stack usually does", "[calibration][measured]") {
  Measurement one = published_mixture();
  MeasuredJob& job = one.step->job;
  const SoftwareStack usual = described(one).stack;
  CHECK(usual.experts.transfer == ExpertTransfer::hierarchical);
  CHECK_FALSE(usual.experts.overlap_exchange);
  job.expert_dispatcher = "allgather";  // no model
  CHECK(described(one).stack.experts.transfer == usual.experts.transfer);
  job.expert_dispatcher = "alltoall";
  job.expert_overlap = true;
  job.cuda_graph = "full";
  job.tensor_overlap = false;
  const SoftwareStack stated = described(one).stack;
  CHECK(stated.experts.transfer == ExpertTransfer::all_to_all);
  CHECK(stated.experts.overlap_exchange);
  CHECK(stated.graph_capture == GraphCapture::all);
  CHECK(stated.tensor_overlap == TensorOverlap::none);
}

TEST_CASE("recomputation in the words of a recipe is what the models know of it", "[calibration][measured]") {
  Measurement one = published_mixture();
  MeasuredJob& job = one.step->job;
  const auto recompute = [&](const char* policy) {
    job.recompute.reset();
    job.remat_policy = policy;
    return described(one).job.recompute;
  };
  CHECK(recompute("full") == Recompute::full);
  CHECK(recompute("modules: mla_up_proj") == Recompute::selective);
  CHECK(recompute("modules: layernorm, moe_act") == Recompute::none);
  CHECK(described(one).stack.lean_activations);
  CHECK_FALSE(recompute("modules: mlp").has_value());  // the plan chooses
  job.offload = true;
  CHECK(described(one).job.offload.activations == MemoryLevel::host);
  job.offload_what = "optimizer";
  CHECK(described(one).job.offload.activations == MemoryLevel::device);
  CHECK(described(one).job.offload.optimizer == MemoryLevel::host);
}
