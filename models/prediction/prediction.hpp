// SPDX-License-Identifier: Apache-2.0
/// Results of a simulated step, and of one job over cluster sizes.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/lowering/input_side.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/memory/checkpoint_use.hpp"
#include "models/memory/memory_levels.hpp"
#include "models/memory/memory_use.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/mixed_use.hpp"
#include "models/prediction/training_run.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Causes of error of a predicted step time, as standard deviations of its logarithm. Steps with common causes have
/// correlated errors, so a comparison of them is more certain than either.
struct StepUncertainty {
  std::map<std::string, double> slopes;  ///< d ln(time) / d ln(fitted number), by its name in the step calibration
  /// Change of ln(time) by one standard error of a fitted kernel, link or power parameter, by its name.
  std::map<std::string, double> parameters;
  std::string parameter_set;  ///< set that these parameters belong to
  std::string family;         ///< stack entry and architecture, which share one residual
  std::string task;           ///< key of the job without its machine, layout and batch; see task_key
  std::string work;           ///< key of the job without its layout, batch and accelerators; see work_key
  std::string job;            ///< key of all but the number of replicas; see job_key
  std::string twin;           ///< key of the whole job, so that only machines and limits differ; see twin_key
  std::array<double, step_charge_count> shares{};  ///< of the step, by StepCharge
  double shared = 0;                               ///< part of the residual that a family shares
  double own = 0;                                  ///< part of the residual that it does not share
  double machine = 0;  ///< part of the residual that steps of one task on two accelerators do not share
  double layout = 0;   ///< part of the residual that steps of one job under two layouts do not share
  double size = 0;     ///< part of `own` that even steps of one job and layout do not share
  double accelerators = 0;
  double folding = 0;  ///< error of a step whose ranks are folded approximately (folds_exactly)
  double sigma = 0;    ///< all causes
};

/// Power of everything around the job, as its hall is planned.
struct SitePower {
  Watts it_mean, it_crest, it_peak;  ///< all machines: nodes, switches, storage, services
  Watts facility_mean;               ///< from the grid, mean of a year
  Watts facility_rated;              ///< from the grid on the design day, everything at its nameplate
};

/// Power limit that is set on each accelerator of a kind.
struct AcceleratorLimit {
  std::string accelerator;  ///< name in the catalog
  Watts limit, rating;      ///< of one of them
};

/// Power limit of a rack, a row, the hall or the grid that acts on the mean of the job.
struct PowerBudget {
  std::string domain;                    ///< "rack"
  Watts budget, drawn;                   ///< of the fullest domain
  std::optional<Watts> limit;            ///< highest one of an accelerator, which holds it; absent: nothing needs to
  std::vector<Watts> stage_limits = {};  ///< of each accelerator by pipeline stage; empty: all have the same
};

/// Power of all nodes of the job, and of their site.
struct PowerUse {
  Watts nodes_mean;                      ///< mean over the step
  Watts nodes_peak;                      ///< largest instant of the replayed step
  Watts nodes_crest;                     ///< most power behind power supplies, which smooth over tens of milliseconds
  Watts nodes_trough;                    ///< least power behind power supplies
  Watts nodes_ramp;                      ///< largest change within 1 s behind power supplies, while steps repeat
  Joules energy_per_token;               ///< energy of nodes per token
  std::vector<AcceleratorLimit> limits;  ///< of the kinds whose limit is set below their rating
  std::optional<PowerBudget> budget;     ///< the tightest; absent without capping
  Watts node_host;                       ///< power of the host of one node, constant over the step; part of nodes_mean
  std::optional<SitePower> site;         ///< absent unless the hall was planned (models/site/sizing/job_site.hpp)
  std::string no_site;                   ///< why it could not be planned
};

/// Accelerators that are slower than the others and lengthen the step.
struct StragglerUse {
  std::vector<int> accelerators;                     ///< their numbers in the cluster
  Seconds loss;                                      ///< step time beyond that of healthy accelerators
  std::array<Seconds, step_charge_count> healthy{};  ///< breakdown of the step without stragglers
};

