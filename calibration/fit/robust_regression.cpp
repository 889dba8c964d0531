#include "calibration/fit/robust_regression.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace clusterwright {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int reweightings = 20;
constexpr double cauchy_width = 2.385;        // 95 % efficient where errors are normal after all
constexpr double sigma_over_median = 1.4826;  // of |x| of a normal x

VectorXd errors_at(const RegressionProblem& problem, const VectorXd& x) {
  const auto rows = static_cast<Index>(problem.offsets.size());
  return Eigen::Map<const VectorXd>(problem.offsets.data(), rows) +
         Eigen::Map<const RowMajor>(problem.slopes.data(), rows, x.size()) * x;
}

/// Squared scale of every row: its weight over the squared spread of all, less for rows that lie far out.
VectorXd row_scales(const RegressionProblem& problem, const VectorXd& errors) {
  std::vector<double> distances(problem.offsets.size());
  for (std::size_t i = 0; i < distances.size(); ++i) distances[i] = std::abs(errors[static_cast<Index>(i)]);
  const double median = weighted_quantile(distances, problem.weights, 0.5);
  const double spread = std::max(problem.least_spread, sigma_over_median * median);
  VectorXd scales(errors.size());
  for (Index i = 0; i < errors.size(); ++i) {
    const double far = errors[i] / (cauchy_width * spread);
    scales[i] = problem.weights[static_cast<std::size_t>(i)] / (spread * spread) / (1 + far * far);
  }
  return scales;
}

}  // namespace

double weighted_quantile(const std::vector<double>& values, const std::vector<double>& weights, double share) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  double rest = share * std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const std::size_t i : order)
    if ((rest -= weights[i]) <= 0) return values[i];
  return values.empty() ? 0 : values[order.back()];
}

RegressionResult regress(const RegressionProblem& problem) {
  const auto unknowns = static_cast<Index>(problem.prior.size());
  const auto rows = static_cast<Index>(problem.offsets.size());
  const VectorXd prior = Eigen::Map<const VectorXd>(problem.prior.data(), unknowns);
  const VectorXd belief = Eigen::Map<const VectorXd>(problem.width.data(), unknowns).array().square().inverse();
  const Eigen::Map<const RowMajor> slopes(problem.slopes.data(), rows, unknowns);
  const Eigen::Map<const VectorXd> offsets(problem.offsets.data(), rows);
  VectorXd x = prior;
  MatrixXd normal = belief.asDiagonal();
  for (int round = 0; round < reweightings && rows > 0; ++round) {
    const VectorXd scales = row_scales(problem, errors_at(problem, x));
    normal = slopes.transpose() * scales.asDiagonal() * slopes;
    normal.diagonal() += belief;
    x = normal.ldlt().solve(belief.cwiseProduct(prior) - slopes.transpose() * scales.cwiseProduct(offsets));
  }
  const RowMajor covariance = normal.inverse();
  return {{x.data(), x.data() + unknowns}, {covariance.data(), covariance.data() + unknowns * unknowns}};
}

}  // namespace clusterwright
