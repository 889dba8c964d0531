// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "models/memory/buffer_memory.hpp"
#include "models/memory/memory_use.hpp"
#include "models/memory/memory_verdict.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/stage_schedule.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// A scenario with its plan, whose parts can be changed before memory is asked for.
struct Stored {
  explicit Stored(const SmallCase& c) : scenario(small_scenario(c)), plan(plan_of(scenario)), layout(layers(), 1, 1) {}

  int layers() const { return static_cast<int>(scenario.transformer.layers); }
  PlannedJob of_stage_layout() {
    layout = StageLayout(layers(), plan.pipeline, plan.virtual_pipeline);
    return planned_job(scenario.transformer, scenario.job, scenario.stack, plan, layout);
  }
  MemoryUse use(int stage = 0) { return memory_of_stage(of_stage_layout(), stage); }
  MemoryUse worst() { return worst_memory(of_stage_layout()); }
  double layer() { return layer_activations(of_stage_layout()).in(byte); }

  Scenario scenario;
  Plan plan;
  StageLayout layout;
};

/// The GPT of Korthikanti et al.: s b h and a s / h are powers of two here.
SmallCase gpt() {
  SmallCase c;
  c.stack = "megatron-2022";
  c.gated_mlp = false;
  c.layers = 8;
  c.hidden = 1024;
  c.heads = 16;
  c.sequence = 2048;
  c.micro_batch = 2;
  c.tensor = 8;
  return c;
}
constexpr double sbh = 2048.0 * 2 * 1024;
constexpr double as_over_h = 16.0 * 2048 / 1024;

Stored stored_gpt(bool sequence_parallel, Recompute recompute) {
  SmallCase c = gpt();
  c.sequence_parallel = sequence_parallel;
  c.recompute = recompute;
  Stored s(c);
  s.scenario.stack.memory.dropout = true;
  return s;
}

/// Llama kind on 8 replicas of one accelerator each.
SmallCase llama(Sharding sharding, int data = 8) {
  SmallCase c;
  c.stack = "torchtitan-2024";
  c.layers = 16;
  c.hidden = 1024;
  c.sequence = 1024;
  c.vocabulary = 8192;
  c.data = data;
  c.sharding = sharding;
  return c;
}

double gigabytes(Bytes bytes) {
  return bytes.in(gigabyte);
}

}  // namespace

TEST_CASE("ranks beyond the heads of keys and values hold a copy of one", "[models][memory]") {
  SmallCase c;
  c.tensor = 8;
  Stored many(c), few(c);
  many.scenario.transformer.kv_heads = 8;
  few.scenario.transformer.kv_heads = 1;
  const MemoryUse one_each = many.use(), copies = few.use();
  CHECK(copies.weights == one_each.weights);
  CHECK(copies.gradients == one_each.gradients);
  CHECK(copies.activations == one_each.activations);
  few.plan.tensor = many.plan.tensor = 1;
  CHECK(few.use().weights < many.use().weights);
}

TEST_CASE("activations of a layer follow the published formulas", "[models][memory]") {
  // t = 8: s b h (10 + 24/t + 5 a s / (h t)) without sequence parallelism, s b h / t (34 + 5 a s / h) with it;
  // selective recomputation drops the last term; full leaves 2 s b h.
  CHECK(stored_gpt(false, Recompute::none).layer() == Approx(sbh * (10 + 24.0 / 8 + 5 * as_over_h / 8)));
  CHECK(stored_gpt(true, Recompute::none).layer() == Approx(sbh / 8 * (34 + 5 * as_over_h)));
  CHECK(stored_gpt(false, Recompute::selective).layer() == Approx(sbh * (10 + 24.0 / 8)));
  CHECK(stored_gpt(true, Recompute::selective).layer() == Approx(sbh / 8 * 34));
  CHECK(stored_gpt(false, Recompute::full).layer() == Approx(2 * sbh));
}

TEST_CASE("inputs that a tensor group gathered stay whole where the stack does not gather them again",
          "[models][memory]") {
  const auto whole = [](bool sequence_parallel, bool lean) {
    Stored s = stored_gpt(sequence_parallel, Recompute::none);
    s.scenario.stack.memory.whole_inputs = true;
    s.scenario.stack.lean_activations = lean;
    return s.layer();
  };
  // Two inputs of 2 s b h bytes, of which an eighth was counted.
  CHECK(whole(true, false) == Approx(sbh / 8 * (34 + 5 * as_over_h) + 2 * 2 * sbh * 7 / 8));
  CHECK(whole(false, false) == Approx(stored_gpt(false, Recompute::none).layer()));  // whole as it is
  Stored lean = stored_gpt(true, Recompute::none);
  lean.scenario.stack.lean_activations = true;
  CHECK(whole(true, true) == Approx(lean.layer() + 2 * 2 * sbh));  // norms run again, what was gathered stays
}