/// Layouts near that of a step, which were looked at for advice.
struct LayoutAdvice {
  std::int64_t evaluated = 0;
  std::vector<std::string> settings;  ///< of the fastest, as --set takes them; empty where none is faster by a percent
  Seconds step_time;                  ///< under them
  double probability_faster = 0.5;    ///< that they make it faster in the field
};

/// Prediction of one step.
struct StepPrediction {
  int accelerators = 0;       ///< number that the job uses
  int idle_accelerators = 0;  ///< those of its nodes and racks that no rank uses; part of the power
  int domain_ranks = 0;       ///< accelerators of each domain that the job uses
  int nodes = 0;
  Plan plan;
  bool fits = false;
  std::string verdict;          ///< sentence of judge_memory or level_verdict
  std::string remedy;           ///< nearest change of a job that does not fit; empty if it fits or was not sought
  MemoryUse memory;             ///< of the rank that is fullest for the capacity of its accelerator
  MemoryRange memory_range;     ///< 90 % interval of its total
  Bytes memory_capacity;        ///< of the accelerator of that rank
  std::vector<LevelUse> tiers;  ///< memory beyond the accelerator that the job uses

  // Present also if the plan does not fit: the time that it would take.
  Seconds step_time;
  Seconds low, high;  ///< 90 % interval; the upper bound includes hashed_time
  /// Step time if flows were hashed to static paths, where the fabric does not state its routing; else absent.
  std::optional<Seconds> hashed_time;
  double tokens_per_second = 0;
  FlopsPerSecond model_flops_per_accelerator;
  double mfu = 0;
  std::array<Seconds, step_charge_count> breakdown{};  ///< mean over ranks; sums to step_time
  std::optional<InputSupply> input;                    ///< absent if the job states no input
  std::optional<CheckpointUse> checkpoint;             ///< absent without checkpoints; not part of step_time
  PowerUse power;
  std::optional<TrainingRun> training;        ///< absent if the job states no end
  std::optional<StragglerUse> stragglers;     ///< absent if none slows the step
  std::optional<MixedUse> mixed;              ///< absent where all nodes are alike
  double dropped = 0;                         ///< share of expert assignments that a capacity factor drops
  std::optional<LayoutAdvice> layout_advice;  ///< absent where nobody looked (look_around)
  std::string bottleneck;                     ///< sentence on what to change first
  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings;  ///< sentences that every output of this step shows
  StepUncertainty uncertainty;

  /// Tokens per second over many steps and their checkpoints.
  double tokens_per_second_with_checkpoints() const {
    return checkpoint ? tokens_per_second * (step_time / (step_time + checkpoint->per_step())) : tokens_per_second;
  }
  double tokens_per_second_per_accelerator() const { return tokens_per_second / accelerators; }
};

/// Prediction of one cluster size, against the first feasible size of its curve.
struct ScalePoint {
  StepPrediction step;                             ///< meaningless if `reason` is set
  double efficiency = 0;                           ///< tokens/s per accelerator over that of the first feasible size
  double efficiency_low = 0, efficiency_high = 0;  ///< 90 % interval; errors that both sizes share cancel
  double speedup = 0;                              ///< tokens/s over that of the first feasible size
  std::string reason;  ///< why the size is impossible ("1,000 accelerators are no multiple of 128"); empty if it ran
};

/// Place of the knee. It is the largest size up to which throughput grows at least 1.8 times per doubling, by the slope
/// between neighbouring sizes.
enum class KneePlace {
  unknown,  ///< fewer than two feasible sizes
  inside,   ///< bracketed by the sizes
  beyond,   ///< growth holds up to the last size
  before,   ///< growth is below it from the first size on
};

/// Predictions over cluster sizes.
struct ScaleCurve {
  bool strong = true;  ///< constant global batch; otherwise constant batch per replica
  std::vector<ScalePoint> points;
  std::optional<int> knee;  ///< absent unless the knee is inside the sizes
  KneePlace knee_place = KneePlace::unknown;
  bool interrupted = false;           ///< whether points are missing because the computation was asked to stop
  std::vector<std::string> warnings;  ///< on the curve as a whole
};

/// Curve of one step, for what is written for curves.
inline ScaleCurve single_point(const StepPrediction& step) {
  ScaleCurve curve;
  curve.points.push_back({step, 1, 1, 1, 1, ""});
  return curve;
}

}  // namespace clusterwright
