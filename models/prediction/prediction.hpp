/// What a simulated step answers.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/prediction/input_use.hpp"
#include "models/job/job.hpp"
#include "models/memory/level_use.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Kinds of `breakdown_s`, in the order in which they are shown. The values are ChargeIds of the step graph.
enum class StepCharge {
  compute_gemm,
  compute_attention,
  compute_other,
  optimizer,
  recompute,
  tp_exposed,
  cp_exposed,
  ep_exposed,
  pp_exposed,
  dp_exposed,
  bubble,
  imbalance,
  input_wait,
  launch,
  throttle,
  jitter
};
inline constexpr std::size_t step_charge_count = 16;
inline constexpr std::array<std::string_view, step_charge_count> step_charge_names = {
    "compute_gemm", "compute_attention", "compute_other", "optimizer",  "recompute",
    "tp_exposed",   "cp_exposed",        "ep_exposed",    "pp_exposed", "dp_exposed",
    "bubble",       "imbalance",         "input_wait",    "launch",     "throttle",
    "jitter"};

/// Why a predicted step time may be off, as standard deviations of its logarithm. Steps that share causes are off
/// together, so that comparing them is surer than either of them.
struct StepUncertainty {
  std::map<std::string, double> slopes;  ///< d ln(time) / d ln(fitted number), by its name in the step calibration
  std::string family;                    ///< stack entry and architecture: what shares one residual
  std::string job;                       ///< all but the number of replicas: steps of one job share nearly all of it
  double shared = 0;                     ///< part of the residual that the family shares
  double own = 0;                        ///< part that it does not
  double size = 0;                       ///< part of that which even steps of one job do not share
  double sigma = 0;                      ///< all together
};

/// Memory of the fullest rank, by kind.
struct MemoryUse {
  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes gathered;     ///< sharded weights that are whole at that instant
  Bytes activations;  ///< stored ones, at the peak of the schedule
  Bytes working;      ///< recomputed activations and gradients of the layer that runs backward
  Bytes logits;       ///< head and loss of the last stage, at the same instant
  Bytes buffers;      ///< communication
  Bytes reserved;     ///< context, allocator and libraries
  int stage = 0;      ///< pipeline stage of that rank

  Bytes total() const {
    return weights + gradients + optimizer + gathered + activations + working + logits + buffers + reserved;
  }
};

struct PowerUse {
  Watts it_mean;                       ///< of all nodes of the job
  Watts it_peak;                       ///< largest instant of the replayed step
  std::optional<Watts> facility_mean;  ///< needs a power usage effectiveness
  Joules energy_per_token;             ///< at the IT equipment
  Watts it_trough;                     ///< least that supplies pass on, tens of milliseconds smoothed
  Watts it_crest;                      ///< most that they pass on, as smooth
};

/// The parallel plan that ran, every field decided.
struct Plan {
  int tensor = 1;
  int pipeline = 1;
  int virtual_pipeline = 1;
  int context = 1;
  int expert = 1;         ///< ranks that share the experts out
  int expert_tensor = 1;  ///< ranks that split each expert
  int data = 1;
  int micro_batch = 1;
  int micro_batches = 1;  ///< per replica and step
  int global_batch = 1;   ///< sequences per step
  bool sequence_parallel = true;
  ContextExchange context_exchange = ContextExchange::ring;
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  std::vector<int> stage_layers;  ///< of each chunk along the model; empty: as evenly as they go
  Sharding sharding = Sharding::zero1;
  int shard_group = 1;  ///< ranks that share one copy of weights and optimizer (all gradient ranks but under hsdp)
  Recompute recompute = Recompute::none;
  std::optional<int> recomputed_layers;  ///< of a stage, where full recomputation repeats only the first so many

  bool paired = false;  ///< forward and backward passes of different micro-batches run side by side

  /// Micro-batches that visit one virtual stage after the other, where they are not as many as stages.
  std::optional<int> larger_group;

  /// That lie in host memory when a step starts, where the loader is so slow that it has not read all that it may.
  std::optional<int> ready_micro_batches;

  int accelerators() const { return tensor * pipeline * context * data; }
  /// Copies of the weights among the stages: DualPipe keeps those of the mirror stage too.
  int weight_copies() const { return schedule == PipelineSchedule::dualpipe ? 2 : 1; }
  int interleaving_group() const { return larger_group.value_or(pipeline); }
  /// Ranks that hold the same weights and reduce gradients: context ranks are replicas of the weights too.
  int gradient_ranks() const { return context * data; }
  /// Ranks of one pipeline stage.
  int stage_ranks() const { return tensor * gradient_ranks(); }
  /// Ranks that hold the same experts, or the same part of them.
  int expert_replicas() const { return stage_ranks() / (expert * expert_tensor); }
};

/// Something that the user did not say and the program decided, or a number that carries the answer.
struct Assumption {
  std::string what;    ///< "virtual pipeline stages"
  std::string value;   ///< "8"
  std::string origin;  ///< "default", "fit", "data sheet", "measurement", "user"
  std::string why;     ///< "not given: the largest that divides"
};

struct StepPrediction {
  int accelerators = 0;
  Plan plan;
  bool fits = false;
  std::string verdict;  ///< one sentence: "fits: 61.2 of 80 GB", or which rank and kind do not
  MemoryUse memory;
  std::vector<TierUse> tiers;  ///< memory beyond the accelerator that the job uses

  // Present also when the plan does not fit, as the time it would take.
  Seconds step_time;
  Seconds low, high;  ///< 90 % interval
  double tokens_per_second = 0;
  FlopsPerSecond model_flops_per_accelerator;
  double mfu = 0;
  std::array<Seconds, step_charge_count> breakdown{};  ///< mean over ranks; sums to step_time
  std::optional<InputSupply> input;                    ///< where the job says what it reads
  std::optional<CheckpointUse> checkpoint;             ///< not in step_time
  PowerUse power;
  std::string bottleneck;  ///< one sentence: what to change first
  std::vector<Assumption> assumptions;
  StepUncertainty uncertainty;

  /// Tokens per second over many steps, with the checkpoints among them.
  double tokens_per_second_with_checkpoints() const {
    return checkpoint ? tokens_per_second * (step_time / (step_time + checkpoint->per_step())) : tokens_per_second;
  }
  double tokens_per_second_per_accelerator() const { return tokens_per_second / accelerators; }
};

/// One curve of predictions over cluster sizes.
struct ScalePoint {
  StepPrediction step;                             ///< meaningless if `reason` is set
  double efficiency = 0;                           ///< tokens/s per accelerator over that of the first feasible point
  double efficiency_low = 0, efficiency_high = 0;  ///< 90 % interval; errors that both points share cancel
  double speedup = 0;                              ///< tokens/s over that of the first feasible point
  std::string reason;  ///< why the size is impossible ("1,000 accelerators are no multiple of 128"); empty if it ran
};

struct ScaleCurve {
  bool strong = true;  ///< the global batch stays; otherwise the batch per replica
  std::vector<ScalePoint> points;
  std::optional<int> knee;  ///< last point whose doubling still gave 1.8x
};

}  // namespace clusterwright
