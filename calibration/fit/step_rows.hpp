// SPDX-License-Identifier: Apache-2.0
/// Rows of the step fit: published training steps, ready to be predicted many times under different factors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/measured/measurement.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// One measured step with its plan decided.
struct StepRow {
  Scenario scenario;
  Plan plan;
  std::size_t measurement = 0;                   ///< index in the list that it came from
  double tokens_per_second_per_accelerator = 0;  ///< measured
  std::string entry;                             ///< entry of the step calibration
  std::string architecture;                      ///< "Hopper"
  double years = 0;                              ///< years of software since the reference date
  bool known = true;                             ///< every field of the job is published
  std::string cell;                              ///< of rows that repeat one measured quantity; empty: of its own
  double share = 1;                              ///< one over the rows of the cell
  double weight = 1;
};

/// Scored steps that the models can describe, but for those of generic stacks, which keep the common prior. Rows of one
/// stack, architecture, number format, and one node or several share their weight: a table of 700 rows counts as much
/// as 26 single rows. The rows of a cell count as one.
std::vector<StepRow> step_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf);

/// Steps of generic stacks and of others without an entry: no fit sees them, and they take the entry "other".
std::vector<StepRow> never_fitted_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf);

/// Error log(predicted/measured) of the rate, and its derivatives by the logarithms of four factors.
struct StepSlopes {
  double error = 0;
  double compute = 0;
  double communication = 0;
  double host = 0;
  double experts = 0;  ///< 0 for dense models
};

/// Exact slopes at the factors of each row's own scenario, from at most five simulations of a row; rows in parallel.
std::vector<StepSlopes> step_slopes(const std::vector<StepRow>& rows);

/// Approximate slopes from one simulation of a row: a factor moves the step by the share that it multiplies.
std::vector<StepSlopes> step_shares(const std::vector<StepRow>& rows);

/// Step of a row, as its interval sees it: its plan, its time and what that goes to.
StepPrediction predicted_step(const StepRow& row);

/// Simulates the errors again; slopes stay. A fifth of the cost of `step_slopes`.
void refresh_errors(const std::vector<StepRow>& rows, std::vector<StepSlopes>& slopes);

}  // namespace clusterwright
