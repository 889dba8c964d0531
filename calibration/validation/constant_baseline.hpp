// SPDX-License-Identifier: Apache-2.0
/// Baseline to compare the model with: one fitted rate per accelerator and precision.
#pragma once

#include <string>
#include <vector>

#include "calibration/validation/case_result.hpp"
#include "calibration/validation/error_figures.hpp"

namespace clusterwright {

struct BaselineFamily {
  ErrorFigures model;
  ErrorFigures constant;
};

struct ConstantBaseline {
  int constants = 0;                     ///< one for each accelerator and precision
  std::vector<BaselineFamily> families;  ///< model and baseline over the same rows
  ErrorFigures model, constant;          ///< mean of the families
  ErrorFigures all;                      ///< baseline over every step
  double ratio = 0;                      ///< ratio of the two mean medians; 0 without rows
};

/// Baseline over scored training steps with a valid prediction. Each constant is the median model FLOP/s of its rows,
/// families weighted equally; it is fitted to the rows that it predicts.
ConstantBaseline constant_baseline(const std::vector<CaseResult>& results);

}  // namespace clusterwright
