// SPDX-License-Identifier: Apache-2.0
#include "models/search/choose_plan.hpp"

#include "models/plan/plan.hpp"
#include "models/prediction/predict_step.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// 64 accelerators in nodes of 8: 4 x 4 ranks per replica, 4 replicas, 8 micro-batches each.
SmallCase sixty_four() {
  SmallCase c;
  c.tensor = c.pipeline = c.data = 4;
  c.micro_batches = 8;
  c.layers = 16;
  return c;
}

/// Codes of all contradictions, joined.
std::string contradictions(const Scenario& s) {
  try {
    plan_of(s);
  } catch (const ConfigError& error) {
    std::string codes;
    for (const Diagnostic& d : error.diagnostics()) codes += (codes.empty() ? "" : " ") + d.code;
    return codes;
  }
  return {};
}

}  // namespace

TEST_CASE("a plan takes what was given", "[models]") {
  const Plan plan = plan_of(small_scenario(sixty_four()));
  CHECK(plan.tensor == 4);
  CHECK(plan.pipeline == 4);
  CHECK(plan.virtual_pipeline == 1);
  CHECK(plan.data == 4);           // 64 / (4 x 4)
  CHECK(plan.micro_batches == 8);  // 32 sequences / (4 replicas x 1)
  CHECK(plan.accelerators() == 64);
  CHECK(plan.sequence_parallel);
}

TEST_CASE("one rank has no sequence parallelism", "[models]") {
  SmallCase c;
  c.per_node = 1;
  CHECK_FALSE(plan_of(small_scenario(c)).sequence_parallel);
}

TEST_CASE("auto virtual stages are the most that divide", "[models]") {
  const auto chunks = [](int layers, int micro_batches) {
    SmallCase c = sixty_four();
    c.layers = layers;
    c.micro_batches = micro_batches;
    Scenario s = small_scenario(c);
    s.job.parallel.virtual_pipeline.reset();
    return plan_of(s).virtual_pipeline;
  };
  CHECK(chunks(16, 8) == 4);  // 16 chunks of one layer
  CHECK(chunks(18, 8) == 1);  // 20 chunks would do, but users of the stack stop at 4 per stage
  CHECK(chunks(24, 8) == 3);
  CHECK(chunks(16, 6) == 1);  // 6 micro-batches are no multiple of 4 stages
  CHECK(chunks(17, 8) == 1);  // neither 17 nor 19 splits
}

TEST_CASE("every auto field becomes an assumption", "[models]") {
  Scenario s = small_scenario(sixty_four());
  const auto assumed = [&] { return resolve_plan(s).assumptions.size(); };
  CHECK(assumed() == 0);
  s.job.parallel.virtual_pipeline.reset();
  CHECK(assumed() == 1);
  s.job.micro_batch.reset();  // decided by time and memory: choose_plan
  CHECK(assumed() == 1);
  CHECK(choose_plan(s).assumptions.size() == 2);
}

TEST_CASE("degrees that do not divide are contradictions", "[models]") {
  Scenario s = small_scenario(sixty_four());
  CHECK(contradictions(s).empty());
  s.job.parallel.tensor = 3;  // neither heads, nor MLP width, nor key-value heads, nor node
  CHECK(contradictions(s) == "E0310 E0310 E0310 E0310");
  s.job.parallel.tensor = 4;
  s.job.parallel.pipeline = 32;
  CHECK(contradictions(s) == "E0310");  // 16 layers
  s.job.parallel.pipeline = 8;
  s.job.parallel.tensor = 16;
  CHECK(contradictions(s) == "E0311");  // 64 is no multiple of 128
  s.job.parallel.tensor = 4;
  s.job.parallel.pipeline = 4;
  s.job.parallel.data = 8;
  CHECK(contradictions(s) == "E0311");  // 4 x 4 x 8 = 128
  s.job.parallel.data = 4;
  s.job.global_batch = 30;
  CHECK(contradictions(s) == "E0312");  // 30 / 4 replicas
}

TEST_CASE("interleaving needs stages, chunks and micro-batches that suit", "[models]") {
  SmallCase c = sixty_four();
  c.virtual_pipeline = 2;
  CHECK(contradictions(small_scenario(c)).empty());
  c.micro_batches = 6;  // of 4 stages
  CHECK(contradictions(small_scenario(c)).empty());
  c.micro_batches = 3;
  CHECK(contradictions(small_scenario(c)) == "E0312");
  c.micro_batches = 8;
  c.virtual_pipeline = 5;  // 20 chunks for 16 layers, embedding and head
  CHECK(contradictions(small_scenario(c)) == "E0310");
  c.virtual_pipeline = 2;
  c.pipeline = 1;
  CHECK(contradictions(small_scenario(c)) == "E0310");
}

TEST_CASE("what is not modelled yet is refused", "[models]") {
  Scenario s = small_scenario(sixty_four());
  s.job.offload.weights = MemoryLevel::host;  // of a pipeline
  CHECK(contradictions(s) == "E0313");
}

TEST_CASE("a step that is too large to simulate is refused before anything is built", "[models]") {
  SmallCase c;
  c.per_node = 1;
  c.layers = 6;
  c.micro_batches = 100'000;  // 50 x 6 x 100,000 = 30 million ops
  CHECK(contradictions(small_scenario(c)).empty());
  c.micro_batches = 100'001;
  CHECK(contradictions(small_scenario(c)) == "E0502");
}

TEST_CASE("a step that takes longer than simulated time can hold is refused", "[models]") {
  SmallCase c;
  c.per_node = 1;
  Scenario s = small_scenario(c);
  s.job.sequence = 1 << 24;  // 16 million tokens attend to each other
  s.transformer.hidden = 1 << 16;
  s.transformer.heads = 512;
  s.transformer.ffn = 1 << 18;
  s.transformer.layers = 200;
  CHECK_THROWS_AS(predict_step(s), ConfigError);
}

