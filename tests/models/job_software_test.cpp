// SPDX-License-Identifier: Apache-2.0
#include "models/job/job_software.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/memory/checkpoint_use.hpp"
#include "models/memory/memory_use.hpp"
#include "models/memory/parameter_memory.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Llama kind on one accelerator, or on eight that share what `sharding` says.
SmallCase llama(int data, Sharding sharding) {
  SmallCase c;
  c.stack = "generic-2025";
  c.layers = 16;
  c.hidden = 1024;
  c.sequence = 1024;
  c.vocabulary = 8192;
  c.data = data;
  c.sharding = sharding;
  return c;
}

struct States {
  explicit States(const SmallCase& c) : scenario(small_scenario(c)), plan(plan_of(scenario)) {
    scenario.stack = without_master_weights(scenario.stack);
    layout = StageLayout(c.layers, 1, 1);
  }
  PlannedJob job() { return planned_job(scenario.transformer, scenario.job, scenario.stack, plan, layout); }
  MemoryUse use() { return memory_of_stage(job(), 0); }
  double parameters() { return local_parameters(job(), 0).total(); }

  Scenario scenario;
  Plan plan;
  StageLayout layout{1, 1, 1};
};

Scenario eight_nodes(const std::vector<std::string>& settings) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  ScenarioOptions options;
  options.settings = settings;
  return load_scenario(configs / "scenarios" / "llama3-8b-h100-64.json", options);
}

double step_of(const std::vector<std::string>& settings) {
  return predict_step(eight_nodes(settings)).step_time.in(second);
}

std::string refusal(const std::vector<std::string>& settings) {
  try {
    eight_nodes(settings);
  } catch (const ConfigError& error) {
    return error.diagnostics().front().code + " " + error.diagnostics().front().help;
  }
  return {};
}

}  // namespace

TEST_CASE("without master weights a parameter takes 2 + 2 + 4 bytes, not 2 + 4 + 12", "[models][memory]") {
  States alone(llama(1, Sharding::none));
  alone.scenario.stack.memory.frees_gradients = false;
  const double p = alone.parameters();
  CHECK(alone.use().weights.in(byte) == Approx(2 * p));
  CHECK(alone.use().gradients.in(byte) == Approx(2 * p));
  CHECK(alone.use().optimizer.in(byte) == Approx(4 * p));
  CHECK(checkpoint_of_rank(alone.job(), 0, 0).in(byte) == Approx(6 * p));
}

TEST_CASE("sharded weights of 16 bits are half of 32-bit shards", "[models][memory]") {
  States shards(llama(8, Sharding::fsdp));
  const double owned = shards.parameters() / 8;
  CHECK(shards.use().weights.in(byte) == Approx(2 * owned));
  CHECK(shards.use().optimizer.in(byte) == Approx(4 * owned));
  CHECK(checkpoint_of_rank(shards.job(), 0, 0).in(byte) == Approx(6 * owned));
  shards.scenario.stack = software_stack("generic-2025");
  CHECK(shards.use().weights.in(byte) == Approx(4 * owned));
  CHECK(checkpoint_of_rank(shards.job(), 0, 0).in(byte) == Approx(12 * owned));
}

TEST_CASE("the update without master weights moves 14 bytes a parameter, not 30", "[models]") {
  const SoftwareStack whole = software_stack("generic-2025"), narrow = without_master_weights(whole);
  CHECK(whole.kernels.update.value == 30);
  CHECK(narrow.kernels.update.value == 14);  // gradient and three states read, these written
  CHECK(narrow.kernels.weight_gradient.value == 4);
  CHECK(narrow.reduced_size.value == 2);
  CHECK(without_master_weights(narrow) == narrow);
}

TEST_CASE("a job without master weights, or with faster attention, takes less time", "[models]") {
  const double usual = step_of({"job.sharding=zero1"});
  CHECK(step_of({"job.sharding=zero1", "job.master_weights=false"}) < usual);
  CHECK(step_of({"job.sharding=zero1", "job.attention=flash-2"}) == usual);  // the stack's own
  CHECK(step_of({"job.sharding=zero1", "job.attention=cudnn"}) < usual);
}

TEST_CASE("a job that changes a measured stack no longer counts as measured", "[models]") {
  CHECK_FALSE(eight_nodes({}).stack_changed);
  CHECK(eight_nodes({"job.master_weights=false"}).stack_changed);
  CHECK(eight_nodes({"job.attention=cudnn"}).stack_changed);
}

TEST_CASE("attention kernels that the parameters do not describe are refused by name", "[models]") {
  const std::string said = refusal({"job.attention=flash-9"});
  CHECK(said.starts_with("E0203"));
  CHECK(said.find("flash-2") != std::string::npos);
}

TEST_CASE("gradients that nobody shares take the place of activations", "[models]") {
  States states(llama(1, Sharding::none));
  const MemoryUse fresh = states.use();
  states.scenario.stack.memory.frees_gradients = false;
  const MemoryUse kept = states.use();
  CHECK(kept.gradients.in(byte) == Approx(2 * states.parameters()));
  // 16 layers over 1,024 tokens store more than 2 bytes a parameter, so that the peak is before the first gradient.
  CHECK(fresh.activations == kept.activations);
  CHECK(fresh.gradients.in(byte) == Approx(std::max(0.0, (kept.gradients - kept.activations).in(byte))).margin(1));
  CHECK(fresh.total() < kept.total());
}

