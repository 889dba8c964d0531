/// The yardstick: one fitted rate per accelerator and precision.
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
  std::vector<BaselineFamily> families;  ///< the same rows on both sides
  ErrorFigures model, constant;          ///< mean of the families
  double ratio = 0;                      ///< of the two mean medians; 0 without rows
};

/// Scored training steps with a valid prediction. Each constant is the median of the model FLOP/s of its rows, in which
/// families weigh the same; it has seen every row that it predicts.
ConstantBaseline constant_baseline(const std::vector<CaseResult>& results);

}  // namespace clusterwright
