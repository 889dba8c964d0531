// SPDX-License-Identifier: Apache-2.0
/// Scenarios that are built in memory: a few thin layers on a few nodes, priced with real parts and fitted parameters.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/job/job_blocks.hpp"
#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/resolve_plan.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright::testing {

/// What tests vary; accelerators are tensor x pipeline x data, which must fill whole nodes.
struct SmallCase {
  bool hopper = true;  ///< H100, otherwise A100
  int per_node = 8;
  std::optional<int> scale_up_domain;  ///< the accelerator's, at most a node, if absent
  std::vector<TierSpec> tiers = {{"leaf", 64, 1, ""}, {"spine", 4096, 1, ""}};
  double nic_gbit_per_s = 400;
  std::vector<SlowAcceleratorSpec> slow;  ///< stragglers

  int tensor = 1;
  int pipeline = 1;
  int virtual_pipeline = 1;
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  std::vector<int> stage_layers;
  int context = 1;
  ContextExchange context_exchange = ContextExchange::ring;
  int data = 1;
  int expert = 1;
  std::optional<int> expert_tensor;
  int micro_batch = 1;
  int micro_batches = 1;  ///< per replica
  bool sequence_parallel = true;
  RankOrder rank_order = RankOrder::tensor_context_data_pipeline;
  Sharding sharding = Sharding::zero1;
  int shard_group = 1;  ///< of hsdp
  Offload offload;
  int lora_rank = 0;
  double sample_tokens = 0;
  Recompute recompute = Recompute::none;
  Precision precision = Precision::bf16;
  std::string stack = "megatron-2024";

  int layers = 4;
  int hidden = 512;
  int heads = 16;
  int sequence = 512;
  int vocabulary = 2048;
  bool gated_mlp = true;
  bool tied_embeddings = false;
  bool parallel_block = false;
  int predicted_tokens = 0;
  std::optional<ExpertMixture> experts;
  std::optional<LatentAttention> latent;
  ExpertRouting routing;

  int accelerators() const { return tensor * pipeline * context * data; }
};

/// Two stages of 32 ranks, each below leaves of its own, over links of 20 Gbit/s: messages wait for the network.
inline SmallCase two_stages_over_leaves(double taper = 1) {
  SmallCase c;
  c.tensor = 8;
  c.pipeline = 2;
  c.data = 4;
  c.micro_batches = 4;
  c.hidden = 4096;
  c.sequence = 2048;
  c.nic_gbit_per_s = 20;
  c.tiers = {{"leaf", 32, taper, ""}, {"spine", 64, 1, ""}};
  return c;
}

inline const Catalog& parts() {
  static const Catalog catalog = load_catalog(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "parts");
  return catalog;
}

inline ParameterSet fitted_parameters(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "parameters";
  return decode_record<ParameterSet>(read_json_file(folder / (name + ".json")));
}

inline SoftwareStack software_stack(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "stacks";
  return decode_record<SoftwareStack>(read_json_file(folder / (name + ".json")));
}

inline StepCalibration step_calibration() {
  const std::filesystem::path folder = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "steps";
  return decode_record<StepCalibration>(read_json_file(folder / "published.json"));
}

inline Transformer small_transformer(const SmallCase& c) {
  Transformer t;
  t.name = "small";
  t.layers = c.layers;
  t.hidden = c.hidden;
  t.heads = c.heads;
  t.ffn = 4 * c.hidden;
  t.gated_mlp = c.gated_mlp;
  t.biases = !c.gated_mlp;
  t.vocabulary = c.vocabulary;
  t.tied_embeddings = c.tied_embeddings;
  t.max_sequence = c.sequence;
  t.parallel_block = c.parallel_block;
  t.predicted_tokens = c.predicted_tokens;
  t.experts = c.experts;
  t.latent = c.latent;
  return t;
}

inline Job small_job(const SmallCase& c) {
  Job job;
  job.sequence = c.sequence;
  job.global_batch = c.micro_batch * c.micro_batches * c.data;
  job.micro_batch = c.micro_batch;
  job.precision = c.precision;
  job.parallel.tensor = c.tensor;
  job.parallel.pipeline = c.pipeline;
  job.parallel.virtual_pipeline = c.virtual_pipeline;
  job.parallel.schedule = c.schedule;
  job.parallel.stage_layers = c.stage_layers;
  job.parallel.sequence = c.sequence_parallel;
  job.parallel.context = c.context;
  job.parallel.expert = c.expert;
  job.parallel.expert_tensor = c.expert_tensor;
  job.routing = c.routing;
  job.parallel.context_exchange = c.context_exchange;
  job.sharding = c.sharding;
  if (c.sharding == Sharding::hsdp) job.shard_group = c.shard_group;
  job.offload = c.offload;
  job.lora_rank = c.lora_rank;
  if (c.lora_rank > 0) job.task = Task::lora;
  job.sample_tokens = c.sample_tokens;
  job.recompute = c.recompute;
  return job;
}

inline ClusterSpec small_cluster(const SmallCase& c) {
  ClusterSpec spec;
  spec.name = "small";
  spec.accelerators = c.accelerators();
  spec.node.accelerator = c.hopper ? "H100-SXM" : "A100-80-SXM";
  spec.node.accelerators = c.per_node;
  spec.node.scale_up_domain = c.scale_up_domain;
  spec.node.nics = c.per_node;
  spec.node.nic_rate = c.nic_gbit_per_s * gigabit_per_second;
  spec.node.host_power.value = 300.0 * c.per_node * watt;
  spec.fabric.tiers = c.tiers;
  spec.slow = c.slow;
  spec.fabric.hop_latency.value = 0.5 * microsecond;
  return spec;
}

inline Scenario small_scenario(const SmallCase& c) {
  static const ParameterSet h100 = fitted_parameters("h100-sxm");
  static const ParameterSet a100 = fitted_parameters("a100-80-sxm");
  Scenario scenario;
  scenario.source = JsonValue::object();
  scenario.transformer = small_transformer(c);
  scenario.job = small_job(c);
  scenario.cluster = build_cluster(small_cluster(c), parts(), scenario.source, "",
                                   block_request(scenario.transformer, scenario.job, c.accelerators()));
  scenario.stack = software_stack(c.stack);
  scenario.steps = step_calibration();
  scenario.steps.replica_spread.value = 0;  // replays themselves are tested: replica_jitter_test.cpp adds jitter
  scenario.stack.rank_order = c.rank_order;
  scenario.parameters = c.hopper ? h100 : a100;
  return scenario;
}

inline Plan plan_of(const Scenario& s) {
  return resolve_plan(s).plan;
}

}  // namespace clusterwright::testing