TEST_CASE("gradients that micro-batches add up or ranks reduce stay where they are", "[models]") {
  SmallCase reduced = llama(2, Sharding::none);
  States states(reduced);
  CHECK(states.use().gradients.in(byte) == Approx(2 * states.parameters()));
  States added(llama(1, Sharding::none));
  added.plan.micro_batches = 2;
  CHECK(added.use().gradients.in(byte) == Approx(2 * added.parameters()));
}

namespace {

/// Transformer of one layer whose values are narrower than its keys, as in DeepSeek-V3, or not.
Transformer with_heads(bool latent) {
  Transformer out;
  out.hidden = 7168;
  out.heads = 128;
  if (latent) out.latent = LatentAttention{1536, 512, 128, 64, 128};
  return out;
}

AcceleratorPart of_architecture(const std::string& name) {
  AcceleratorPart part;
  part.architecture = name;
  return part;
}

std::string attention_on(const std::string& architecture, const CalendarDate& release, bool latent = true) {
  Job job;
  job.release = release;
  return with_kernels_of(software_stack("nemo-2025"), job, with_heads(latent), of_architecture(architecture)).attention;
}

}  // namespace

TEST_CASE("latent attention is fused where and when the library has a kernel that trains it", "[models][stack]") {
  CHECK(attention_on("Blackwell (NVL72)", {2025, 5}) == "unfused");
  CHECK(attention_on("Blackwell (NVL72)", {2025, 7}) == "cudnn");
  CHECK(attention_on("Blackwell", {}) == "cudnn");  // libraries of today
  CHECK(attention_on("Hopper", {2024, 9}) == "unfused");
  CHECK(attention_on("Hopper (export)", {2024, 12}) == "cudnn");
  CHECK(attention_on("Ampere", {2026, 6}) == "unfused");
  CHECK(attention_on("CDNA3", {2024, 12}) == "cudnn");  // nothing is known against it
  CHECK(attention_on("Ampere", {2024, 12}, false) == "cudnn");
}

TEST_CASE("a job that names its attention has it on any accelerator", "[models][stack]") {
  Job job;
  job.attention = "flash-2";
  const SoftwareStack stack = with_choices(software_stack("nemo-2025"), job);
  CHECK(with_kernels_of(stack, job, with_heads(true), of_architecture("Ampere")).attention == "flash-2");
}

TEST_CASE("DeepSeek-V3 stores scores on Blackwell before July 2025", "[models][stack]") {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  const auto on_blackwell = [](const char* release) {
    ScenarioOptions options;
    options.accelerators = 128;
    options.settings = {
        "cluster=gb200-nvl72-9racks",
        std::string("job.release=") + release,
        "job.stack=nemo-2025",
        "job.precision=bf16",
        R"(job.parallel={"tensor": 2, "pipeline": 4, "expert": 32, "expert_tensor": 1, "data": "auto"})",
        "job.global_batch=1024",
        "job.recompute=selective"};
    return load_scenario(configs / "scenarios" / "deepseek-v3-h800.json", options);
  };
  const Scenario early = on_blackwell("2025-05"), late = on_blackwell("2025-08");
  CHECK(early.stack.attention == "unfused");
  CHECK(late.stack.attention == "cudnn");
  CHECK_FALSE(early.stack_changed);  // this is what the stack does there
  // 64 heads have 1.07e9 scores: 8 bytes of each forward, 16 backward and 8 again at 7 TB/s are 4.9 ms, and a fifth
  // more where multiplies take longer than their bytes. One kernel takes 1.2. 16 layers of a stage, 67 times.
  const StepPrediction before = predict_step(early), after = predict_step(late);
  const double seconds = (before.step_time - after.step_time).in(second);
  CHECK(seconds == Approx(16 * 67 * 4.7e-3).epsilon(0.2));
  const auto says_so = [](const StepPrediction& step) {
    return std::ranges::any_of(step.warnings, [](const std::string& text) {
      return text.find("on Blackwell before 2025-07 (job.release is 2025-05)") != std::string::npos;
    });
  };
  CHECK(says_so(before));
  CHECK_FALSE(says_so(after));
}

TEST_CASE("architectures of latent kernels are those of accelerators", "[models][stack]") {
  SoftwareStack stack = software_stack("nemo-2025");
  const std::vector<AcceleratorPart> parts = {of_architecture("Ampere"), of_architecture("Ada"),
                                              of_architecture("Hopper (export)"), of_architecture("Blackwell")};
  stack.latent_kernels.push_back({"Mine", {}, ""});
  CHECK_NOTHROW(check_latent_kernels(stack, parts, of_architecture("Mine"), {}));
  stack.latent_kernels.front().architecture = "Ampère";
  try {
    check_latent_kernels(stack, parts, of_architecture("Mine"), {});
    FAIL("accepted");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().front().code == "E0203");
    CHECK(error.diagnostics().front().help == "there are: Ada, Ampere, Blackwell, Hopper, Mine");
  }
}
