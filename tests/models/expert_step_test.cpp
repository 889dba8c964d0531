// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "models/lowering/step_charge.hpp"
#include "models/memory/memory_use.hpp"
#include "models/plan/expert_work.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/planned_job.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/search/choose_plan.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Sixteen experts on two nodes.
SmallCase sixteen() {
  SmallCase c;
  c.data = 16;
  c.expert = 16;
  c.micro_batches = 2;
  c.hidden = 2048;
  c.sequence = 4096;
  c.experts = ExpertMixture{16, 2, 1024, 1, {}, 1, 1, {}, {}};
  c.routing.imbalance = 0;
  return c;
}

Seconds step_of(const Scenario& s) {
  return to_seconds(summarise_step(s, plan_of(s)).end);
}
Seconds step_of(const SmallCase& c) {
  return step_of(small_scenario(c));
}
Seconds charged(const Scenario& s, StepCharge charge) {
  return summarise_step(s, plan_of(s)).breakdown[static_cast<std::size_t>(charge)];
}

MemoryUse memory_of(const SmallCase& c) {
  const Scenario s = small_scenario(c);
  return memory_under(s, plan_of(s));
}

std::string refusal(const SmallCase& c) {
  try {
    plan_of(small_scenario(c));
  } catch (const ConfigError& error) {
    return error.diagnostics().front().code + " " + error.diagnostics().front().message;
  }
  return {};
}

}  // namespace

TEST_CASE("experts shared out over more ranks take less memory on each", "[models][experts]") {
  SmallCase c = sixteen();
  c.experts->shared = 0;
  const Bytes shared_out = memory_of(c).weights;
  c.expert = 1;
  const Bytes whole = memory_of(c).weights;
  const double routed = 3 * 16 * 3.0 * 2048 * 1024;  // three layers with experts
  CHECK((whole - shared_out).in(byte) == Approx(2 * routed * 15 / 16).epsilon(1e-6));
}

TEST_CASE("tokens between nodes cost more than inside one", "[models][experts]") {
  SmallCase c = sixteen();
  const Seconds far = charged(small_scenario(c), StepCharge::ep_exposed);
  c.expert = 8;
  const Seconds near = charged(small_scenario(c), StepCharge::ep_exposed);
  CHECK(near > Seconds{});
  CHECK(far > 1.5 * near);
}

TEST_CASE("kernels that send one copy per node beat an all-to-all of copies", "[models][experts]") {
  SmallCase c = sixteen();
  c.experts->per_token = 8;
  c.sequence = 16384;
  Scenario s = small_scenario(c);
  const Seconds copies = charged(s, StepCharge::ep_exposed);
  s.stack.experts.transfer = ExpertTransfer::hierarchical;
  CHECK(charged(s, StepCharge::ep_exposed) < 0.8 * copies);
}

TEST_CASE("kernels of routed experts take their factor, and younger software less of it", "[models][experts]") {
  SmallCase c = sixteen();
  c.experts->shared = 0;
  Scenario s = small_scenario(c);
  const auto gemm = [&] { return charged(s, StepCharge::compute_gemm); };
  s.steps.expert_kernels.value = 1;
  const Seconds plain = gemm();
  s.steps.expert_kernels.value = 1.25;
  const Seconds slower = gemm();
  s.steps.expert_kernels.value = 1.5;
  CHECK(slower > 1.02 * plain);
  CHECK((gemm() - plain).in(second) == Approx(2 * (slower - plain).in(second)).epsilon(1e-3));
  s.steps.reference_date = {2024, 1, 0};
  s.steps.expert_drift.value = 0.1;
  s.job.release = {2025, 1, 0};
  const Seconds old = gemm();
  s.job.release = {2026, 1, 0};
  CHECK(gemm() < old);
  // Dense models have no such kernels.
  c.experts.reset();
  c.expert = 1;
  Scenario dense = small_scenario(c);
  const Seconds before = step_of(dense);
  dense.steps.expert_kernels.value = 1.5;
  CHECK(step_of(dense) == before);
}

TEST_CASE("uneven routing makes ranks wait for the busiest, a capacity factor pads instead", "[models][experts]") {
  SmallCase c = sixteen();
  const Seconds even = step_of(c);
  CHECK(charged(small_scenario(c), StepCharge::ep_imbalance) == Seconds{});
  c.routing.imbalance = 0.6;
  CHECK(step_of(c) > 1.01 * even);
  CHECK(charged(small_scenario(c), StepCharge::ep_imbalance) > Seconds{});
  c.routing.capacity_factor = 1.5;
  CHECK(charged(small_scenario(c), StepCharge::ep_imbalance) == Seconds{});
  CHECK(step_of(c) > even);
}

