/// How right the shape of scaling is: the ratio of one job's rates on two cluster sizes.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/case_result.hpp"

namespace clusterwright {

/// Errors are log(predicted ratio / measured ratio) of tokens per second and accelerator, larger over smaller size.
struct ScalingFigures {
  int pairs = 0;
  double median_abs_log = 0;
  double p90_abs_log = 0;
  double bias = 0;              ///< above zero: scaling is predicted better than it is
  double unchanged_median = 0;  ///< what saying "nothing changes" errs
};

struct ScalingShape {
  ScalingFigures strong;  ///< the global batch stays
  ScalingFigures weak;    ///< the batch of an accelerator stays
};

/// Pairs of scored training steps that agree in everything but size and batch: model, sequence, precision, framework,
/// release, accelerator, network and every published degree but data parallelism; the larger spans several nodes. Reads
/// fields of model, job and hardware, no name of anything.
/// @param results  of `measurements`, in their order
ScalingShape scaling_shape(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results);

}  // namespace clusterwright
