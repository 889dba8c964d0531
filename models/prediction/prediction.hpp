// SPDX-License-Identifier: Apache-2.0
/// What a simulated step answers.
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
#include "sim/quantity.hpp"

namespace clusterwright {

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

struct PowerUse {
  Watts it_mean;                       ///< of all nodes of the job
  Watts it_peak;                       ///< largest instant of the replayed step
  std::optional<Watts> facility_mean;  ///< needs a power usage effectiveness
  Joules energy_per_token;             ///< at the IT equipment
  Watts it_trough;                     ///< least that supplies pass on, tens of milliseconds smoothed
  Watts it_crest;                      ///< most that they pass on, as smooth
  Watts node_host;                     ///< part of it_mean that the host of one node draws, constant over the step
};

struct StepPrediction {
  int accelerators = 0;
  Plan plan;
  bool fits = false;
  std::string verdict;  ///< one sentence: "fits: 61.2 of 80 GB", or which rank and kind do not
  MemoryUse memory;
  std::vector<LevelUse> tiers;  ///< memory beyond the accelerator that the job uses

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