TEST_CASE("attention on chip stores sums instead of scores", "[models][memory]") {
  Stored s = stored_gpt(true, Recompute::none);
  const double selective = stored_gpt(true, Recompute::selective).layer();
  s.scenario.stack.attention = "cudnn";
  // one 32-bit sum per head and token: 2048 x 2 x 16 x 4 bytes over 8 ranks
  CHECK(s.layer() == Approx(selective + 2048.0 * 2 * 16 * 4 / 8));
}

TEST_CASE("what selective recomputation stores depends on the stack", "[models][memory]") {
  SmallCase c = llama(Sharding::fsdp);
  c.recompute = Recompute::selective;
  Stored s(c);
  const double tokens = 1024, h = 1024, f = 4096, sums = 4 * 16;
  // input, query, value, result of attention, gate
  CHECK(s.layer() == Approx(tokens * (2 * (h + h + h + h + f) + sums)));
  s.scenario.stack.selective = SelectiveRecompute::all_but_multiplies;
  // two inputs of halves; query, key, value; both halves of the MLP
  CHECK(s.layer() == Approx(tokens * 2 * (2 * h + 3 * h + 2 * f)));
}

TEST_CASE("more recomputation stores less, context parallelism a part", "[models][memory]") {
  for (const char* stack : {"megatron-2022", "megatron-2024", "torchtitan-2024", "xla-2024"}) {
    INFO(stack);
    SmallCase c = gpt();
    c.stack = stack;
    Stored s(c);
    const Stored whole = s;
    double before = s.layer();
    double total = s.worst().total().in(byte);
    for (const Recompute more : {Recompute::selective, Recompute::full}) {
      s.plan.recompute = more;
      CHECK(s.layer() <= before);
      CHECK(s.worst().total().in(byte) <= total * (1 + 1e-12));
      before = s.layer();
      total = s.worst().total().in(byte);
    }
    Stored split = whole;
    split.plan.context = 2;
    const double scores = Stored(whole).layer();
    CHECK(split.layer() == Approx(scores / 2));
  }
}

TEST_CASE("a schedule holds what its walk says, however many micro-batches follow", "[models][memory]") {
  for (const int chunks : {1, 2, 3})
    for (int stage = 0; stage < 4; ++stage) {
      SmallCase c = gpt();
      c.tensor = 2;
      c.layers = 22;  // uneven with embedding and head
      c.pipeline = 4;
      c.virtual_pipeline = chunks;
      c.micro_batches = 32;
      Stored s(c);
      const PlannedJob memory = s.of_stage_layout();
      int held = 0, most = 0;
      for (const PipelineSlot& slot : interleaved_schedule(stage, 4, chunks, 32, 4)) {
        const int layers = memory.layout.at(stage, slot.chunk).layers;
        held += slot.forward ? layers : -layers;
        most = std::max(most, held);
      }
      CHECK(stored_activations(memory, stage).in(byte) == Approx(most * s.layer()));
    }
}

TEST_CASE("FSDP holds 16 bytes of a shard, and whole layers in passing", "[models][memory]") {
  SmallCase c = llama(Sharding::fsdp);
  c.vocabulary = 1 << 16;
  Stored s(c);
  const MemoryUse use = s.use();
  const Transformer& model = s.scenario.transformer;
  const double shard = total_parameters(model) / 8;
  const double root = embedding_parameters(model) + head_parameters(model);
  CHECK((use.weights + use.optimizer).in(byte) == Approx(12 * shard));
  // 16 bit: present layer, one ahead, one that is copied out; embedding and head throughout
  CHECK(use.gathered.in(byte) == Approx(2 * (3 * layer_parameters(model) + root)));
  // at the loss no gradients exist but the shards that are being filled
  REQUIRE(use.logits > Bytes{});
  CHECK(use.gradients.in(byte) == Approx(4 * shard));
  s.scenario.stack.regather_for_backward = false;
  CHECK(s.use().gathered.in(byte) == Approx(2 * total_parameters(model)));
}

TEST_CASE("more sharding never needs more", "[models][memory]") {
  const auto total = [](Sharding sharding, int data) {
    return gigabytes(Stored(llama(sharding, data)).worst().total());
  };
  CHECK(total(Sharding::zero1, 8) <= total(Sharding::none, 8));
  CHECK(total(Sharding::zero2, 8) <= total(Sharding::zero1, 8));
  for (const Sharding sharding : {Sharding::zero1, Sharding::zero2, Sharding::zero3, Sharding::fsdp})
    for (int data = 8; data < 256; data *= 2) CHECK(total(sharding, 2 * data) <= total(sharding, data));
  Stored mirrored(llama(Sharding::hsdp, 64));
  mirrored.plan.shard_group = 8;
  CHECK(mirrored.use().optimizer == Stored(llama(Sharding::fsdp, 8)).use().optimizer);
}