TEST_CASE("two micro-batches hide each other's tokens", "[models][experts]") {
  SmallCase c = sixteen();
  c.micro_batches = 8;
  Scenario s = small_scenario(c);
  s.stack.kernel_launch.value = Seconds{};  // a host that is behind gains nothing
  s.stack.experts.synchronises = false;
  const Seconds alone = charged(s, StepCharge::ep_exposed), before = step_of(s);
  s.stack.experts.overlap_exchange = true;
  CHECK(plan_of(s).paired);
  CHECK(charged(s, StepCharge::ep_exposed) < 0.7 * alone);
  CHECK(step_of(s) < before);
}

TEST_CASE("a pipeline of pairs keeps all stages busy", "[models][experts]") {
  SmallCase c = sixteen();
  c.pipeline = 4;
  c.layers = 8;
  c.data = 8;
  c.expert = 8;
  c.micro_batches = 24;
  Scenario s = small_scenario(c);
  s.stack.kernel_launch.value = Seconds{};
  s.stack.experts.synchronises = false;
  const Seconds apart = step_of(s);
  s.stack.experts.overlap_exchange = true;
  REQUIRE(plan_of(s).paired);
  CHECK(step_of(s) < apart);
  CHECK(charged(s, StepCharge::bubble) < 0.25 * step_of(s));
}

TEST_CASE("many experts launched one by one keep the device waiting for the host", "[models][experts]") {
  SmallCase c = sixteen();
  c.expert = 1;
  c.sequence = 512;
  Scenario s = small_scenario(c);
  const Seconds one_by_one = step_of(s);
  CHECK(charged(s, StepCharge::launch) > 0.2 * one_by_one);
  s.stack.experts.one_launch = true;
  CHECK(step_of(s) < 0.8 * one_by_one);
  s.stack.graph_capture = GraphCapture::all;
  CHECK(charged(s, StepCharge::launch) == Seconds{});
}

TEST_CASE("a host without a lead takes its time for every kernel of a layer with experts", "[models][experts]") {
  SmallCase c = sixteen();
  c.expert = 1;
  c.data = 8;
  c.sequence = 64;
  c.hidden = 256;
  Scenario s = small_scenario(c);
  s.stack.experts.one_launch = true;
  s.stack.experts.routing_kernels.value = 17;
  const Seconds few = step_of(s);
  s.stack.experts.routing_kernels.value = 72;
  const Seconds more = step_of(s) - few;
  const Seconds issued = 2.0 * c.layers * c.micro_batches * 55 * s.stack.kernel_launch.value;
  CHECK(more / issued == Approx(1.0).epsilon(0.2));
  s.stack.graph_capture = GraphCapture::around_experts;
  const Seconds captured = step_of(s);
  CHECK(captured < few);
  s.stack.experts.routing_kernels.value = 17;
  CHECK(step_of(s) == captured);
}

TEST_CASE("kernels of a hierarchical transfer take over what the router does for them", "[models][experts]") {
  StackExperts experts;
  experts.routing_kernels.value = 72;
  CHECK(launched_routing_kernels(experts) == 72);
  experts.transfer = ExpertTransfer::hierarchical;
  CHECK(launched_routing_kernels(experts) == 17);
  experts.routing_kernels.value = 9;
  CHECK(launched_routing_kernels(experts) == 9);
  // The same stack file describes a recipe with DeepEP and one without.
  SoftwareStack stack = software_stack("bridge-2025");
  const double prepared = launched_routing_kernels(stack.experts);
  stack.experts.transfer = ExpertTransfer::all_to_all;
  CHECK(launched_routing_kernels(stack.experts) > 3 * prepared);
}

TEST_CASE("host time of a layer is that of eager PyTorch on an H100", "[models][experts]") {
  // calibration/torch_probe/samples/2026-11-28-h100-torch.json, section host: forward and backward, least of 15.
  SmallCase c = sixteen();
  c.expert = 1;
  c.data = 8;
  c.micro_batches = 1;
  c.hidden = 256;
  c.heads = 4;
  c.sequence = 64;
  c.layers = 12;
  c.experts = ExpertMixture{8, 2, 128, 0, {}, 1, 1, {}, {}};
  c.stack = "generic-2025";
  Scenario s = small_scenario(c);
  s.stack.kernel_launch.value = 30 * microsecond;
  CHECK((step_of(s) / c.layers).in(millisecond) == Approx(2.86).epsilon(0.2));
  s.stack.experts.one_launch = false;
  CHECK((step_of(s) / c.layers).in(millisecond) == Approx(7.15).epsilon(0.3));
  c.experts = {};
  s = small_scenario(c);
  s.stack.kernel_launch.value = 30 * microsecond;
  CHECK((step_of(s) / c.layers).in(millisecond) == Approx(1.20).epsilon(0.2));
}

