// SPDX-License-Identifier: Apache-2.0
/// Optimizer of one rank: on its device, on its host, or on its device with states in a memory pool.
#pragma once

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/level_copies.hpp"
#include "models/lowering/price_log.hpp"
#include "models/lowering/stage_weights.hpp"

namespace clusterwright {

/// Bytes per parameter that an update of Adam's states moves on the host: moments and master weights, read and written.
double host_update_traffic(const PlannedJob& planned);

class OptimizerStep {
 public:
  /// @param layers  number of layers on the stage
  /// @param log     of the prices that are asked for; nullptr: not kept
  OptimizerStep(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned, RankOps& ops,
                LevelCopies& copies, const StageWeights& weights, int layers, PriceLog* log);

  /// @param norm  op behind which the norm of the gradient is known
  /// @return the last op
  OpId write(OpId norm);

 private:
  OpId update_through_pool(OpId norm);
  /// @return the copy that brings new weights to where they are kept
  OpId update_on_host(OpId norm);
  /// Copy of one of `parts` of the optimizer states to the pool (`out`), or back.
  OpId copy_states(bool out, int parts, OpId after);
  WorkId kernel(double local, double owned);

  StepGraphBuilder& builder_;
  const KernelTimes& kernels_;
  const PlannedJob& planned_;
  RankOps& ops_;
  LevelCopies& copies_;
  PriceLog* log_;
  int layers_;
  double trained_;  // parameters with gradients on this rank
  double owned_;    // parameters that it updates
};

}  // namespace clusterwright
