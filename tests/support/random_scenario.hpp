// SPDX-License-Identifier: Apache-2.0
/// Random training steps of small models on small clusters, with whatever a plan can ask for.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "models/job/job_software.hpp"
#include "models/plan/plan.hpp"
#include "support/small_scenario.hpp"

namespace clusterwright::testing {

inline constexpr int most_accelerators = 64;

/// One to three tiers whose groups may be a prime number of nodes, so that replicas straddle them.
inline std::vector<TierSpec> random_tiers(int per_node, int accelerators) {
  std::vector<TierSpec> tiers;
  int below = per_node;
  for (int tier = *rc::gen::inRange(0, 3); tier > 0; --tier) {
    below *= *rc::gen::element(1, 2, 3);
    tiers.push_back({"tier", below, *rc::gen::element(1.0, 1.0, 3.0, 8.0, 64.0), ""});
  }
  tiers.push_back({"all", below * accelerators, 1, ""});
  return tiers;
}

inline void draw_layout(SmallCase& c) {
  c.per_node = *rc::gen::element(2, 4, 8);
  c.tensor = *rc::gen::element(1, 2, 2, 4, 8, 16);
  c.pipeline = *rc::gen::inRange(1, std::min(4, most_accelerators / c.tensor) + 1);
  const int replica = c.tensor * c.pipeline;
  const int whole_nodes = c.per_node / std::gcd(c.per_node, replica);
  const int most = most_accelerators / (replica * whole_nodes);
  c.data = whole_nodes * *rc::gen::inRange(1, most + 1);
  c.rank_order = *rc::gen::element(RankOrder::tensor_context_data_pipeline, RankOrder::tensor_context_pipeline_data);
  c.tiers = random_tiers(c.per_node, c.accelerators());
  c.nic_gbit_per_s = *rc::gen::element(2.0, 10.0, 50.0, 400.0);
}

/// Sequences split over context ranks, weights over replicas, states in host memory, adapters.
inline void draw_sharding(SmallCase& c) {
  c.sharding = *rc::gen::element(Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3, Sharding::fsdp,
                                 Sharding::hsdp);
  if (c.data % 2 == 0 && *rc::gen::inRange(0, 3) == 0) {
    c.context = 2;
    c.data /= 2;
    c.context_exchange =
        *rc::gen::element(ContextExchange::ring, ContextExchange::all_gather, ContextExchange::all_to_all);
    if (c.tensor == 16) c.context_exchange = ContextExchange::ring;  // 16 heads
  }
  const int ranks = c.context * c.data;
  c.shard_group = ranks % 2 == 0 ? *rc::gen::element(1, 2, ranks) : ranks;
  const auto maybe_host = [](bool possible) {
    return possible && *rc::gen::inRange(0, 6) == 0 ? MemoryLevel::host : MemoryLevel::device;
  };
  c.offload.optimizer = maybe_host(true);
  c.offload.activations = maybe_host(true);
  c.offload.weights = maybe_host(shards_weights(c.sharding) && c.pipeline == 1);
  if (*rc::gen::inRange(0, 5) == 0) c.lora_rank = 8;
}

/// 1F1B, interleaved or not, in most cases.
inline void draw_schedule(SmallCase& c) {
  c.virtual_pipeline = c.pipeline > 1 ? *rc::gen::inRange(1, 3) : 1;
  c.micro_batches =
      c.virtual_pipeline > 1 ? *rc::gen::inRange(c.pipeline, std::max(9, c.pipeline + 1)) : *rc::gen::inRange(1, 9);
  const int kind = c.pipeline > 1 ? *rc::gen::inRange(0, 4) : 0;
  if (kind < 2) return;
  c.virtual_pipeline = 1;
  c.schedule = PipelineSchedule::zero_bubble;
  if (kind == 2 || c.pipeline % 2 != 0) return;
  c.schedule = PipelineSchedule::dualpipe;
  c.micro_batches = 2 * c.pipeline + 2 * *rc::gen::inRange(0, 3);
}

/// At least one layer for each chunk, the others anywhere.
inline std::vector<int> random_stage_layers(int chunks, int layers) {
  std::vector<int> each(static_cast<std::size_t>(chunks), 1);
  for (int left = layers - chunks; left > 0; --left) ++each[static_cast<std::size_t>(*rc::gen::inRange(0, chunks))];
  return each;
}

inline void draw_job(SmallCase& c) {
  draw_schedule(c);
  c.micro_batch = *rc::gen::element(1, 1, 2);
  c.sequence_parallel = *rc::gen::arbitrary<bool>();
  draw_sharding(c);
  c.recompute = *rc::gen::element(Recompute::none, Recompute::selective, Recompute::full);
  c.stack = *rc::gen::element<std::string>("megatron-2022", "megatron-2024", "llama3-report", "nemo-2024",
                                           "llm-foundry-2023", "torchtitan-2024", "xla-2024", "deepspeed-zero3-2021");
}

/// Experts in one case of three, shared out over whatever ranks of a stage divide them.
inline void draw_experts(SmallCase& c) {
  if (*rc::gen::inRange(0, 3) > 0) return;
  c.experts = ExpertMixture{48, *rc::gen::element(1, 2, 4), 256, *rc::gen::inRange(0, 2), {}, 0, 1, {}, {}};
  c.experts->every = c.layers > 1 ? *rc::gen::inRange(1, 3) : 1;
  c.experts->dense_layers = c.experts->every == 1 ? *rc::gen::inRange(0, c.layers) : 0;
  const bool split = c.tensor > 1 && (!c.sequence_parallel || *rc::gen::arbitrary<bool>());
  c.expert_tensor = split ? c.tensor : 1;
  const int ranks = c.tensor * c.context * c.data / *c.expert_tensor;
  c.expert = *rc::gen::element(1, std::gcd(ranks, 4), std::gcd(ranks, 16));
  c.routing.imbalance = *rc::gen::element(0.0, 0.5);
  if (*rc::gen::inRange(0, 4) == 0) c.routing.capacity_factor = 1.25;
}

/// Other kinds of attention and blocks, in a few cases.
inline void draw_model(SmallCase& c) {
  draw_experts(c);
  if (c.lora_rank == 0 && *rc::gen::inRange(0, 5) == 0) c.latent = LatentAttention{64, 32, 32, 16, 32};
  c.parallel_block = !c.experts && *rc::gen::inRange(0, 5) == 0;
  c.predicted_tokens = *rc::gen::element(0, 0, 0, 1);
}

/// None in most cases.
inline void draw_stragglers(SmallCase& c) {
  std::set<int> slow;
  for (int left = *rc::gen::element(0, 0, 0, 1, 2); left > 0; --left)
    slow.insert(*rc::gen::inRange(0, c.accelerators()));
  for (const int accelerator : slow) c.slow.push_back({accelerator, *rc::gen::element(0.5, 0.9), {}});
}

inline SmallCase random_case() {
  SmallCase c;
  c.hopper = *rc::gen::arbitrary<bool>();
  draw_layout(c);
  draw_job(c);
  c.layers = *rc::gen::inRange(c.pipeline, 7);
  c.virtual_pipeline = std::min(c.virtual_pipeline, (c.layers + 2) / c.pipeline);
  const int chunks = c.pipeline * c.virtual_pipeline;
  if (chunks > 1 && chunks <= c.layers && *rc::gen::inRange(0, 4) == 0)
    c.stage_layers = random_stage_layers(chunks, c.layers);
  c.hidden = *rc::gen::element(256, 1024, 4096);
  c.sequence = *rc::gen::element(256, 1024);
  c.gated_mlp = *rc::gen::arbitrary<bool>();
  c.tied_embeddings = *rc::gen::arbitrary<bool>();
  draw_model(c);
  draw_stragglers(c);
  return c;
}

/// Small models would wait for the host all the time; most cases take it away.
inline Scenario random_scenario(const SmallCase& c) {
  Scenario scenario = small_scenario(c);
  if (*rc::gen::inRange(0, 4) > 0) scenario.stack.kernel_launch.value = scenario.stack.experts.launch.value = {};
  scenario.stack.experts.overlap_exchange = *rc::gen::arbitrary<bool>();
  scenario.stack.experts.overlap_shared = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) scenario.stack.experts.transfer = ExpertTransfer::hierarchical;
  if (*rc::gen::inRange(0, 4) == 0) scenario.stack = without_master_weights(scenario.stack);
  scenario.stack.bucket.value = *rc::gen::element(0.1, 10.0, 1000.0) * megabyte;
  // Some draw more than their rated power and lower their clocks.
  if (*rc::gen::inRange(0, 3) == 0) scenario.parameters.power.tensor_weight.value = 2;
  return scenario;
}
inline Scenario random_scenario() {
  return random_scenario(random_case());
}

