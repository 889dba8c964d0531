/// Predicts the mean power of nodes over published runs.
#pragma once

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/predicted_values.hpp"

namespace clusterwright {

/// Watts of one node, mean over a whole run: steps of the named workload, behind a start at idle power.
///
/// Published power names a workload and a model, but no layout: sequence, batch and precision are those that the
/// benchmark of that workload prescribes or everybody runs, the layout is the fastest that fits. The host's power is
/// that of the catalog's node with these accelerators, without fans where liquid cools it. On the far side of the power
/// supplies their loss is left out.
Prediction predict_power(const Measurement& measurement, const ScenarioShelf& shelf);

}  // namespace clusterwright
