/// Predicts published matrix multiplies.
#pragma once

#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/predicted_values.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

/// Microseconds of every point, grouped problems and best shapes of a search included. Reads the hardware and the
/// problem, no time.
Prediction predict_gemm(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                        const ParameterSetOf& set_of);

}  // namespace clusterwright
