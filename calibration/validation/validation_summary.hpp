// SPDX-License-Identifier: Apache-2.0
/// Summary of many cases.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/case_result.hpp"
#include "calibration/validation/changed_field.hpp"
#include "calibration/validation/closed_form_baseline.hpp"
#include "calibration/validation/constant_baseline.hpp"
#include "calibration/validation/error_figures.hpp"
#include "calibration/validation/layout_ranking.hpp"
#include "calibration/validation/pair_reliability.hpp"
#include "calibration/validation/scaling_shape.hpp"

namespace clusterwright {

struct ValidationSummary {
  std::vector<ErrorFigures> families;
  std::vector<ErrorFigures> kinds;
  // Training steps only.
  std::vector<ErrorFigures> by_knowledge;    ///< every field of the job published, or something chosen
  std::vector<ErrorFigures> by_transformer;  ///< dense models, and mixtures of experts
  std::vector<ErrorFigures> by_precision, by_accelerator;
  ErrorFigures peak_memory;  ///< cases with a published peak
  ErrorFigures overall;
  ErrorFigures mean_of_families;
  ConstantBaseline baseline;
  ClosedFormBaseline closed_form;
  ScalingShape scaling;
  std::vector<ChangedField> changed;
  LayoutRanking layout_ranking;
  PairReliability pair_reliability;
  int parameters_used = 0;  ///< number of fitted parameters behind the scored cases
};

/// @param results  results of `measurements`, in their order
ValidationSummary summarise(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results,
                            const ScenarioShelf& shelf);

/// Number of values that a fit gave (not a definition, a prior or a data sheet) in the parameter sets of these
/// accelerators, and in the step fit if `steps`.
int fitted_parameters(const ScenarioShelf& shelf, const std::vector<std::string>& accelerators, bool steps);

}  // namespace clusterwright
