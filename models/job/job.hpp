// SPDX-License-Identifier: Apache-2.0
/// Job as users write it: work, parallel layout, memory and input. `resolve_plan` decides "auto" fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/calendar_date.hpp"
#include "sim/enum_array.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/cluster/placement_spec.hpp"
#include "topology/cluster/storage_spec.hpp"
#include "topology/parts/number_format.hpp"

namespace clusterwright {

/// Store of data: the file system of the cluster, or the drives of each node.
enum class Store { file_system, local };

/// Pause of training for a checkpoint: the whole write, or only the copy of states to host memory.
enum class CheckpointMode { synchronous, asynchronous };

/// Weights and optimizer states, written every `every_steps` steps.
struct CheckpointSpec {
  int every_steps = 0;
  CheckpointMode mode = CheckpointMode::synchronous;
  Store to = Store::file_system;
  bool operator==(const CheckpointSpec&) const = default;
};
const Record<CheckpointSpec>& record(const CheckpointSpec*);

/// Data that a step reads and prepares. One reader per data-parallel rank (and context rank) feeds its tensor group.
/// The last stage of a pipeline reads the same tokens once more, as labels.
struct InputSpec {
  std::optional<double> bytes_per_token;   ///< size of one token in the store
  std::optional<double> bytes_per_sample;  ///< size of one sample, instead of bytes_per_token
  Store from = Store::file_system;
  std::optional<double> tokens_per_core;  ///< tokens that one core prepares per second; absent: nothing is prepared
  std::optional<double> cores_per_accelerator;  ///< cores that prepare data; absent: the node's over its accelerators
  std::optional<int> workers;                   ///< workers of one reader, one core each; absent: one per core
  int prefetch = 2;     ///< micro-batches that one reader holds ready or prepares ahead of their use
  StorageSpec storage;  ///< fields that replace those of the cluster's storage
  std::optional<CheckpointSpec> checkpoint;
  bool operator==(const InputSpec&) const = default;
};
const Record<InputSpec>& record(const InputSpec*);

enum class Task { pretrain, sft, lora };
/// Tensors that are sharded over data-parallel ranks: none, optimizer states, + gradients, + weights. fsdp is PyTorch's
/// name for zero3. hsdp shards within groups of `shard_group` ranks and replicates over the groups.
enum class Sharding { none, zero1, zero2, zero3, fsdp, hsdp };
enum class Recompute { none, selective, full };
/// Format of the GEMMs. fp8: one scale per tensor. fp8_block: one per 128 x 128 weights and per 128 activations. fp32:
/// everything in 32 bit; no file can select it, since memory is not modelled for it.
enum class Precision { bf16, fp16, fp8, fp8_rowwise, fp8_block, mxfp8, nvfp4, int8, fp32 };
/// Exchange that brings queries and keys of context-parallel ranks together.
enum class ContextExchange { ring, all_gather, all_to_all };

/// Order of work of pipeline stages: one forward, one backward (interleaved if stages hold several chunks); the same
/// with weight gradients deferred into the bubble (ZB-H1); or from both ends at once over two copies of the weights.
enum class PipelineSchedule { one_forward_one_backward, zero_bubble, dualpipe };

/// Order of the parallel dimensions among neighbouring ranks, innermost first.
enum class RankOrder { tensor_context_data_pipeline, tensor_context_pipeline_data };

/// Parallelism that crosses the lines between sites: replicas of the batch, so that each site holds whole ones;
/// pipeline stages, so that each site holds all replicas of some; or none, since the job must stay on one site.
enum class AcrossSites { data, pipeline, none };
/// Way of gradients between replicas on several sites: one ring through all of them; or inside each site, then between
/// the ranks that hold the same part on other sites.
enum class SiteReduction { flat, hierarchical };

constexpr bool shards_gradients(Sharding sharding) {
  return sharding >= Sharding::zero2;
}
constexpr bool shards_weights(Sharding sharding) {
  return sharding >= Sharding::zero3;
}

/// Degrees of parallelism. accelerators = tensor x pipeline x context x data. Experts are split over all ranks of a
/// pipeline stage: expert x expert_tensor divides tensor x context x data.
struct ParallelSpec {
  std::optional<int> tensor = 1;
  std::optional<int> pipeline = 1;
  std::optional<int> virtual_pipeline;  ///< chunks per stage; auto: the largest number that divides
  std::optional<int> context = 1;
  std::optional<ContextExchange> context_exchange;  ///< auto: that of the stack
  std::optional<int> expert;         ///< ranks that the experts are divided among; auto: all of a scale-up domain
  std::optional<int> expert_tensor;  ///< ranks that split each expert; auto: tensor, if they fit
  std::optional<int> data;           ///< auto: accelerators over the other degrees
  bool sequence = true;              ///< sequence parallelism inside the tensor group
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  std::vector<int> stage_layers;            ///< layers of each chunk along the model; empty: as even as possible
  std::vector<Watts> stage_power_limits;    ///< of each accelerator, by stage; empty: those of the nodes alone
  std::optional<RankOrder> order;           ///< auto: what across_sites asks for, a search finds, or the stack has
  std::optional<AcrossSites> across_sites;  ///< auto: whatever the order of ranks makes of it
  bool operator==(const ParallelSpec&) const = default;
};
const Record<ParallelSpec>& record(const ParallelSpec*);

/// Level of memory: the accelerator's, that of its host, the cluster's pool, or the drives of the node.
enum class MemoryLevel { device, host, pool, nvme };

/// Levels that hold tensors of a rank; those beyond the device travel in every step.
struct Offload {
  MemoryLevel weights = MemoryLevel::device;
  MemoryLevel optimizer = MemoryLevel::device;    ///< states; updated on the host, those in a pool by the accelerator
  MemoryLevel activations = MemoryLevel::device;  ///< kept from the forward to the backward pass
  bool uses(MemoryLevel tier) const { return weights == tier || optimizer == tier || activations == tier; }
  /// Whether anything is copied to the host, or through it to its drives.
  bool uses_host() const { return uses(MemoryLevel::host) || uses(MemoryLevel::nvme); }
  bool any() const { return uses(MemoryLevel::host) || uses(MemoryLevel::pool) || uses(MemoryLevel::nvme); }
  bool operator==(const Offload&) const = default;
};
const Record<Offload>& record(const Offload*);

/// Spread of tokens over the experts.
struct ExpertRouting {
  /// Coefficient of variation of the experts' popularity. Auto: that of the stack.
  std::optional<double> imbalance;
  /// Rows of every expert over the mean: tokens beyond are dropped, places below are padded. Absent: neither.
  std::optional<double> capacity_factor;
  bool operator==(const ExpertRouting&) const = default;
};
const Record<ExpertRouting>& record(const ExpertRouting*);

struct Job {
  Task task = Task::pretrain;
  int sequence = 0;      ///< tokens of one sequence
  int global_batch = 0;  ///< sequences per step
  /// Tokens of a step beyond which the training gains little (critical batch); none: not known.
  std::optional<std::int64_t> max_global_batch_tokens;
  std::optional<int> micro_batch;  ///< sequences per micro-batch and replica; auto: 1
  Precision precision = Precision::bf16;
  ParallelSpec parallel;
  /// Accelerators that the job uses of each scale-up domain, such as 64 of 72; auto: the most that its groups fill.
  std::optional<int> accelerators_per_domain;
  std::optional<PlacementSpec> placement;  ///< nodes of the machine; absent: the first ones of the job's own
  ExpertRouting routing;
  std::optional<Sharding> sharding = Sharding::zero1;  ///< auto: usual_sharding(), or as decide_plan() finds
  std::optional<int> shard_group;  ///< ranks that share one copy of the weights (hsdp); auto: the ranks of a node
  std::optional<SiteReduction> site_reduction;  ///< auto: that of the stack
  int local_steps = 1;  ///< steps from one synchronisation of groups that train apart to the next; 1: none train apart
  std::optional<int> local_groups;  ///< auto: the sites, if each holds whole replicas; else all replicas
  Offload offload;
  std::optional<InputSpec> input;      ///< absent: steps never wait for data
  int lora_rank = 0;                   ///< rank of the adapters; > 0 only for task lora
  double sample_tokens = 0;            ///< mean length of samples packed into a sequence; 0: one sample fills it
  CalendarDate release;                ///< date of the software; not known: that of the stack
  std::optional<std::int64_t> tokens;  ///< tokens of the whole training run; none: one step is predicted, no run
  std::optional<std::int64_t> steps;   ///< steps of the whole training run, instead of tokens
  std::optional<Recompute> recompute = Recompute::none;  ///< auto: the least that fits
  /// First layers of each stage that full recomputation repeats; auto: all.
  std::optional<int> recomputed_layers;
  std::optional<std::string> attention;  ///< attention kernels, an entry of the parameter file; auto: the stack's
  /// 32-bit master weights, moments and sums of gradients; false: all of them in 16 bits, and no master weights.
  bool master_weights = true;
  std::string stack = "megatron-2024";  ///< name of a file in configs/stacks, or a path
  bool operator==(const Job&) const = default;
};
const Record<Job>& record(const Job*);

template <>
struct EnumNames<Task> {
  static constexpr std::array<std::string_view, 3> names = {"pretrain", "sft", "lora"};
};
template <>
struct EnumNames<Sharding> {
  static constexpr std::array<std::string_view, 6> names = {"none", "zero1", "zero2", "zero3", "fsdp", "hsdp"};
};
template <>
struct EnumNames<Recompute> {
  static constexpr std::array<std::string_view, 3> names = {"none", "selective", "full"};
};
template <>
struct EnumNames<Precision> {
  static constexpr std::array<std::string_view, 8> names = {"bf16",      "fp16",  "fp8",   "fp8-rowwise",
                                                            "fp8-block", "mxfp8", "nvfp4", "int8"};
};
template <>
struct EnumNames<MemoryLevel> {
  static constexpr std::array<std::string_view, 4> names = {"device", "host", "pool", "nvme"};
};
template <>
struct EnumNames<ContextExchange> {
  static constexpr std::array<std::string_view, 3> names = {"ring", "all-gather", "all-to-all"};
};
template <>
struct EnumNames<RankOrder> {
  static constexpr std::array<std::string_view, 2> names = {"tensor-context-data-pipeline",
                                                            "tensor-context-pipeline-data"};
};
template <>
struct EnumNames<AcrossSites> {
  static constexpr std::array<std::string_view, 3> names = {"data", "pipeline", "none"};
};
template <>
struct EnumNames<SiteReduction> {
  static constexpr std::array<std::string_view, 2> names = {"flat", "hierarchical"};
};
template <>
struct EnumNames<PipelineSchedule> {
  static constexpr std::array<std::string_view, 3> names = {"1f1b", "zero_bubble", "dualpipe"};
};

}  // namespace clusterwright
