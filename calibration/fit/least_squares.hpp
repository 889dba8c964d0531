// SPDX-License-Identifier: Apache-2.0
/// Robust least squares with priors: nonlinear in log space, and linear.
///
/// Both minimise, over the unknowns x,
///
///   sum over rows of w * rho(error(x) / spread)  +  sum over unknowns of ((x - prior) / width)^2
///
/// with the Cauchy loss rho(z) = c^2 log(1 + (z / c)^2), c = 2.385. The loss is met by re-weighting: a row counts with
/// w / (1 + (z / c)^2), the weighted problem is solved, weights are taken anew. `spread` is the robust standard
/// deviation of the errors, 1.4826 times their median distance from zero, and never below `least_spread`.
///
/// Invariants: a row far from all others loses its influence, since its weight falls with the square of its distance;
/// an unknown that no row informs comes back as its prior, with the prior's width as its error; the order of rows does
/// not matter but for rounding.
///
/// Example: one unknown, errors x - 0.10, x - 0.12 and x - 0.90, spread 0.02, a wide prior. Plain least squares gives
/// the mean, 0.373. Here c * spread = 0.048; at x = 0.112 the third row lies 0.788 away and counts with 1 / (1 + 273),
/// the others with 0.95 and 0.97. The solution is (0.945 x 0.10 + 0.969 x 0.12 + 0.0036 x 0.90) / 1.918 = 0.112.
///
/// Sources: P. W. Holland, R. E. Welsch, "Robust regression using iteratively reweighted least-squares", Communications
/// in Statistics A6, 1977 (the constant 2.385 keeps 95 % of the efficiency where errors are normal); D. W. Marquardt,
/// "An algorithm for least-squares estimation of nonlinear parameters", 1963, as MINPACK implements it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace clusterwright {

/// Scale on which a parameter is searched; it also bounds the parameter.
enum class FitScale {
  positive,  ///< in log: above 0
  share      ///< in logit: between 0 and 1
};

struct FitParameter {
  FitScale scale = FitScale::positive;
  double prior = 1;  ///< most likely value before any measurement; also where the search starts
  double width = 1;  ///< one standard deviation of the prior, in log or logit
};

struct FitProblem {
  std::vector<FitParameter> parameters;
  std::vector<double> weights;  ///< one per row; only ratios count
  /// log(predicted / measured) of every row, for parameter values in their own units. Needed only with rows.
  std::function<void(const std::vector<double>& values, std::vector<double>& errors)> errors;
  double least_spread = 0.01;  ///< smallest spread of errors: repeats of one measurement agree no better
};

struct FitResult {
  std::vector<double> values;
  std::vector<double> std_errors;  ///< one standard deviation of each, from the covariance at the solution
};

/// Nonlinear fit by Levenberg-Marquardt in log and logit, re-weighted eight times. Without rows the priors come back.
/// @throws std::invalid_argument if a prior lies outside its scale or no weight is positive
FitResult fit_least_squares(const FitProblem& problem);

/// Median and 90th percentile of absolute values.
struct ErrorSummary {
  int rows = 0;
  double median = 0;
  double p90 = 0;
};
/// @param weights  of the errors; empty: all alike
ErrorSummary summarise(std::vector<double> errors, const std::vector<double>& weights = {});

/// Errors of rows predicted by a fit to all other folds.
/// @param fold_of  rows of one fold are held out together
/// @param fit  parameters from rows
/// @param error_of  log(predicted / measured) of one row
template <class Row, class FoldOf, class Fit, class ErrorOf>
std::vector<double> held_out_errors(const std::vector<Row>& rows, FoldOf fold_of, Fit fit, ErrorOf error_of) {
  std::vector<double> errors(rows.size());
  std::vector<bool> done(rows.size(), false);
  for (std::size_t first = 0; first < rows.size(); ++first) {
    if (done[first]) continue;
    std::vector<Row> kept;
    for (const Row& row : rows)
      if (fold_of(row) != fold_of(rows[first])) kept.push_back(row);
    const auto parameters = fit(kept);
    for (std::size_t i = first; i < rows.size(); ++i) {
      if (fold_of(rows[i]) != fold_of(rows[first])) continue;
      errors[i] = error_of(rows[i], parameters);
      done[i] = true;
    }
  }
  return errors;
}

/// Linear problem: errors(x) = offset + slopes * x, row by row, with prior +- width for each x.
struct RegressionProblem {
  std::vector<double> offsets;
  std::vector<double> slopes;  ///< rows x unknowns, row by row
  std::vector<double> weights;
  std::vector<double> prior;
  std::vector<double> width;
  double least_spread =
      0.02;  ///< smallest spread of errors: repeats of one job on machines of one kind agree no better
};

struct RegressionResult {
  std::vector<double> values;      ///< one per unknown
  std::vector<double> covariance;  ///< unknowns x unknowns, row by row
};

/// Linear fit, re-weighted twenty times.
/// @pre sizes agree
RegressionResult regress(const RegressionProblem& problem);

/// Smallest value at which the weights so far reach `share` of all; 0 without values.
double weighted_quantile(const std::vector<double>& values, const std::vector<double>& weights, double share);

}  // namespace clusterwright
