// SPDX-License-Identifier: Apache-2.0
/// Fit of the closed form to measured steps, with the rows, weights and robust regression of the simulator's own fit.
///
/// Unknowns, all logarithms: compute of Hopper and of Blackwell relative to Ampere, drift per year, the overlap
/// penalty; compute and communication of each entry of the step calibration, and host where a step waits for it. Each
/// is shrunk towards a prior. Slopes are differences of the formula, so that every round straightens anew.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/step_problem.hpp"
#include "calibration/validation/closed_form.hpp"

namespace clusterwright {

enum class ClosedFormKind { hopper, blackwell, drift, overlap, compute, communication, host };

/// One fitted number of the closed form, a logarithm.
struct ClosedFormUnknown {
  ClosedFormKind kind;
  std::string entry;  ///< entry of the step calibration; empty for numbers that all share
  double value = 0;

  /// "overlap", "compute/nemo-2024".
  std::string name() const;
};

struct ClosedFormFit {
  std::vector<ClosedFormUnknown> unknowns;
  std::vector<double> errors;  ///< log(predicted / measured) of every row
  RegressionProblem problem;   ///< straightened at the solution
};

/// Rows of the simulator's fit, with plans as the closed form assumes them: recomputation that is not published is the
/// usual one of the stack, whether or not it fits. The other open fields are those that the simulator chose.
std::vector<StepRow> closed_form_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf);

/// Factors of one row under fitted numbers.
ClosedFormFactors closed_form_factors(const std::vector<ClosedFormUnknown>& unknowns, const StepRow& row);

/// Fit by a few rounds of Gauss-Newton; empty without rows.
ClosedFormFit fit_closed_form(const std::vector<StepRow>& rows);

/// Errors of rows under a fit to the rows of all other groups, straightened at the solution. Compute and
/// communication of an entry without other rows are the mean of the others.
std::vector<double> held_out_closed_form(const ClosedFormFit& fit, const std::vector<StepRow>& rows,
                                         const std::function<std::string(const StepRow&)>& group_of);

}  // namespace clusterwright
