// SPDX-License-Identifier: Apache-2.0
/// Errors of ratios between the rates of two measured steps.
#pragma once

#include <vector>

#include "calibration/validation/case_result.hpp"
#include "calibration/validation/error_figures.hpp"

namespace clusterwright {

/// Errors log(predicted ratio / measured ratio) of tokens per second and accelerator, second over first step.
struct RatioFigures {
  int pairs = 0;
  double median_abs_log = 0;
  double p90_abs_log = 0;
  double bias = 0;              ///< above zero: the predicted ratio is larger than the measured one
  double unchanged_median = 0;  ///< median error of the prediction that nothing changes
};

class RatioErrors {
 public:
  /// @pre both are valid
  void add(const CaseResult& from, const CaseResult& to, double weight);
  RatioFigures figures() const;

 private:
  std::vector<Weighted> errors_, absolute_, unchanged_;
};

}  // namespace clusterwright
