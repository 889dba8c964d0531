// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/overhead_line.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Priors of middle and slope of the overhead line, and scatter of architectures around their vendor.
constexpr double middle_prior = 0.08, middle_width = 0.10;
constexpr double slope_prior = 0.10, slope_width = 0.10;
constexpr double scatter = 0.05;

/// Scatter that generic kernels add: GEMMs of a held-out generation err by 6 to 8 % in the median (docs/validation.md).
constexpr double scatter_of_generic_kernels = 0.10;

/// Columns of the unknowns: those of the line, then one for each vendor.
enum OverheadColumn { middle_column, slope_column, first_vendor };

/// Unknowns of the line and their covariance.
struct OverheadPosterior {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;

  double error(const Eigen::VectorXd& direction) const {
    return std::sqrt(direction.dot(covariance * direction) + scatter * scatter);
  }
};

double mean_density(const std::vector<OverheadPoint>& points) {
  double sum = 0;
  for (const OverheadPoint& point : points) sum += point.density;
  return points.empty() ? 0 : sum / static_cast<double>(points.size());
}

/// Normal equations of the points and the priors.
OverheadPosterior posterior_of(const std::vector<OverheadPoint>& points,
                               const std::map<std::string, Eigen::Index>& columns, double reference) {
  const Eigen::Index n = first_vendor + static_cast<Eigen::Index>(columns.size());
  Eigen::VectorXd width = Eigen::VectorXd::Constant(n, unmeasured_vendor), prior = Eigen::VectorXd::Zero(n);
  width[middle_column] = middle_width, prior[middle_column] = middle_prior;
  width[slope_column] = slope_width, prior[slope_column] = slope_prior;
  Eigen::MatrixXd votes = width.array().square().inverse().matrix().asDiagonal();
  Eigen::VectorXd sum = votes * prior;
  for (const OverheadPoint& point : points) {
    Eigen::VectorXd line = Eigen::VectorXd::Zero(n);
    line[middle_column] = line[columns.at(point.vendor)] = 1;
    line[slope_column] = point.density - reference;
    const double error = point.own_kernels ? scatter : std::hypot(scatter, scatter_of_generic_kernels);
    votes += line * line.transpose() / (error * error);
    sum += line * point.log_overhead / (error * error);
  }
  const Eigen::LDLT<Eigen::MatrixXd> solver(votes);
  return {solver.solve(sum), solver.solve(Eigen::MatrixXd::Identity(n, n))};
}

}  // namespace

double OverheadLine::at(double density, const std::string& vendor) const {
  const auto found = vendors.find(vendor);
  const double effect = found == vendors.end() ? 0 : found->second.effect;
  return std::max(0.0, middle + slope * (density - reference) + effect);
}

OverheadLine fit_overhead_line(const std::vector<OverheadPoint>& points) {
  std::map<std::string, Eigen::Index> columns;
  for (const OverheadPoint& point : points)
    columns.try_emplace(point.vendor, first_vendor + static_cast<Eigen::Index>(columns.size()));
  OverheadLine line;
  line.reference = mean_density(points);
  const OverheadPosterior found = posterior_of(points, columns, line.reference);
  Eigen::VectorXd at_reference = Eigen::VectorXd::Unit(found.mean.size(), middle_column);
  line.middle = found.mean[middle_column];
  line.slope = found.mean[slope_column];
  line.slope_error = std::sqrt(found.covariance(slope_column, slope_column));
  line.spread = found.error(at_reference);
  for (const auto& [vendor, column] : columns) {
    at_reference[column] = 1;
    line.vendors[vendor] = {found.mean[column], found.error(at_reference)};
    at_reference[column] = 0;
  }
  return line;
}

}  // namespace clusterwright