inline void describe(const Scenario& s) {
  const Plan plan = plan_of(s);
  std::ostringstream line;
  if (s.transformer.experts)
    line << "experts e" << plan.expert << " x t" << plan.expert_tensor << " top " << s.transformer.experts->per_token
         << " every " << s.transformer.experts->every << " dense " << s.transformer.experts->dense_layers << " pairs "
         << plan.paired << ", ";
  line << (s.transformer.latent ? "latent, " : "") << (s.transformer.parallel_block ? "parallel, " : "")
       << s.transformer.predicted_tokens << " further, ";
  line << s.cluster.node_accelerators << " per node, t" << plan.tensor << " p" << plan.pipeline << " v"
       << plan.virtual_pipeline << " schedule " << static_cast<int>(plan.schedule) << " d" << plan.data << " m"
       << plan.micro_batches << " b" << plan.micro_batch << " context " << plan.context << "/"
       << static_cast<int>(plan.context_exchange) << " lora " << s.job.lora_rank << " stack " << s.stack.name
       << " shard group " << plan.shard_group << " order " << static_cast<int>(plan.rank_order) << " sharding "
       << static_cast<int>(plan.sharding) << " recompute " << static_cast<int>(plan.recompute) << " layers "
       << s.transformer.layers << " hidden " << s.transformer.hidden << " NIC "
       << s.cluster.nic_bandwidth.in(gigabit_per_second) << " tiers";
  for (const TierSpec& tier : s.cluster.spec.fabric.tiers) line << ' ' << tier.accelerators << ':' << tier.taper;
  RC_LOG() << line.str();
}

}  // namespace clusterwright::testing
