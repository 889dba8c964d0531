/// What is to be computed, as users write it. "auto" fields are decided by `resolve_plan`.
#pragma once

#include <optional>
#include <string>

#include "sim/sourced.hpp"
#include "topology/number_format.hpp"

namespace clusterwright {

enum class Task { pretrain };
enum class Sharding { none, zero1, zero2 };  ///< what data-parallel ranks share out: nothing, optimizer, + gradients
enum class Recompute { none, selective, full };
enum class Precision { bf16, fp16, fp8 };

/// Degrees of parallelism. accelerators = tensor x pipeline x context x data.
struct ParallelSpec {
  std::optional<int> tensor = 1;
  std::optional<int> pipeline = 1;
  std::optional<int> virtual_pipeline;  ///< auto: the largest that divides
  std::optional<int> context = 1;
  std::optional<int> expert = 1;
  std::optional<int> data;  ///< auto: what is left
  bool sequence = true;     ///< sequence parallelism inside the tensor group
};
const Record<ParallelSpec>& record(const ParallelSpec*);

struct Job {
  Task task = Task::pretrain;
  int sequence = 0;                ///< tokens of one sequence
  int global_batch = 0;            ///< sequences per step
  std::optional<int> micro_batch;  ///< sequences per micro-batch and replica; auto: 1
  Precision precision = Precision::bf16;
  ParallelSpec parallel;
  Sharding sharding = Sharding::zero1;
  std::optional<Recompute> recompute = Recompute::none;  ///< auto: the least that fits
  std::string stack = "megatron-2024";                   ///< name of a file in configs/stacks, or a path
};
const Record<Job>& record(const Job*);

}  // namespace clusterwright
