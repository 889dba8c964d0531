// SPDX-License-Identifier: Apache-2.0
/// Errors of held-out cases.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibration/validation/case_result.hpp"
#include "calibration/validation/error_figures.hpp"
#include "models/job/step_calibration.hpp"

namespace clusterwright {

/// Errors of cases under fits without them: whole models, sizes, accelerators, sources or generations held out.
struct SplitErrors {
  std::string key;                                     ///< key in `cross_validation`: "by_model"
  std::string name;                                    ///< "training step, model held out"
  std::vector<std::pair<std::size_t, double>> errors;  ///< index of the case, and log(predicted / measured)
  /// Half-width of the 90 % interval as a log, and name of the held-out group, of each error; empty: not asked.
  std::vector<double> half_widths = {};
  std::vector<std::string> groups = {};
  /// What was held out with each case, and the calibration of the other cases by that name; empty: not asked.
  std::vector<std::string> held_out = {};
  std::map<std::string, StepCalibration> calibrations = {};
};

/// One line of a cross-validation.
struct HeldOutFigures {
  std::string key;  ///< as in SplitErrors
  ErrorFigures figures;
};

/// Figures of all cases of the split, of those with every field of the job published, of those with something chosen,
/// of mixtures of experts, of the mean of the families, and of each group that has a name. Intervals are judged where
/// the split has them.
std::vector<HeldOutFigures> split_figures(const SplitErrors& split, const std::vector<CaseResult>& results);

}  // namespace clusterwright
