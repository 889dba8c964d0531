/// Fits what whole training steps add to the sum of their microbenchmarks.
///
/// Unknowns, all logarithms of factors: per stack entry compute, communication and host; per architecture the kernel
/// tax; one drift per year. Each is shrunk towards a prior that all of its kind share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/step_problem.hpp"
#include "calibration/fit/step_rows.hpp"

namespace clusterwright {

struct StepFitResult {
  std::vector<StepRow> rows;
  std::vector<StepSlopes> slopes;  ///< at the solution
  RegressionResult regression;
  std::vector<std::string> names;
  std::vector<double> errors;  ///< log(predicted/measured) at the solution
};

/// Alternates between simulating every row and solving the straightened problem, from the beliefs on; replaces values,
/// standard errors, covariance, residuals by class and fit reports of the shelf's step calibration. Of what is there it
/// keeps the name, the reference date and the cost of casts.
StepFitResult fit_steps(const std::vector<Measurement>& measurements, ScenarioShelf& shelf);

/// Rows of all measured steps at the committed calibration; nothing is fitted.
StepFitResult committed_steps(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf);

/// Errors of rows predicted by a fit to all rows of other groups, straightened at the solution.
/// @param predicted  errors and slopes of the rows where they are left out: those of the fit, or under other kernels
/// @param group_of   rows of one group are left out together
std::vector<double> left_out_step_errors(const StepFitResult& fit, const std::vector<StepSlopes>& predicted,
                                         const StepCalibration& steps,
                                         const std::function<std::string(const StepRow&)>& group_of);

/// Rows of equal dimensions are one model, whatever it is called and however its vocabulary is padded.
std::string model_of(const StepRow& row);

/// Fills ranges, residuals by class and fit reports of the calibration.
void publish_residuals(const StepFitResult& fit, StepCalibration& steps);

}  // namespace clusterwright
