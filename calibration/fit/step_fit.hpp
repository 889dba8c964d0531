/// Fits what whole training steps add to the sum of their microbenchmarks.
///
/// Unknowns, all logarithms of factors: per stack entry compute, communication and host; per architecture the kernel
/// tax; one drift per year. Each is shrunk towards a prior that all of its kind share.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calibration/fit/robust_regression.hpp"
#include "calibration/fit/step_rows.hpp"
#include "calibration/fit/tax_line.hpp"

namespace clusterwright {

/// Rows and the unknowns that they inform; host times only of stacks that wait for their host somewhere.
class StepProblem {
 public:
  StepProblem(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes, const StepCalibration& steps);

  /// Errors of all rows as straight functions of the unknowns. @param keep  empty: all; otherwise rows that count
  RegressionProblem regression(const std::vector<StepSlopes>& slopes, const std::vector<bool>& keep) const;
  const std::vector<std::string>& names() const { return names_; }
  std::vector<double> present() const { return present_; }

  /// Stacks without kept rows take the mean of the others, architectures the line of taxes, as the program does for
  /// unknown ones.
  void pass_on(const std::vector<bool>& keep, std::vector<double>& x) const;

  /// Through the taxes in `x` whose names are `seen`.
  TaxLine tax_line(const std::set<std::string>& seen, const std::vector<double>& x) const;

  /// Writes unknowns into a calibration and that into the scenarios of rows.
  void apply(const std::vector<double>& x, StepCalibration& steps, std::vector<StepRow>& rows);

 private:
  std::optional<std::size_t> index(const std::string& name) const;
  double density_of(const std::string& architecture) const;

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

}  // namespace clusterwright