TEST_CASE("sharded gradients are whole over micro-batches only where a stack defers their reduction",
          "[models][memory]") {
  SmallCase c;
  c.data = 8;
  c.micro_batches = 4;
  c.sharding = Sharding::fsdp;
  Stored s(c);
  const double whole = local_parameters(s.of_stage_layout(), 0).total() * s.scenario.stack.gradient_size.value;
  CHECK(gradient_memory(s.of_stage_layout(), 0).in(byte) == Approx(whole / 8));
  s.scenario.stack.reduce_every_micro_batch = false;
  CHECK(gradient_memory(s.of_stage_layout(), 0).in(byte) == Approx(whole));
  s.plan.micro_batches = 1;
  CHECK(gradient_memory(s.of_stage_layout(), 0).in(byte) == Approx(whole / 8));  // nothing to add up
}

TEST_CASE("moments of 16 bit take 8 bytes of states instead of 12", "[models][memory]") {
  SmallCase c;
  c.data = 8;
  Stored s(c);
  const double usual = optimizer_memory(s.of_stage_layout(), 0).in(byte);
  s.scenario.stack.memory.moment_size.value = 2;
  CHECK(optimizer_memory(s.of_stage_layout(), 0).in(byte) == Approx(usual * 8 / 12));
}

TEST_CASE("an 8-bit run may keep inputs of the activation function in 8 bits and attention's result once",
          "[models][memory]") {
  SmallCase c;
  c.data = 8;
  c.precision = Precision::fp8_block;
  Stored s(c);
  s.scenario.stack.memory.narrow_copies = true;
  const double usual = s.layer(), tokens = c.sequence;
  s.scenario.stack.memory.narrow_activation_inputs = true;
  const double up = 2 * 4 * c.hidden;  // gated
  CHECK(usual - s.layer() == Approx(tokens * up));
  s.scenario.stack.memory.attended_size = Sourced<double>{1.5, "a test"};
  CHECK(usual - s.layer() == Approx(tokens * (up + 1.5 * c.hidden)));  // 2 + 1 bytes become 1.5
  const double weights = weight_memory(s.of_stage_layout(), 0).in(byte);
  s.scenario.stack.memory.wide_weights = false;
  const double layers = stage_layers_share(s.of_stage_layout(), 0).total();
  CHECK(weights - weight_memory(s.of_stage_layout(), 0).in(byte) == Approx(2 * layers));
}

TEST_CASE("under a pipeline sharded weights and gradients are whole", "[models][memory]") {
  SmallCase c = llama(Sharding::fsdp, 4);
  c.pipeline = 2;
  c.micro_batches = 8;
  Stored s(c);
  const double local = local_parameters(s.of_stage_layout(), 0).total();
  CHECK(s.use().gathered.in(byte) == Approx(2 * local));
  CHECK(s.use().gradients.in(byte) == Approx(4 * local));
}

TEST_CASE("frozen weights have no gradients and no states", "[models][memory]") {
  Stored s(llama(Sharding::zero1));
  const double whole = local_parameters(s.of_stage_layout(), 0).total();
  s.scenario.job.lora_rank = 16;
  const double adapters = 16 * adapter_parameters(s.scenario.transformer, 16);
  CHECK(s.use().weights.in(byte) == Approx(2 * (whole + adapters)));
  CHECK(s.use().gradients.in(byte) == Approx(4 * adapters));
  CHECK(s.use().optimizer.in(byte) == Approx(12 * adapters / 8));
}

TEST_CASE("one accelerator streams offloaded weights from its host", "[models][memory]") {
  SmallCase c = llama(Sharding::fsdp, 1);
  c.per_node = 1;
  c.offload.weights = MemoryLevel::host;
  Stored s(c);
  const MemoryUse use = s.use();
  CHECK(use.weights == Bytes{});
  CHECK(use.optimizer == Bytes{});  // it runs where the master weights are
  // present layer, one ahead, one that is copied out; embedding and head
  const Transformer& model = s.scenario.transformer;
  const double root = embedding_parameters(model) + head_parameters(model);
  CHECK(use.gathered.in(byte) == Approx(2 * (3 * layer_parameters(model) + root)));
  const auto time = [](const SmallCase& one) { return predict_step(small_scenario(one)).step_time; };
  const Seconds offloaded = time(c);
  c.offload.weights = MemoryLevel::device;
  CHECK(offloaded > time(c));
}