TEST_CASE("experts split like tensors multiply as many rows in all", "[models][experts]") {
  SmallCase c = sixteen();
  c.tensor = 2;
  c.data = 8;
  c.expert = 8;
  const auto work = [&](int expert_tensor) {
    c.expert_tensor = expert_tensor;
    const Scenario s = small_scenario(c);
    const Plan plan = plan_of(s);
    const StageLayout layout = stage_layout(s.transformer.layers, plan);
    return expert_work(planned_job(s.transformer, s.job, s.stack, plan, layout), plan.expert);
  };
  // Each rank sends half of the tokens of its tensor group, twice over.
  CHECK(work(1).rows == Approx(4096));
  CHECK(work(2).rows == Approx(8192));
  CHECK(work(2).copies == Approx(4096));
}

TEST_CASE("no way to distribute experts makes their work vanish", "[models][experts]") {
  for (const int tensor : {1, 2})
    for (const int expert : {1, 2, 4})
      for (const int split : {1, 2, 4}) {
        SmallCase c = sixteen();
        c.tensor = tensor;
        c.data = 16 / tensor;
        c.expert = expert;
        c.expert_tensor = split;
        INFO("tensor " << tensor << ", expert " << expert << ", expert_tensor " << split);
        const Scenario s = small_scenario(c);
        const Plan plan = plan_of(s);
        const StageLayout layout = stage_layout(c.layers, plan);
        const ExpertWork work =
            expert_work(planned_job(s.transformer, s.job, s.stack, plan, layout), s.cluster.node_ranks());
        // Multiplications of one rank: rows of its experts times their width. All ranks together do all of them.
        const double rows = work.rows * static_cast<double>(s.transformer.experts->ffn) / split;
        const double copies = 4096.0 / tensor * static_cast<double>(s.transformer.experts->per_token);
        CHECK(rows == Approx(copies * static_cast<double>(s.transformer.experts->ffn)));
        const bool moves = expert * split > tensor;
        if (moves) CHECK(charged(s, StepCharge::ep_exposed) > Seconds{});
      }
}

TEST_CASE("latent attention keeps narrow vectors where they are expanded again", "[models][experts]") {
  SmallCase c = sixteen();
  c.latent = LatentAttention{256, 128, 128, 64, 128};
  c.recompute = Recompute::selective;
  Scenario s = small_scenario(c);
  const Bytes wide = memory_under(s, plan_of(s)).activations;
  const Seconds fast = step_of(s);
  s.stack.selective_latents = true;
  CHECK(memory_under(s, plan_of(s)).activations < 0.8 * wide);
  CHECK(step_of(s) > fast);
}

TEST_CASE("a parallel block exchanges activations once instead of twice", "[models][experts]") {
  SmallCase c;
  c.tensor = 8;
  c.hidden = 4096;
  c.sequence = 4096;
  const Seconds twice = charged(small_scenario(c), StepCharge::tp_exposed);
  c.parallel_block = true;
  const Seconds once = charged(small_scenario(c), StepCharge::tp_exposed);
  CHECK(once < 0.75 * twice);
  CHECK(once > 0.25 * twice);
}

TEST_CASE("layouts of experts that do not divide are refused with what does not", "[models][experts]") {
  SmallCase c = sixteen();
  CHECK(refusal(c).empty());
  c.expert = 5;
  CHECK(refusal(c).starts_with("E0310 expert must divide the experts"));
  c = sixteen();
  c.data = 8;
  CHECK(refusal(c).starts_with("E0310 expert 16 x expert_tensor 1 must divide the 8 ranks"));
  c = sixteen();
  c.expert_tensor = 3;
  CHECK(refusal(c).starts_with("E0310"));
  c = sixteen();
  c.experts.reset();
  CHECK(refusal(c).starts_with("E0310 the transformer has no experts"));
  c = sixteen();
  c.latent = LatentAttention{256, 128, 128, 64, 128};
  c.lora_rank = 8;
  CHECK(refusal(c).starts_with("E0313"));
}

TEST_CASE("experts that a job does not place spread beyond a domain only if they do not fit in it", "[models]") {
  SmallCase c;
  c.data = 32;
  c.hidden = 1024;
  c.experts = ExpertMixture{64, 2, 4096, 0, {}, 0, 1, {}, {}};
  Scenario s = small_scenario(c);
  s.job.parallel.expert.reset();
  CHECK(predict_step(s, OpenFields::usual).plan.expert == 8);  // a node
  const Bytes needed = predict_step(s, OpenFields::usual).memory.total();
  s.cluster.accelerator.addressable_memory.reset();
  s.cluster.accelerator.memory.value = 0.97 * needed;
  const StepPrediction wider = predict_step(s, OpenFields::usual);
  CHECK(wider.fits);
  CHECK(wider.plan.expert == 16);
  CHECK(small_job({}).parallel.expert == 1);
  CHECK_FALSE(Job{}.parallel.expert);  // auto unless stated
}
