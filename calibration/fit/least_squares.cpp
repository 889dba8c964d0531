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

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int reweightings = 8;
constexpr double cauchy_width = 2.385;    // 95 % efficient where errors are normal after all
constexpr double derivative_step = 1e-3;  // wide enough to see past the steps of tiles and waves

double to_search(const FitParameter& parameter, double value) {
  const bool share = parameter.scale == FitScale::share;
  if (value <= 0 || (share && value >= 1)) throw std::invalid_argument("a prior lies outside its scale");
  return share ? std::log(value / (1 - value)) : std::log(value);
}

double from_search(const FitParameter& parameter, double x) {
  return parameter.scale == FitScale::share ? 1 / (1 + std::exp(-x)) : std::exp(x);
}

/// d value / d x, which turns a standard deviation of the search into one of the value.
double slope(const FitParameter& parameter, double value) {
  return parameter.scale == FitScale::share ? value * (1 - value) : value;
}

std::vector<double> values_at(const FitProblem& problem, const VectorXd& x) {
  std::vector<double> values(problem.parameters.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = from_search(problem.parameters[i], x[static_cast<Eigen::Index>(i)]);
  return values;
}

/// Residuals as Eigen's solver wants them: scaled rows, then one per prior.
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
    const Eigen::Index rows = row_scale.size();
    for (Eigen::Index i = 0; i < rows; ++i) out[i] = row_scale[i] * errors[static_cast<std::size_t>(i)];
    for (Eigen::Index i = 0; i < prior.size(); ++i)
      out[rows + i] = (x[i] - prior[i]) / problem.parameters[static_cast<std::size_t>(i)].width;
    return 0;
  }
};

/// Median by weight.
double weighted_median(const std::vector<double>& values, const std::vector<double>& weights) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  double rest = std::accumulate(weights.begin(), weights.end(), 0.0) / 2;
  for (const std::size_t i : order)
    if ((rest -= weights[i]) <= 0) return values[i];
  return 0;
}

/// Robust standard deviation; fewer rows than parameters cannot tell one.
double spread_of(const FitProblem& problem, std::vector<double> errors) {
  if (errors.size() < problem.parameters.size()) return problem.least_spread;
  for (double& error : errors) error = std::abs(error);
  return std::max(problem.least_spread, 1.4826 * weighted_median(errors, problem.weights));
}

/// Scale of every row: its weight over the spread of all, less for rows that lie far out.
VectorXd robust_scales(const FitProblem& problem, const VectorXd& x) {
  const std::size_t rows = problem.weights.size();
  std::vector<double> errors(rows);
  problem.errors(values_at(problem, x), errors);
  const double spread = spread_of(problem, errors);
  const double mean_weight =
      std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0) / static_cast<double>(rows);
  VectorXd scales(static_cast<Eigen::Index>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const double far = errors[i] / (cauchy_width * spread);
    scales[static_cast<Eigen::Index>(i)] = std::sqrt(problem.weights[i] / mean_weight / (1 + far * far)) / spread;
  }
  return scales;
}

VectorXd prior_of(const FitProblem& problem) {
  VectorXd prior(static_cast<Eigen::Index>(problem.parameters.size()));
  for (std::size_t i = 0; i < problem.parameters.size(); ++i)
    prior[static_cast<Eigen::Index>(i)] = to_search(problem.parameters[i], problem.parameters[i].prior);
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
    const auto k = static_cast<Eigen::Index>(i);
    result.std_errors.push_back(std::sqrt(covariance(k, k)) * slope(problem.parameters[i], result.values[i]));
  }
  return result;
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

ErrorSummary summarise(std::vector<double> errors) {
  if (errors.empty()) return {};
  for (double& error : errors) error = std::abs(error);
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    const double position = share * static_cast<double>(errors.size() - 1);
    const auto low = static_cast<std::size_t>(position);
    const std::size_t high = std::min(low + 1, errors.size() - 1);
    return errors[low] + (position - static_cast<double>(low)) * (errors[high] - errors[low]);
  };
  return {static_cast<int>(errors.size()), at(0.5), at(0.9)};
}

}  // namespace clusterwright
