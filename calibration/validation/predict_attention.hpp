/// Predicts published fused-attention kernels.
#pragma once

#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/predicted_values.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

/// TFLOP/s of one kernel on executed FLOPs, in 16 bit.
Prediction predict_attention(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                             const ParameterSetOf& set_of);

}  // namespace clusterwright
