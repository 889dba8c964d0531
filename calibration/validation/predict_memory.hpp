// SPDX-License-Identifier: Apache-2.0
/// Predicts published memory bandwidths.
#pragma once

#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/predicted_values.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// GB/s of a streaming kernel on device memory, of a copy between host and device, or of one direction of a large copy
/// between two accelerators.
Prediction predict_memory(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                          const ParameterSetOf& set_of);

}  // namespace clusterwright
