// SPDX-License-Identifier: Apache-2.0
/// Baseline to compare the model with: the closed form, fitted to the steps that it predicts.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/case_result.hpp"
#include "calibration/validation/closed_form_fit.hpp"
#include "calibration/validation/error_figures.hpp"
#include "calibration/validation/held_out.hpp"

namespace clusterwright {

/// Model and closed form over the same steps.
struct ClosedFormFamily {
  ErrorFigures model, closed_form;
};

struct ClosedFormBaseline {
  std::vector<ClosedFormUnknown> parameters;
  std::vector<ClosedFormFamily> families;
  ClosedFormFamily all;   ///< every step
  ClosedFormFamily mean;  ///< mean of the families
  double ratio = 0;       ///< ratio of the two mean medians; 0 without rows
};

/// Baseline over scored training steps with a valid prediction.
/// @param results  results of `measurements`, in their order
ClosedFormBaseline closed_form_baseline(const std::vector<Measurement>& measurements,
                                        const std::vector<CaseResult>& results, const ScenarioShelf& shelf);

/// Both baselines with models, sizes and accelerators held out, under the keys and names of the model's own figures.
struct HeldOutBaselines {
  std::vector<HeldOutFigures> closed_form, constant;
};

/// Baselines fitted again without each group. A constant that loses all its rows becomes a share of the data-sheet
/// peak: the median share that others reach in the same format.
HeldOutBaselines cross_validate_baselines(const std::vector<Measurement>& measurements,
                                          const std::vector<CaseResult>& results, const ScenarioShelf& shelf);

}  // namespace clusterwright
