// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_use.hpp"
#include "models/memory/memory_verdict.hpp"

#include <cmath>

#include "models/plan/plan.hpp"
#include "models/search/choose_plan.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

int integer(const JsonValue& object, const char* key) {
  return static_cast<int>(object.at(key).as_number());
}

/// GPT-2 and GPT-3 kind: plain MLP with biases, layer norms, learned positions.
Transformer published_model(const JsonValue& m) {
  SmallCase c;
  c.layers = integer(m, "layers");
  c.hidden = integer(m, "hidden");
  c.heads = integer(m, "heads");
  c.sequence = integer(m, "seq");
  c.vocabulary = integer(m, "vocab");
  c.gated_mlp = false;
  c.tied_embeddings = true;
  Transformer t = small_transformer(c);
  t.normalisation = Normalisation::layer;
  t.positions = PositionEncoding::learned;
  return t;
}

Plan published_plan(const JsonValue& job) {
  Plan plan;
  plan.tensor = integer(job, "tp");
  plan.pipeline = integer(job, "pp");
  plan.virtual_pipeline = integer(job, "vpp");
  plan.micro_batch = integer(job, "micro_batch");
  plan.micro_batches = 4 * plan.pipeline;  // enough to fill the pipeline; the batch is not published
  plan.sequence_parallel = job.at("sequence_parallel").as_boolean();
  plan.sharding = Sharding::none;
  const std::string recompute = job.at("recompute").as_text();
  plan.recompute = recompute == "full"        ? Recompute::full
                   : recompute == "selective" ? Recompute::selective
                                              : Recompute::none;
  return plan;
}

/// A published footprint with what the models say of it.
struct Footprint {
  Footprint(const JsonValue& measured)
      : model(published_model(measured.at("model"))),
        plan(published_plan(measured.at("job"))),
        layout(model.layers, plan.pipeline, plan.virtual_pipeline),
        stack(software_stack("megatron-2022")) {
    stack.memory.dropout = true;  // as in the paper
  }

  PlannedJob memory() const { return {model, plan, layout, stack, static_cast<int>(model.max_sequence)}; }
  /// The figures leave out embedding and head: a stage between them, if there is one.
  MemoryUse inner_stage() const { return memory_of_stage(memory(), plan.pipeline / 2); }

  Transformer model;
  Plan plan;
  StageLayout layout;
  SoftwareStack stack;
};

template <class Visit>
void for_each_footprint(const std::string& item, const std::string& field, Visit visit) {
  const JsonValue cases =
      read_json_file(std::filesystem::path(CLUSTERWRIGHT_MEASUREMENTS) / "memory-footprint.json").at("cases");
  for (const JsonValue& c : cases.elements()) {
    const JsonValue* measured = c.at("measured").find(field);
    if (!measured || c.at("footprint").at("item").as_text() != item) continue;
    INFO(c.at("id").as_text());
    visit(Footprint(c), measured->as_number());
  }
}

}  // namespace

TEST_CASE("weights, gradients and optimizer state are as published", "[models]") {
  // Korthikanti et al. 2022, figure 1. They count the matrices of the layers; biases, norms and, in the one case
  // without a pipeline, the embedding come on top: 1.5 % at 22B.
  int rows = 0;
  for_each_footprint("weights-gradients-optimizer", "memory_gb", [&](const Footprint& f, double gigabytes) {
    const MemoryUse use = f.inner_stage();
    CHECK((use.weights + use.gradients + use.optimizer).in(gigabyte) == Approx(gigabytes).epsilon(0.02));
    ++rows;
  });
  CHECK(rows == 4);
}

TEST_CASE("activations of the first stage are as published", "[models]") {
  int rows = 0;
  for_each_footprint("activations", "memory_gb", [&](const Footprint& f, double gigabytes) {
    CHECK(memory_of_stage(f.memory(), 0).activations.in(gigabyte) == Approx(gigabytes).epsilon(0.02));
    ++rows;
  });
  CHECK(rows == 8);
}

TEST_CASE("sequence parallelism and recomputation save what was published", "[models]") {
  int rows = 0;
  for_each_footprint("activations", "activation_ratio", [&](const Footprint& f, double ratio) {
    Footprint plain = f;
    plain.plan.sequence_parallel = false;
    plain.plan.recompute = Recompute::none;
    CHECK(layer_activations(f.memory()) / layer_activations(plain.memory()) == Approx(ratio).epsilon(0.02));
    ++rows;
  });
  CHECK(rows == 8);
}

