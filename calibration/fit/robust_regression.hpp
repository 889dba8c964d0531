/// Linear least squares with priors and a robust loss.
#pragma once

#include <cstddef>
#include <vector>

namespace clusterwright {

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
