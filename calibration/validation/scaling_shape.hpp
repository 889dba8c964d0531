// SPDX-License-Identifier: Apache-2.0
/// Errors of the shape of scaling: ratio of the rates of one job on two cluster sizes.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/case_result.hpp"
#include "calibration/validation/ratio_errors.hpp"

namespace clusterwright {

/// Larger over smaller size.
struct ScalingShape {
  RatioFigures strong;  ///< same global batch
  RatioFigures weak;    ///< same batch per accelerator
};

/// Scaling over pairs of scored training steps that agree in everything but size and batch: model, sequence, precision,
/// framework, release, accelerator, network and every published degree but data parallelism. The larger size spans
/// several nodes. Reads fields of model, job and hardware, and no names.
/// @param results  results of `measurements`, in their order
ScalingShape scaling_shape(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results);

}  // namespace clusterwright