TEST_CASE("every degree that was left open is named among the assumptions", "[models]") {
  Scenario s = small_scenario(sixty_four());
  s.job.parallel.tensor.reset();
  s.job.parallel.pipeline.reset();
  s.job.micro_batch.reset();
  s.job.recompute.reset();
  const ChosenPlan resolved = choose_plan(s);
  CHECK(resolved.plan.tensor == 8);
  CHECK(resolved.plan.pipeline == 1);
  std::string named;
  for (const Assumption& a : resolved.assumptions) named += a.what + " " + a.value + "; ";
  CHECK(named == "tensor group 8; pipeline stages 1; micro-batch " + std::to_string(resolved.plan.micro_batch) +
                     "; recomputation none; ");
}

TEST_CASE("context, adapters and shard groups that contradict the rest are named", "[models]") {
  SmallCase c = sixty_four();
  c.virtual_pipeline = 1;
  Scenario s = small_scenario(c);
  s.job.parallel.context = 3;  // of 512 tokens, and not of the accelerators either
  CHECK(contradictions(s) == "E0310");
  s = small_scenario(c);
  s.job.parallel.context = 2;
  s.job.parallel.data.reset();
  CHECK(contradictions(s).empty());
  s.job.parallel.context_exchange = ContextExchange::all_to_all;
  s.transformer.heads = 8;  // 8 ranks of a tensor group hold one each: none to exchange
  s.job.parallel.tensor = 8;
  CHECK(contradictions(s) == "E0310");
  s = small_scenario(c);
  s.job.lora_rank = 16;
  CHECK(contradictions(s) == "E0310");
  s.job.task = Task::lora;
  CHECK(contradictions(s).empty());
  s.job.shard_group = 2;
  CHECK(contradictions(s) == "E0310");
  s.job.sharding = Sharding::hsdp;
  s.job.shard_group = 3;
  CHECK(contradictions(s) == "E0310");
}

TEST_CASE("a micro-batch that is left open is what users of the stack choose", "[models]") {
  Scenario s = small_scenario(sixty_four());  // 8 sequences per replica, 4 stages
  s.job.micro_batch.reset();
  const auto micro_batch = [&](AssumedMicroBatch usual) {
    s.stack.assumed_micro_batch = usual;
    const ChosenPlan chosen = choose_plan(s);
    REQUIRE_FALSE(chosen.assumptions.empty());
    return std::pair(chosen.plan.micro_batch, chosen.assumptions.back().why);
  };
  CHECK(micro_batch(AssumedMicroBatch::one_sequence) == std::pair(1, std::string("auto: the stack's usual choice")));
  CHECK(micro_batch(AssumedMicroBatch::one_per_stage).first == 2);
  CHECK(micro_batch(AssumedMicroBatch::fastest).second == "auto: the fastest size that fits");
  s.job.parallel.pipeline = 1;
  s.job.parallel.data = 16;
  CHECK(micro_batch(AssumedMicroBatch::one_per_stage).second == "auto: the fastest size that fits");
}

TEST_CASE("an open micro-batch leaves an interleaved schedule its micro-batches", "[models]") {
  Scenario s = small_scenario(sixty_four());  // 8 sequences per replica, 4 stages
  s.job.parallel.virtual_pipeline = 2;
  s.job.micro_batch.reset();
  CHECK(choose_plan(s).plan.micro_batches >= 4);
}

TEST_CASE("recomputation that is left open repeats as few layers as memory asks for", "[models]") {
  SmallCase c;
  c.per_node = 1;
  c.layers = 12;
  c.hidden = 4096;
  c.heads = 32;
  c.sequence = 4096;
  Scenario s = small_scenario(c);
  s.job.recompute.reset();
  s.job.sharding = Sharding::none;
  const auto with = [&](double gigabytes) {
    s.cluster.accelerator.addressable_memory.reset();
    s.cluster.accelerator.memory.value = gigabytes * gigabyte;
    return choose_plan(s);
  };
  const ChosenPlan roomy = with(1000);
  CHECK(roomy.plan.recompute == Recompute::none);
  const double all = roomy.memory.total().in(gigabyte);
  s.job.recompute = Recompute::full;
  const double least = with(1000).memory.total().in(gigabyte);
  s.job.recompute.reset();
  REQUIRE(least < all);
  const ChosenPlan tight = with((least + all) / 2);
  CHECK(tight.plan.recompute == Recompute::full);
  REQUIRE(tight.plan.recomputed_layers);
  CHECK(*tight.plan.recomputed_layers > 0);
  CHECK(*tight.plan.recomputed_layers < 12);
  CHECK(tight.memory.total().in(gigabyte) <= (least + all) / 2);
  CHECK_FALSE(with(least / 2).plan.recomputed_layers);  // nothing fits: all of them, and the verdict says so
}

TEST_CASE("a job may state the order of its ranks and the layers that it repeats", "[models]") {
  Scenario s = small_scenario(sixty_four());
  s.stack.rank_order = RankOrder::tensor_context_data_pipeline;
  CHECK(plan_of(s).rank_order == RankOrder::tensor_context_data_pipeline);
  s.job.parallel.order = RankOrder::tensor_context_pipeline_data;
  CHECK(plan_of(s).rank_order == RankOrder::tensor_context_pipeline_data);

  s.job.recompute = Recompute::full;
  const Bytes all = choose_plan(s).memory.total();
  s.job.recomputed_layers = 1;
  CHECK(plan_of(s).recomputed_layers == 1);
  CHECK(choose_plan(s).memory.total() > all);
  s.job.recompute = Recompute::none;
  CHECK(contradictions(s) == "E0310");
}
