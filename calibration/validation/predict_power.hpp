// SPDX-License-Identifier: Apache-2.0
/// Predicts the mean power of nodes over published runs.
#pragma once

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/predicted_values.hpp"

namespace clusterwright {

/// Watts of one node, mean over a whole run: steps of the named workload after a start at idle power.
///
/// Published power names a workload and a model, but no layout. Sequence, batch and precision are those of the usual
/// benchmark of that workload; the layout is the fastest that fits. The host's power is that of the catalog's node with
/// these accelerators, without fans where liquid cools it. Measurements after the power supplies exclude their loss.
Prediction predict_power(const Measurement& measurement, const ScenarioShelf& shelf);

}  // namespace clusterwright
