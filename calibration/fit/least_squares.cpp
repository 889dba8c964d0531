// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

namespace clusterwright {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int reweightings = 8;  // nonlinear fit
constexpr int linear_reweightings = 20;
constexpr double sigma_over_median = 1.4826;  // for |x| of a normal x
constexpr double cauchy_width = 2.385;        // 95 % efficient where errors are normal
constexpr double derivative_step = 1e-3;      // wider than the steps of tiles and waves

double to_search(const FitParameter& parameter, double value) {
  const bool share = parameter.scale == FitScale::share;
  if (value <= 0 || (share && value >= 1)) throw std::invalid_argument("a prior lies outside its scale");
  return share ? std::log(value / (1 - value)) : std::log(value);
}

double from_search(const FitParameter& parameter, double x) {
  return parameter.scale == FitScale::share ? 1 / (1 + std::exp(-x)) : std::exp(x);
}

/// Derivative d value / d x: turns a standard deviation of the search into one of the value.
double slope(const FitParameter& parameter, double value) {
  return parameter.scale == FitScale::share ? value * (1 - value) : value;
}

std::vector<double> values_at(const FitProblem& problem, const VectorXd& x) {
  std::vector<double> values(problem.parameters.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = from_search(problem.parameters[i], x[static_cast<Index>(i)]);
  return values;
}

/// Residuals in the form of Eigen's solver: scaled rows, then one per prior.
struct Residuals {
  using Scalar = double;
  using InputType = VectorXd;
  using ValueType = VectorXd;
  using JacobianType = MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const FitProblem& problem;
  VectorXd prior;
  VectorXd row_scale;

  int inputs() const { return static_cast<int>(prior.size()); }
  int values() const { return static_cast<int>(row_scale.size() + prior.size()); }

  int operator()(const VectorXd& x, VectorXd& out) const {
    std::vector<double> errors(problem.weights.size());
    if (!errors.empty()) problem.errors(values_at(problem, x), errors);
    const Index rows = row_scale.size();
    for (Index i = 0; i < rows; ++i) out[i] = row_scale[i] * errors[static_cast<std::size_t>(i)];
    for (Index i = 0; i < prior.size(); ++i)
      out[rows + i] = (x[i] - prior[i]) / problem.parameters[static_cast<std::size_t>(i)].width;
    return 0;
  }
};

/// Robust standard deviation; the least one where there are fewer rows than parameters.
double spread_of(const FitProblem& problem, std::vector<double> errors) {
  if (errors.size() < problem.parameters.size()) return problem.least_spread;
  for (double& error : errors) error = std::abs(error);
  return std::max(problem.least_spread, sigma_over_median * weighted_quantile(errors, problem.weights, 0.5));
}

/// Scale of every row: root of its weight over the spread, less for rows far out.
VectorXd robust_scales(const FitProblem& problem, const VectorXd& x) {
  const std::size_t rows = problem.weights.size();
  std::vector<double> errors(rows);
  problem.errors(values_at(problem, x), errors);
  const double spread = spread_of(problem, errors);
  const double mean_weight =
      std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0) / static_cast<double>(rows);
  VectorXd scales(static_cast<Index>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const double far = errors[i] / (cauchy_width * spread);
    scales[static_cast<Index>(i)] = std::sqrt(problem.weights[i] / mean_weight / (1 + far * far)) / spread;
  }
  return scales;
}

VectorXd prior_of(const FitProblem& problem) {
  VectorXd prior(static_cast<Index>(problem.parameters.size()));
  for (std::size_t i = 0; i < problem.parameters.size(); ++i)
    prior[static_cast<Index>(i)] = to_search(problem.parameters[i], problem.parameters[i].prior);
  return prior;
}

void minimise(const Residuals& residuals, VectorXd& x) {
  Eigen::NumericalDiff<Residuals, Eigen::Central> differentiable(residuals, derivative_step * derivative_step);
  Eigen::LevenbergMarquardt<decltype(differentiable)> solver(differentiable);
  solver.parameters.maxfev = 200;
  solver.parameters.xtol = solver.parameters.ftol = 1e-9;
  solver.minimize(x);
}

FitResult result_at(const FitProblem& problem, const Residuals& residuals, const VectorXd& x) {
  const Eigen::NumericalDiff<Residuals, Eigen::Central> differentiable(residuals, derivative_step * derivative_step);
  MatrixXd jacobian(residuals.values(), residuals.inputs());
  differentiable.df(x, jacobian);
  const MatrixXd covariance = (jacobian.transpose() * jacobian).inverse();
  FitResult result{values_at(problem, x), {}};
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const auto k = static_cast<Index>(i);
    result.std_errors.push_back(std::sqrt(covariance(k, k)) * slope(problem.parameters[i], result.values[i]));
  }
  return result;
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

VectorXd errors_at(const RegressionProblem& problem, const VectorXd& x) {
  const auto rows = static_cast<Index>(problem.offsets.size());
  return Eigen::Map<const VectorXd>(problem.offsets.data(), rows) +
         Eigen::Map<const RowMajor>(problem.slopes.data(), rows, x.size()) * x;
}

/// Squared scale of every row: weight over squared spread, less for rows far out.
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

FitResult fit_least_squares(const FitProblem& problem) {
  if (!problem.weights.empty() && *std::max_element(problem.weights.begin(), problem.weights.end()) <= 0)
    throw std::invalid_argument("no row has a weight");
  VectorXd x = prior_of(problem);
  Residuals residuals{problem, x, VectorXd()};
  for (int round = 0; round < reweightings && !problem.weights.empty(); ++round) {
    residuals.row_scale = robust_scales(problem, x);
    minimise(residuals, x);
  }
  return result_at(problem, residuals, x);
}

ErrorSummary summarise(std::vector<double> errors, const std::vector<double>& weights) {
  if (errors.empty()) return {};
  for (double& error : errors) error = std::abs(error);
  if (!weights.empty())
    return {static_cast<int>(errors.size()), weighted_quantile(errors, weights, 0.5),
            weighted_quantile(errors, weights, 0.9)};
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    const double position = share * static_cast<double>(errors.size() - 1);
    const auto low = static_cast<std::size_t>(position);
    const std::size_t high = std::min(low + 1, errors.size() - 1);
    return errors[low] + (position - static_cast<double>(low)) * (errors[high] - errors[low]);
  };
  return {static_cast<int>(errors.size()), at(0.5), at(0.9)};
}

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
  const VectorXd precision = Eigen::Map<const VectorXd>(problem.width.data(), unknowns).array().square().inverse();
  const Eigen::Map<const RowMajor> slopes(problem.slopes.data(), rows, unknowns);
  const Eigen::Map<const VectorXd> offsets(problem.offsets.data(), rows);
  VectorXd x = prior;
  MatrixXd normal = precision.asDiagonal();
  for (int round = 0; round < linear_reweightings && rows > 0; ++round) {
    const VectorXd scales = row_scales(problem, errors_at(problem, x));
    normal = slopes.transpose() * scales.asDiagonal() * slopes;
    normal.diagonal() += precision;
    x = normal.ldlt().solve(precision.cwiseProduct(prior) - slopes.transpose() * scales.cwiseProduct(offsets));
  }
  const RowMajor covariance = normal.inverse();
  return {{x.data(), x.data() + unknowns}, {covariance.data(), covariance.data() + unknowns * unknowns}};
}

}  // namespace clusterwright
