// SPDX-License-Identifier: Apache-2.0
/// Predicts published GEMMs, fused-attention kernels and memory bandwidths.
#pragma once

#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/predicted_values.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Microseconds of every point, grouped problems and best shapes of a search included. Reads the hardware and the
/// problem, and no measured time.
Prediction predict_gemm(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                        const ParameterSetOf& set_of);

/// TFLOP/s of one kernel on executed FLOPs, in 16 bit.
Prediction predict_attention(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                             const ParameterSetOf& set_of);

/// GB/s of a streaming kernel on device memory, of a copy between host and device, or of one direction of a large copy
/// between two accelerators.
Prediction predict_memory(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                          const ParameterSetOf& set_of);

}  // namespace clusterwright
