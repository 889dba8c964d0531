// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/step_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "calibration/fit/replica_spread.hpp"
#include "calibration/fit/seen_steps.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "calibration/fit/step_widths.hpp"

namespace clusterwright {

namespace {

constexpr int most_rounds = 6;
constexpr double converged = 2e-3;  // largest change of an unknown, a logarithm

std::vector<double> errors_of(const std::vector<StepSlopes>& slopes) {
  std::vector<double> errors;
  for (const StepSlopes& slope : slopes) errors.push_back(slope.error);
  return errors;
}

double largest_change(const std::vector<double>& a, const std::vector<double>& b) {
  double change = 0;
  for (std::size_t i = 0; i < a.size(); ++i) change = std::max(change, std::abs(a[i] - b[i]));
  return change;
}

/// Mean and spread of the fitted stacks, for stacks without steps.
void publish_others(const StepFitResult& fit, StepCalibration& steps) {
  for (const UnknownKind kind : {UnknownKind::compute, UnknownKind::communication}) {
    std::vector<double> values;
    for (std::size_t k = 0; k < fit.unknowns.size(); ++k)
      if (fit.unknowns[k].kind == kind) values.push_back(fit.regression.values[k]);
    double mean = 0, variance = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) variance += (value - mean) * (value - mean) / static_cast<double>(values.size());
    write_unknown(steps, {kind, other_entry}, mean, std::sqrt(variance),
                  fmt::format("mean and spread of {} fitted ones", values.size()));
  }
}

/// Kernel overhead of architectures without steps, by their vendor and their peak compute per watt.
void publish_overhead_line(const StepProblem& problem, const StepFitResult& fit, StepCalibration& steps) {
  const std::set<StepUnknown> all(fit.unknowns.begin(), fit.unknowns.end());
  const OverheadLine line = problem.overhead_line(all, fit.regression.values);
  const std::string source = "line through the taxes of the fitted architectures over their power density";
  write_unknown(steps, {UnknownKind::kernel_overhead, other_entry}, line.middle, line.spread, source);
  steps.overhead_per_density = sourced_value(line.slope, line.slope_error, source);
  steps.density_reference =
      sourced_value(line.reference, 0, "mean of the fitted architectures, from their data sheets");
  steps.vendor_overhead.clear();
  for (const auto& [vendor, overhead] : line.vendors) {
    const double factor = std::exp(line.middle + overhead.effect);
    steps.vendor_overhead[vendor] = sourced_value(
        factor, overhead.error * factor, "that line, moved by what the fitted architectures of the vendor share");
  }
}

/// Fitted values with their errors and origin.
void publish(const StepProblem& problem, const StepFitResult& fit, StepCalibration& steps) {
  const std::size_t n = fit.unknowns.size();
  const std::string source = fmt::format("fit of {} published training steps", fit.rows.size());
  for (std::size_t k = 0; k < n; ++k)
    write_unknown(steps, fit.unknowns[k], fit.regression.values[k], std::sqrt(fit.regression.covariance[k * n + k]),
                  source);
  publish_others(fit, steps);
  publish_overhead_line(problem, fit, steps);
  steps.fitted.clear();
  for (const StepUnknown& unknown : fit.unknowns) steps.fitted.push_back(unknown.name());
  steps.covariance.clear();
  for (const double value : fit.regression.covariance) steps.covariance.push_back(rounded(value));
  publish_seen(
      fit.rows, [](const StepRow&) { return true; }, steps);
}

/// Solves with the slopes as they are; only errors are simulated again.
void solve(StepProblem& problem, StepCalibration& steps, StepFitResult& fit) {
  for (int round = 0; round < most_rounds; ++round) {
    fit.regression = regress(problem.regression(fit.slopes, {}));
    const double change = largest_change(fit.regression.values, problem.present());
    problem.apply(fit.regression.values, steps, fit.rows);
    refresh_errors(fit.rows, fit.slopes);
    if (change < converged) break;
  }
}

/// What pairs of sizes ask for once levels are fitted.
void spread_replicas(StepFitResult& fit, StepCalibration& steps) {
  steps.replica_spread = fitted_spread(fit.rows, fit.slopes);
  for (StepRow& row : fit.rows) row.scenario.steps.replica_spread = steps.replica_spread;
}

double quadratic_form(const double* x, const std::vector<double>& matrix, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = 0; x[k] != 0 && l < n; ++l) sum += x[k] * x[l] * matrix[k * n + l];
  return std::max(0.0, sum);
}

}  // namespace

StepFitResult fit_steps(const std::vector<Measurement>& measurements, ScenarioShelf& shelf) {
  start_from_priors(shelf);
  StepFitResult fit;
  fit.rows = step_rows(measurements, shelf);
  if (fit.rows.empty()) throw std::invalid_argument("no training step can be described");
  fit.slopes = step_slopes(fit.rows);
  StepProblem problem(fit.rows, fit.slopes, shelf.steps);
  fit.unknowns = problem.unknowns();
  solve(problem, shelf.steps, fit);
  spread_replicas(fit, shelf.steps);
  fit.slopes = step_slopes(fit.rows);  // at the solution
  solve(problem, shelf.steps, fit);
  fit.errors = errors_of(fit.slopes);
  publish(problem, fit, shelf.steps);
  publish_residuals(fit, kernel_variances(fit.rows), never_fitted_rows(measurements, shelf), shelf.steps);
  return fit;
}

StepFitResult committed_steps(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf) {
  StepFitResult fit;
  fit.rows = step_rows(measurements, shelf);
  if (fit.rows.empty()) return fit;
  fit.slopes = step_shares(fit.rows);
  const StepProblem problem(fit.rows, fit.slopes, shelf.steps);
  fit.unknowns = problem.unknowns();
  fit.regression.values = problem.present();
  fit.errors = errors_of(fit.slopes);
  return fit;
}

HeldOutSteps hold_out_steps(const StepFitResult& fit, const std::vector<StepSlopes>& predicted,
                            const StepCalibration& steps, const StepGroups& wanted) {
  const StepProblem problem(fit.rows, fit.slopes, steps);
  const RegressionProblem all = problem.regression(predicted, {});
  const std::size_t unknowns = fit.unknowns.size();
  std::map<std::string, std::vector<std::size_t>> groups;
  HeldOutSteps out{all.offsets, std::vector<double>(fit.rows.size()), {}, {}};
  for (std::size_t i = 0; i < fit.rows.size(); ++i) {
    out.groups.push_back(wanted.group_of(fit.rows[i]));
    groups[out.groups.back()].push_back(i);
  }
  for (const auto& [name, members] : groups) {
    if (name.empty()) continue;
    std::vector<bool> keep(fit.rows.size());
    for (std::size_t i = 0; i < fit.rows.size(); ++i)
      keep[i] = out.groups[i] != name && wanted.sees(out.groups[i], name);
    RegressionResult others = regress(problem.regression(fit.slopes, keep));
    problem.pass_on(keep, others.values);
    for (const std::size_t i : members) {
      const double* slope = all.slopes.data() + i * unknowns;
      for (std::size_t k = 0; k < unknowns; ++k) out.errors[i] += slope[k] * others.values[k];
      out.variances[i] = quadratic_form(slope, others.covariance, unknowns);
    }
    out.covariances[name] = std::move(others.covariance);
  }
  return out;
}

std::string model_of(const StepRow& row) {
  const Transformer& t = row.scenario.transformer;
  return fmt::format("{} {} {} {}", t.layers, t.hidden, t.heads, t.ffn);
}

}  // namespace clusterwright
