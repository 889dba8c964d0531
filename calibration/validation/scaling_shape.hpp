// SPDX-License-Identifier: Apache-2.0
/// Errors of the shape of scaling: ratio of the rates of one job on two cluster sizes.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/case_result.hpp"

namespace clusterwright {

/// Errors log(predicted ratio / measured ratio) of tokens per second and accelerator, larger over smaller size.
struct ScalingFigures {
  int pairs = 0;
  double median_abs_log = 0;
  double p90_abs_log = 0;
  double bias = 0;              ///< above zero: predicted scaling is better than measured
  double unchanged_median = 0;  ///< median error of the prediction that nothing changes
};

struct ScalingShape {
  ScalingFigures strong;  ///< same global batch
  ScalingFigures weak;    ///< same batch per accelerator
};

/// Scaling over pairs of scored training steps that agree in everything but size and batch: model, sequence, precision,
/// framework, release, accelerator, network and every published degree but data parallelism. The larger size spans
/// several nodes. Reads fields of model, job and hardware, and no names.
/// @param results  results of `measurements`, in their order
ScalingShape scaling_shape(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results);

}  // namespace clusterwright
