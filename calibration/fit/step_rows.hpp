/// Published training steps, ready to be predicted again and again under other factors.
#pragma once

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
  std::string entry;                             ///< of the step calibration
  std::string architecture;                      ///< "Hopper"
  double years = 0;                              ///< of the software since the reference date
  bool known = true;                             ///< every field of the job is published
  double weight = 1;
};

/// Scored steps that the models can describe. Rows of one stack, architecture, number format and either one node or
/// several share their say: a table of 700 rows counts as much as 26 single ones would.
std::vector<StepRow> step_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf);

/// log(predicted/measured) of the rate, and its derivatives by the logarithms of the three factors.
struct StepSlopes {
  double error = 0;
  double compute = 0;
  double communication = 0;
  double host = 0;
};

/// At the factors of each row's own scenario; rows in parallel.
std::vector<StepSlopes> step_slopes(const std::vector<StepRow>& rows);

/// The same from one simulation of each row: a factor on what takes a share of the step moves the step by that share.
std::vector<StepSlopes> step_shares(const std::vector<StepRow>& rows);

/// The errors alone, at a quarter of the cost: slopes stay as they were.
void refresh_errors(const std::vector<StepRow>& rows, std::vector<StepSlopes>& slopes);

}  // namespace clusterwright
