/// Fits what whole training steps add to the sum of their microbenchmarks.
///
/// Unknowns, all logarithms of factors: per stack entry compute, communication and host; per architecture the kernel
/// tax; one drift per year. Each is shrunk towards a prior that all of its kind share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit/robust_regression.hpp"
#include "calibration/fit/step_rows.hpp"

namespace clusterwright {

/// Rows, their slopes at the present factors, and the unknowns that they inform.
class StepProblem {
 public:
  StepProblem(const std::vector<StepRow>& rows, const ScenarioShelf& shelf);

  /// Errors of all rows as straight functions of the unknowns. @param keep  empty: all; otherwise rows that count
  RegressionProblem regression(const std::vector<StepSlopes>& slopes, const std::vector<bool>& keep) const;
  const std::vector<std::string>& names() const { return names_; }
  std::vector<double> present() const { return present_; }

  /// The kernel tax of an architecture without kept rows is that of the one before it, or after it if it is the first.
  void pass_on_taxes(const std::vector<bool>& keep, std::vector<double>& x) const;

  /// Writes unknowns into a shelf and into the scenarios of rows.
  void apply(const std::vector<double>& x, ScenarioShelf& shelf, std::vector<StepRow>& rows);

 private:
  std::size_t index(const std::string& name) const;

  const std::vector<StepRow>& rows_;
  std::vector<std::string> names_;
  std::vector<double> prior_, width_, present_;
};

struct StepFitResult {
  std::vector<StepRow> rows;
  std::vector<StepSlopes> slopes;  ///< at the solution
  RegressionResult regression;
  std::vector<std::string> names;
  std::vector<double> errors;  ///< log(predicted/measured) at the solution
};

/// Alternates between simulating every row and solving the straightened problem; updates calibration and parameter sets
/// of the shelf: values, standard errors, covariance, residuals by class and fit reports.
StepFitResult fit_steps(const std::vector<Measurement>& measurements, ScenarioShelf& shelf);

/// Rows of all measured steps at the committed calibration; nothing is fitted.
StepFitResult committed_steps(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf);

/// Errors of rows predicted by a fit to all rows of other groups, straightened at the solution.
/// @param group_of  rows of one group are left out together
std::vector<double> left_out_step_errors(const StepFitResult& fit, const ScenarioShelf& shelf,
                                         const std::function<std::string(const StepRow&)>& group_of);

/// Rows of equal dimensions are one model, whatever it is called.
std::string model_of(const StepRow& row);

}  // namespace clusterwright
