// SPDX-License-Identifier: Apache-2.0
/// Predicts published device memory: parts of it, and the peak of training runs.
#pragma once

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/predicted_values.hpp"

namespace clusterwright {

/// GB of one item, or its ratio to tensor parallelism without sequence parallelism and recomputation.
///
/// Weights, gradients and optimizer state are those of a stage between embedding and head, if there is one. Activations
/// are those of the first stage, which has most micro-batches in flight. A batch that is not published fills the
/// pipeline.
Prediction predict_footprint(const Measurement& measurement, const ScenarioShelf& shelf);

/// GB of the fullest rank of a training step, as its framework reports it; open fields of the job are chosen.
Prediction predict_peak_memory(const Measurement& measurement, const ScenarioShelf& shelf);

}  // namespace clusterwright
