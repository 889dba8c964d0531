// SPDX-License-Identifier: Apache-2.0
/// What is to be computed, as users write it. "auto" fields are decided by `resolve_plan`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/enum_names.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/cluster/storage_spec.hpp"
#include "topology/parts/number_format.hpp"

namespace clusterwright {

/// The file system of the cluster, or the drives of each node.
enum class Store { file_system, local };

/// Training stops for the whole write, or only while states are copied to host memory.
enum class CheckpointMode { synchronous, asynchronous };

/// Weights and optimizer states, written once in so many steps.
struct CheckpointSpec {
  int every_steps = 0;
  CheckpointMode mode = CheckpointMode::synchronous;
  Store to = Store::file_system;
};
const Record<CheckpointSpec>& record(const CheckpointSpec*);

/// What is read and prepared for a step. One reader per data-parallel rank (and context rank) feeds its tensor group;
/// the last stage of a pipeline reads the same tokens once more, as labels.
struct InputSpec {
  std::optional<double> bytes_per_token;   ///< in the store
  std::optional<double> bytes_per_sample;  ///< instead of that
  Store from = Store::file_system;
  std::optional<double> tokens_per_core;        ///< per second; absent: nothing is prepared
  std::optional<double> cores_per_accelerator;  ///< that prepare data; the node's cores over its accelerators if absent
  std::optional<int> workers;                   ///< of one reader, one core each; as many as cores if absent
  int prefetch = 2;     ///< micro-batches that one reader holds ready or prepares ahead of their use
  StorageSpec storage;  ///< in place of the cluster's, where it says something
  std::optional<CheckpointSpec> checkpoint;
};
const Record<InputSpec>& record(const InputSpec*);

enum class Task { pretrain, sft, lora };
/// What data-parallel ranks share out: nothing, optimizer states, + gradients, + weights. fsdp is zero3 by the name
/// that PyTorch gives it; hsdp shares within groups of `shard_group` ranks and replicates over the groups.
enum class Sharding { none, zero1, zero2, zero3, fsdp, hsdp };
enum class Recompute { none, selective, full };
/// Format of the matrix multiplies. fp8: one scale per tensor; fp8_block: per 128 x 128 weights and 128 activations.
/// fp32: everything in 32 bit. No file can ask for it, since memory is not modelled for it.
enum class Precision { bf16, fp16, fp8, fp8_rowwise, fp8_block, mxfp8, nvfp4, int8, fp32 };
/// How context-parallel ranks bring queries and keys together.
enum class ContextExchange { ring, all_gather, all_to_all };

/// In which order pipeline stages work: one forward, one backward (interleaved where stages hold several chunks); the
/// same with weight gradients put off into the bubble (ZB-H1); or from both ends at once over two copies of the
/// weights.
enum class PipelineSchedule { one_forward_one_backward, zero_bubble, dualpipe };

constexpr bool shards_gradients(Sharding sharding) {
  return sharding >= Sharding::zero2;
}
constexpr bool shards_weights(Sharding sharding) {
  return sharding >= Sharding::zero3;
}

/// Degrees of parallelism. accelerators = tensor x pipeline x context x data. Experts are split over ranks of all but
/// the pipeline: expert x expert_tensor divides tensor x context x data.
struct ParallelSpec {
  std::optional<int> tensor = 1;
  std::optional<int> pipeline = 1;
  std::optional<int> virtual_pipeline;  ///< auto: the largest that divides
  std::optional<int> context = 1;
  std::optional<ContextExchange> context_exchange;  ///< auto: the stack's
  std::optional<int> expert = 1;     ///< ranks that share the experts out; auto: all of a scale-up domain
  std::optional<int> expert_tensor;  ///< ranks that split each expert; auto: tensor, if they fit
  std::optional<int> data;           ///< auto: what is left
  bool sequence = true;              ///< sequence parallelism inside the tensor group
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  std::vector<int> stage_layers;  ///< of each chunk along the model; empty: as evenly as they go
};
const Record<ParallelSpec>& record(const ParallelSpec*);

/// Where something is kept: with the accelerator, in the memory of its host, in the cluster's pool, on its node's
/// drives.
enum class MemoryLevel { device, host, pool, nvme };

/// What is kept elsewhere and travels in every step.
struct Offload {
  MemoryLevel weights = MemoryLevel::device;
  MemoryLevel optimizer =
      MemoryLevel::device;  ///< states; they are updated on the host, but those in a pool by the accelerator
  MemoryLevel activations = MemoryLevel::device;  ///< of a layer, from its forward to its backward pass
  bool uses(MemoryLevel tier) const { return weights == tier || optimizer == tier || activations == tier; }
  bool any() const { return uses(MemoryLevel::host) || uses(MemoryLevel::pool) || uses(MemoryLevel::nvme); }
};
const Record<Offload>& record(const Offload*);

/// How evenly tokens spread over the experts.
struct ExpertRouting {
  /// Coefficient of variation of the experts' popularity. Auto: an estimate of what balancing losses leave.
  std::optional<double> imbalance;
  /// Rows that an expert takes over the mean; tokens beyond are dropped, places below are padded. Absent: none is.
  std::optional<double> capacity_factor;
};
const Record<ExpertRouting>& record(const ExpertRouting*);

struct Job {
  Task task = Task::pretrain;
  int sequence = 0;                ///< tokens of one sequence
  int global_batch = 0;            ///< sequences per step
  std::optional<int> micro_batch;  ///< sequences per micro-batch and replica; auto: 1
  Precision precision = Precision::bf16;
  ParallelSpec parallel;
  ExpertRouting routing;
  Sharding sharding = Sharding::zero1;
  std::optional<int> shard_group;  ///< ranks that share one copy of the weights (hsdp); auto: the ranks of a node
  Offload offload;
  std::optional<InputSpec> input;  ///< absent: data is always there
  int lora_rank = 0;               ///< of the adapters; > 0 only for task lora
  double sample_tokens = 0;        ///< mean length of samples packed into a sequence; 0: one sample fills it
  std::string release;             ///< "2024-06": software date, where it is not the stack's own
  std::optional<Recompute> recompute = Recompute::none;  ///< auto: the least that fits
  std::string stack = "megatron-2024";                   ///< name of a file in configs/stacks, or a path
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
struct EnumNames<PipelineSchedule> {
  static constexpr std::array<std::string_view, 3> names = {"1f1b", "zero_bubble", "dualpipe"};
};

}  // namespace clusterwright