TEST_CASE("what is offloaded leaves the device", "[models][memory]") {
  Stored s(llama(Sharding::fsdp));
  const MemoryUse all = s.use();
  s.scenario.job.offload.activations = MemoryLevel::host;
  CHECK(s.use().activations.in(byte) == Approx(all.activations.in(byte)*2 / 16));  // two of 16 layers
  s.scenario.job.offload.optimizer = MemoryLevel::host;
  CHECK(s.use().optimizer == Bytes{});
  CHECK(s.use().weights.in(byte) == Approx(all.weights.in(byte) / 2));  // master weights go, 16-bit ones stay
  s.scenario.job.offload.weights = MemoryLevel::host;
  CHECK(s.use().weights == Bytes{});
}

TEST_CASE("8-bit runs keep narrow inputs and more copies of weights", "[models][memory]") {
  SmallCase c = gpt();
  c.stack = "megatron-2024";
  Stored wide(c);
  wide.scenario.stack.memory.narrow_copies = true;
  Stored narrow = wide;
  narrow.scenario.job.precision = Precision::fp8;
  CHECK(narrow.layer() < wide.layer());
  CHECK(narrow.use().weights > wide.use().weights);
  narrow.scenario.stack.memory.narrow_copies = false;
  CHECK(narrow.layer() == Approx(wide.layer()));
}

TEST_CASE("the loss and a layer's backward pass do not add up", "[models][memory]") {
  SmallCase c = llama(Sharding::zero1);
  c.vocabulary = 256;
  c.recompute = Recompute::full;
  const MemoryUse small = Stored(c).use();
  CHECK(small.logits == Bytes{});
  CHECK(small.working > Bytes{});
  c.vocabulary = 1 << 18;
  const MemoryUse large = Stored(c).use();
  CHECK(large.working == Bytes{});
  // 2^18 logits of 14 bytes; input and output of the last norm
  CHECK(large.logits.in(byte) ==
        Approx(1024.0 * (262144 * Stored(c).scenario.stack.memory.loss_size.value + 4 * 1024)));
}

TEST_CASE("the last stage of some pipelines keeps the logits of all micro-batches", "[models][memory]") {
  SmallCase c = gpt();
  c.tensor = 2;
  c.pipeline = 4;
  c.micro_batches = 8;
  Stored s(c);
  const auto activations = [&](int stage) { return s.use(stage).activations.in(byte); };
  const double first = activations(0), last = activations(3);
  s.scenario.stack.memory.keeps_logits = true;
  CHECK(activations(0) == first);
  // Seven micro-batches before the present one, 2 bytes per logit, halved by the tensor group.
  const Transformer& model = s.scenario.transformer;
  const double tokens = s.scenario.job.sequence * s.plan.micro_batch;
  CHECK(activations(3) - last == Approx(7 * tokens * static_cast<double>(model.vocabulary)));
}

TEST_CASE("each way to be parallel has a communicator", "[models][memory]") {
  Stored s(llama(Sharding::fsdp, 8));
  const Bytes one = s.scenario.stack.memory.communicator.value;
  CHECK(communicator_memory(s.of_stage_layout()) == one);
  s.plan.tensor = 2;
  s.plan.pipeline = 2;
  s.plan.context = 2;
  CHECK(communicator_memory(s.of_stage_layout()) == 4 * one);
  CHECK(outside_allocator(s.of_stage_layout()) == 4 * one + s.scenario.stack.reserved_memory.value);
}

TEST_CASE("a ring of context ranks needs chunks, a gather the whole sequence", "[models][memory]") {
  Stored s(llama(Sharding::fsdp, 8));
  s.plan.context = 4;
  s.plan.context_exchange = ContextExchange::ring;
  // four pairs of 16-bit keys and values of 1024/4 tokens
  CHECK(layer_buffers(s.of_stage_layout()).in(byte) == Approx(4 * 2 * 1024.0 * 2 * 256));
  s.plan.context_exchange = ContextExchange::all_gather;
  // keys and values of all 1024 tokens, and their gradients
  CHECK(layer_buffers(s.of_stage_layout()).in(byte) == Approx(2 * 2 * 1024.0 * 2 * 1024));
}

TEST_CASE("a verdict can name gathered weights and a layer's working set", "[models][memory]") {
  MemoryUse use;
  use.gathered = 50 * gigabyte;
  use.weights = 20 * gigabyte;
  CHECK(judge_memory(use, 60 * gigabyte, 1, 0).sentence ==
        "does not fit: each rank needs 70.0 of 60.0 GB, most of it gathered weights (50.0 GB)");
  use.working = 55 * gigabyte;
  CHECK(judge_memory(use, 60 * gigabyte, 1, 0).sentence ==
        "does not fit: each rank needs 125.0 of 60.0 GB, most of it the working set of a layer (55.0 GB)");
}
