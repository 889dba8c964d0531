// SPDX-License-Identifier: Apache-2.0
/// Fits what whole training steps add to the sum of their microbenchmarks.
///
/// Unknowns, all logarithms of factors: compute, communication and host of each stack entry; kernel overhead of each
/// architecture; one drift per year. Each has a prior that all of its kind share (step_problem.hpp).
///
/// Rounds: simulate every row at the present factors; straighten its error around them; solve the linear problem with a
/// robust loss (least_squares.hpp); repeat until no unknown moves by more than 0.002. Slopes are simulated twice, at
/// the start and at the first solution; errors in every round.
///
/// Invariants: the result depends on the rows alone, since every fit starts from the priors; a stack or architecture
/// without rows ends at its prior or at the mean of the others; `covariance` is in the order of `fitted`.
///
/// Held-out errors refit the straightened problem without a group of rows (a model, a size, an accelerator, ...) and
/// predict the group: error = offset + slopes * x(others), without another simulation. Example: two rows of one stack
/// with errors +0.10 and +0.02 and slope -0.5 put its compute at about +0.12 in log. Without the first row the second
/// one alone asks for +0.04, so the first row is missed by 0.10 - 0.5 x 0.04 = 0.08.
///
/// Published intervals come from these held-out errors (docs/validation.md); three factors per stack and not more:
/// docs/decisions/0007-three-factors-per-stack.md. The straightened refit is a Gauss-Newton step with re-weighting:
/// Holland and Welsch, "Robust regression using iteratively reweighted least-squares", 1977.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/step_problem.hpp"

namespace clusterwright {

struct StepFitResult {
  std::vector<StepRow> rows;
  std::vector<StepSlopes> slopes;  ///< at the solution
  RegressionResult regression;
  std::vector<StepUnknown> unknowns;
  std::vector<double> errors;  ///< log(predicted/measured) at the solution
};

/// Replaces values, standard errors, covariance, residuals by class and fit reports of the shelf's step calibration;
/// keeps its name, reference date and bytes of casts.
/// @throws std::invalid_argument if no measurement is a step that can be described
StepFitResult fit_steps(const std::vector<Measurement>& measurements, ScenarioShelf& shelf);

/// Rows of all measured steps at the committed calibration; nothing is fitted.
StepFitResult committed_steps(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf);

/// Rows predicted by fits that did not see them.
struct HeldOutSteps {
  std::vector<double> errors;       ///< log(predicted/measured); with all rows, where a row is never held out
  std::vector<double> variances;    ///< of those, by the covariance of the factors that the other rows leave
  std::vector<std::string> groups;  ///< group of each row
  std::map<std::string, std::vector<double>> covariances;  ///< of the factors without a group, by its name
};

/// Which rows are held out together, and which are left to fit to.
struct StepGroups {
  std::function<std::string(const StepRow&)> group_of;  ///< empty: the row is never held out
  /// Whether a fit that predicts the group `held_out` sees the rows of another group.
  std::function<bool(const std::string& other, const std::string& held_out)> sees =
      [](const std::string&, const std::string&) { return true; };
};

/// Rows predicted by a fit to rows of other groups, straightened at the solution.
/// @param predicted  errors and slopes of held-out rows: those of the fit, or under other kernels
HeldOutSteps hold_out_steps(const StepFitResult& fit, const std::vector<StepSlopes>& predicted,
                            const StepCalibration& steps, const StepGroups& groups);

/// Dimensions that make rows one model, whatever it is called and however its vocabulary is padded.
std::string model_of(const StepRow& row);

}  // namespace clusterwright