TEST_CASE("sharding divides optimizer state, and gradients where no pipeline accumulates them", "[models]") {
  const auto use = [](Sharding sharding, int pipeline) {
    SmallCase c;
    c.data = 8;
    c.pipeline = pipeline;
    c.sharding = sharding;
    const Scenario s = small_scenario(c);
    const Plan plan = plan_of(s);
    const StageLayout layout(s.transformer.layers, pipeline, 1);
    return memory_of_stage(planned_job(s.transformer, s.job, s.stack, plan, layout), 0);
  };
  const MemoryUse whole = use(Sharding::none, 1);
  CHECK(whole.optimizer.in(byte) == Approx(6 * whole.weights.in(byte)));  // three 32-bit states for each 16-bit weight
  CHECK(use(Sharding::zero1, 1).optimizer.in(byte) == Approx(whole.optimizer.in(byte) / 8));
  CHECK(use(Sharding::zero1, 1).gradients == whole.gradients);
  CHECK(use(Sharding::zero2, 1).gradients.in(byte) == Approx(whole.gradients.in(byte) / 8));
  CHECK(use(Sharding::zero2, 2).gradients == use(Sharding::none, 2).gradients);
}

TEST_CASE("the verdict names stage, kind and size", "[models]") {
  MemoryUse use;
  use.weights = 30 * gigabyte;
  use.activations = 45 * gigabyte;
  use.stage = 2;
  CHECK(judge_memory(use, 80 * gigabyte, 4, 0).fits);
  const MemoryVerdict verdict = judge_memory(use, 70 * gigabyte, 4, 0);
  CHECK_FALSE(verdict.fits);
  CHECK(verdict.sentence ==
        "does not fit: each rank of pipeline stage 2 needs 75.0 of 70.0 GB, most of it activations (45.0 GB)");
  CHECK(judge_memory(use, 75 * gigabyte, 1, 0).sentence ==
        "fits: each rank uses 75.0 of 75.0 GB, most of it activations (45.0 GB)");
}

TEST_CASE("experts with unequal rows leave gaps where the stack says so", "[models]") {
  SmallCase c;
  c.data = 4;
  c.expert = 4;
  c.experts = ExpertMixture{16, 2, 1024, 1, {}, 1, 1, {}, {}};
  Scenario s = small_scenario(c);
  const auto reserved = [&] {
    const MemoryUse use = choose_plan(s).memory;
    const Bytes outside = buffer_use(planned_job(s.transformer, s.job, s.stack, choose_plan(s).plan,
                                                 stage_layout(s.transformer.layers, choose_plan(s).plan)))
                              .outside_allocator;
    const Bytes gaps = use.reserved - s.stack.reserved_memory.value;
    return gaps / (use.total() - use.reserved - outside);
  };
  s.stack.memory.slack.value = 0.05;
  s.stack.memory.unequal_slack.reset();
  CHECK(reserved() == Approx(0.05));
  s.stack.memory.unequal_slack = Sourced<double>{0.2, "test"};
  CHECK(reserved() == Approx(0.2));
  s.job.routing.capacity_factor = 1.25;
  CHECK(reserved() == Approx(0.05));
}

TEST_CASE("the interval of memory leaves what follows from counting alone", "[models]") {
  MemoryUse use;
  use.weights = 30 * gigabyte;
  use.activations = 20 * gigabyte;
  const double residual = std::log(1.25) / 1.645;
  CHECK(memory_range(use, residual).low.in(gigabyte) == Approx(30 + 20 / 1.25));
  CHECK(memory_range(use, residual).high.in(gigabyte) == Approx(30 + 20 * 1.25));
  CHECK(memory_range(use, 0).low == use.total());
  CHECK(memory_range(use, 0).high == use.total());
}

TEST_CASE("a verdict within the error of memory says that the job may fit", "[models]") {
  MemoryUse use;
  use.weights = 30 * gigabyte;
  use.activations = 20 * gigabyte;
  const double residual = std::log(1.25) / 1.645;  // 46 to 55 GB
  CHECK(judge_memory(use, 55.1 * gigabyte, 1, residual).sentence.starts_with("fits: each rank uses 50.0 of 55.1 GB,"));
  const MemoryVerdict likely = judge_memory(use, 54 * gigabyte, 1, residual);
  CHECK(likely.fits);
  CHECK(likely.sentence.starts_with(
      "may fit: each rank uses 50.0 of 54.0 GB (46.0 to 55.0 GB with the error of the memory model), most"));
  const MemoryVerdict unlikely = judge_memory(use, 47 * gigabyte, 1, residual);
  CHECK_FALSE(unlikely.fits);
  CHECK(
      unlikely.sentence.starts_with("does not fit: each rank needs 50.0 of 47.0 GB (46.0 to 55.0 GB with the error of "
                                    "the memory model: it may fit), most"));
  CHECK(judge_memory(use, 45.9 * gigabyte, 1, residual)
            .sentence.starts_with("does not fit: each rank needs 50.0 of 45.9 GB, most"));
}
