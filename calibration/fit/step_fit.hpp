/// The one parameter that is fitted to whole training steps.
#pragma once

#include <vector>

#include "calibration/measured_scenario.hpp"
#include "calibration/measurement.hpp"
#include "models/parameters.hpp"

namespace clusterwright {

/// A measured step that the models can describe, with the rate to reproduce.
struct StepRow {
  Scenario scenario;
  double tokens_per_second_per_accelerator = 0;
  double weight = 1;  ///< rows of one model share one vote
};

/// Training steps in 16 bit of one accelerator under Megatron-based stacks.
std::vector<StepRow> step_rows(const std::vector<Measurement>& measurements, const std::string& accelerator,
                               const ScenarioShelf& shelf, const ParameterSet& parameters);

struct StepFit {
  Sourced<double> kernel_tax;
  Sourced<double> structural_error;
  FitReport report;
};

/// The tax at which the weighted median of log(predicted/measured) is zero, and the scatter that remains. Left out:
/// each model in turn.
/// @pre rows is not empty
StepFit fit_step(std::vector<StepRow> rows, const std::string& rows_from);

void apply(const StepFit& fit, ParameterSet& set);

}  // namespace clusterwright
