// SPDX-License-Identifier: Apache-2.0
/// Limits of a step: the largest loss beside useful work.
#pragma once

#include <string>
#include <vector>

#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// One cause of lost time: what is no useful GEMM or attention.
struct StepLoss {
  std::string name;    ///< "pipeline bubble"
  double share = 0;    ///< share of the step, 0..1
  std::string advice;  ///< what to change; empty if no loss is worth naming
  bool tried = false;  ///< the share is what the advice saves
};

/// "accelerators 40 to 47 and 93"; after six spans "and 12 more".
std::string accelerator_names(std::vector<int> accelerators);

/// Largest loss over all charges and stragglers; "GEMMs and attention" with their share if none takes 3 % of the step.
StepLoss largest_loss(const StepPrediction& step);

/// Sentence on the largest loss: "pipeline bubble (9 % of the step): ..."; on memory if the job does not fit. Where
/// layouts near the step's were tried it says what the best of them takes.
std::string name_bottleneck(const StepPrediction& step);

}  // namespace clusterwright
