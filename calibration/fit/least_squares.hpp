/// Robust least squares with priors: nonlinear in log space, and linear.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace clusterwright {

/// How a parameter is searched, which also bounds it.
enum class FitScale {
  positive,  ///< in log: above 0
  share      ///< in logit: between 0 and 1
};

struct FitParameter {
  FitScale scale = FitScale::positive;
  double prior = 1;  ///< most likely value before any measurement; also where the search starts
  double width = 1;  ///< one standard deviation of that belief, in log or logit
};

struct FitProblem {
  std::vector<FitParameter> parameters;
  std::vector<double> weights;  ///< of the rows; only ratios count
  /// log(predicted / measured) of every row, for parameter values in their own units. Needed only with rows.
  std::function<void(const std::vector<double>& values, std::vector<double>& errors)> errors;
  double least_spread = 0.01;  ///< of errors: repeats of one measurement do not agree better
};

struct FitResult {
  std::vector<double> values;
  std::vector<double> std_errors;  ///< one standard deviation of each, from the covariance at the solution
};

/// Minimises sum w rho(error / spread)^2 + sum ((x - prior) / width)^2 by Levenberg-Marquardt, re-weighted until a
/// Cauchy loss is met, so that rows which disagree with all others lose their say. `spread` is the robust standard
/// deviation of the errors. Without rows the priors come back.
/// @throws std::invalid_argument if a prior lies outside its scale or no weight is positive
FitResult fit_least_squares(const FitProblem& problem);

/// Median and 90th percentile of absolute values.
struct ErrorSummary {
  int rows = 0;
  double median = 0;
  double p90 = 0;
};
ErrorSummary summarise(std::vector<double> errors);

/// Errors of rows predicted by a fit to all other folds.
/// @param fold_of  rows of one fold are left out together
/// @param fit      parameters from rows
/// @param error_of log(predicted / measured) of one row
template <class Row, class FoldOf, class Fit, class ErrorOf>
std::vector<double> left_out_errors(const std::vector<Row>& rows, FoldOf fold_of, Fit fit, ErrorOf error_of) {
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

/// errors(x) = offset + slopes * x, row by row; x is believed to be prior +- width before any row.
struct RegressionProblem {
  std::vector<double> offsets;
  std::vector<double> slopes;  ///< rows x unknowns, row by row
  std::vector<double> weights;
  std::vector<double> prior;
  std::vector<double> width;
  double least_spread = 0.02;  ///< of errors: steps of one job on machines of one kind do not repeat better
};

struct RegressionResult {
  std::vector<double> x;
  std::vector<double> covariance;  ///< unknowns x unknowns, row by row
};

/// Minimises sum w rho(error / spread)^2 + sum ((x - prior) / width)^2 with a Cauchy loss by re-weighting; `spread` is
/// the robust standard deviation of the errors.
/// @pre sizes agree
RegressionResult regress(const RegressionProblem& problem);

/// The value below which `share` of the weight lies.
double weighted_quantile(const std::vector<double>& values, const std::vector<double>& weights, double share);

}  // namespace clusterwright
