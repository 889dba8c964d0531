#include "calibration/fit/step_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "calibration/fit/sourced_values.hpp"
#include "calibration/fit/step_residuals.hpp"

namespace clusterwright {

namespace {

constexpr int most_rounds = 6;
constexpr double converged = 2e-3;  // largest change of an unknown, a logarithm

/// Belief about each kind of unknown before any step was seen: logarithm and one standard deviation.
struct Belief {
  double value, width;
};
// Steps of A100 are nearly the sum of their microbenchmarks; later parts lose 5 to 20 % more to clocks and overlap.
constexpr Belief compute_belief{0.05, 0.10}, communication_belief{0, 0.20}, host_belief{0, 0.35},
    tax_belief{0.03, 0.08}, drift_belief{0.03, 0.02};

const std::string drift_name = "drift";

std::string compute_name(const std::string& entry) {
  return "compute/" + entry;
}
std::string communication_name(const std::string& entry) {
  return "communication/" + entry;
}
std::string host_name(const std::string& entry) {
  return "host/" + entry;
}
std::string tax_name(const std::string& architecture) {
  return "kernel_tax/" + architecture;
}

/// Where a name's value is kept, as a logarithm (drift is one already).
double read(const ScenarioShelf& shelf, const std::vector<StepRow>& rows, const std::string& name) {
  if (name == drift_name) return shelf.steps.drift.value;
  const std::string kind = name.substr(0, name.find('/')), of = name.substr(name.find('/') + 1);
  if (kind == "kernel_tax") {
    for (const StepRow& row : rows)
      if (row.architecture == of) return std::log(row.scenario.parameters.step.kernel_tax.value);
    return tax_belief.value;
  }
  const StackCalibration& entry = shelf.steps.stacks.at(of);
  return std::log((kind == "compute"         ? entry.compute
                   : kind == "communication" ? entry.communication
                                             : entry.host)
                      .value);
}

void write(StepCalibration& steps, const std::string& name, double x, double error, const std::string& source) {
  const double value = std::exp(x);
  if (name == drift_name) {
    steps.drift = sourced(x, error, source);
    return;
  }
  const std::string kind = name.substr(0, name.find('/')), of = name.substr(name.find('/') + 1);
  if (kind == "kernel_tax") return;
  StackCalibration& entry = steps.stacks.at(of);
  (kind == "compute"         ? entry.compute
   : kind == "communication" ? entry.communication
                             : entry.host) = sourced(value, error * value, source);
}

}  // namespace

StepProblem::StepProblem(const std::vector<StepRow>& rows, const ScenarioShelf& shelf) : rows_(rows) {
  std::set<std::string> entries, architectures;
  for (const StepRow& row : rows) {
    entries.insert(row.entry);
    architectures.insert(row.architecture);
  }
  const auto add = [&](const std::string& name, Belief belief) {
    names_.push_back(name);
    prior_.push_back(belief.value);
    width_.push_back(belief.width);
    present_.push_back(read(shelf, rows, name));
  };
  for (const std::string& entry : entries) {
    add(compute_name(entry), compute_belief);
    add(communication_name(entry), communication_belief);
    add(host_name(entry), host_belief);
  }
  for (const std::string& architecture : architectures) add(tax_name(architecture), tax_belief);
  add(drift_name, drift_belief);
}

std::size_t StepProblem::index(const std::string& name) const {
  return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
}

RegressionProblem StepProblem::regression(const std::vector<StepSlopes>& slopes, const std::vector<bool>& keep) const {
  RegressionProblem problem;
  problem.prior = prior_;
  problem.width = width_;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!keep.empty() && !keep[i]) continue;
    const StepRow& row = rows_[i];
    std::vector<double> line(names_.size(), 0.0);
    line[index(compute_name(row.entry))] = slopes[i].compute;
    line[index(communication_name(row.entry))] = slopes[i].communication;
    line[index(host_name(row.entry))] = slopes[i].host;
    line[index(tax_name(row.architecture))] = slopes[i].compute;
    line[index(drift_name)] = -slopes[i].compute * row.years;
    double offset = slopes[i].error;
    for (std::size_t k = 0; k < line.size(); ++k) offset -= line[k] * present_[k];
    problem.offsets.push_back(offset);
    problem.slopes.insert(problem.slopes.end(), line.begin(), line.end());
    problem.weights.push_back(row.weight);
  }
  return problem;
}

/// Architectures in the order in which they came; each inherits from the one before it, the first from the next.
void StepProblem::pass_on_taxes(const std::vector<bool>& keep, std::vector<double>& x) const {
  std::map<int, std::string> by_year;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const AcceleratorPart& part = rows_[i].scenario.cluster.accelerator;
    if (part.multiprocessors) by_year.emplace(part.year ? part.year->value : 0, rows_[i].architecture);
    if (keep[i]) seen.insert(rows_[i].architecture);
  }
  std::vector<std::string> line;
  for (const auto& [year, architecture] : by_year)
    if (std::find(line.begin(), line.end(), architecture) == line.end()) line.push_back(architecture);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (seen.contains(line[i]) || line.size() < 2) continue;
    x[index(tax_name(line[i]))] = x[index(tax_name(line[i > 0 ? i - 1 : 1]))];
  }
}

void StepProblem::apply(const std::vector<double>& x, ScenarioShelf& shelf, std::vector<StepRow>& rows) {
  present_ = x;
  for (std::size_t k = 0; k < names_.size(); ++k) write(shelf.steps, names_[k], x[k], 0, "");
  for (StepRow& row : rows) {
    row.scenario.steps = shelf.steps;
    row.scenario.parameters.step.kernel_tax.value = std::exp(x[index(tax_name(row.architecture))]);
  }
}

namespace {

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

/// Values with their errors and origin, in the calibration and in the parameter sets.
void publish(const StepFitResult& fit, ScenarioShelf& shelf) {
  const std::size_t n = fit.names.size();
  const std::string source = fmt::format("fit of {} published training steps", fit.rows.size());
  std::map<std::string, Sourced<double>> taxes;
  for (std::size_t k = 0; k < n; ++k) {
    const double error = std::sqrt(fit.regression.covariance[k * n + k]), x = fit.regression.x[k];
    write(shelf.steps, fit.names[k], x, error, source);
    if (fit.names[k].starts_with("kernel_tax/"))
      taxes[fit.names[k].substr(11)] = sourced(std::exp(x), error * std::exp(x), source);
  }
  for (ParameterSet& set : shelf.parameters) {
    const AcceleratorPart* part = shelf.catalog.find_accelerator(set.accelerator);
    const auto found = part ? taxes.find(step_architecture(*part)) : taxes.end();
    if (found != taxes.end()) set.step.kernel_tax = found->second;
  }
  shelf.steps.fitted = fit.names;
  shelf.steps.covariance = fit.regression.covariance;
  std::set<std::string> accelerators;
  for (const StepRow& row : fit.rows) accelerators.insert(row.scenario.cluster.accelerator.id);
  shelf.steps.accelerators.assign(accelerators.begin(), accelerators.end());
}

}  // namespace

StepFitResult fit_steps(const std::vector<Measurement>& measurements, ScenarioShelf& shelf) {
  StepFitResult fit;
  fit.rows = step_rows(measurements, shelf);
  if (fit.rows.empty()) throw std::invalid_argument("no training step can be described");
  StepProblem problem(fit.rows, shelf);
  fit.names = problem.names();
  fit.slopes = step_slopes(fit.rows);
  for (int round = 0; round < most_rounds; ++round) {
    fit.regression = regress(problem.regression(fit.slopes, {}));
    const double change = largest_change(fit.regression.x, problem.present());
    problem.apply(fit.regression.x, shelf, fit.rows);
    refresh_errors(fit.rows, fit.slopes);
    if (change < converged) break;
  }
  fit.errors = errors_of(fit.slopes);
  publish(fit, shelf);
  publish_residuals(fit, shelf);
  return fit;
}

StepFitResult committed_steps(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf) {
  StepFitResult fit;
  fit.rows = step_rows(measurements, shelf);
  if (fit.rows.empty()) return fit;
  const StepProblem problem(fit.rows, shelf);
  fit.names = problem.names();
  fit.regression.x = problem.present();
  fit.slopes = step_shares(fit.rows);
  fit.errors = errors_of(fit.slopes);
  return fit;
}

std::vector<double> left_out_step_errors(const StepFitResult& fit, const ScenarioShelf& shelf,
                                         const std::function<std::string(const StepRow&)>& group_of) {
  const StepProblem problem(fit.rows, shelf);
  const RegressionProblem all = problem.regression(fit.slopes, {});
  const std::size_t unknowns = fit.names.size();
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) groups[group_of(fit.rows[i])].push_back(i);
  std::vector<double> errors(fit.rows.size());
  for (const auto& [name, members] : groups) {
    std::vector<bool> keep(fit.rows.size(), true);
    for (const std::size_t i : members) keep[i] = false;
    RegressionResult others = regress(problem.regression(fit.slopes, keep));
    problem.pass_on_taxes(keep, others.x);
    for (const std::size_t i : members) {
      errors[i] = all.offsets[i];
      for (std::size_t k = 0; k < unknowns; ++k) errors[i] += all.slopes[i * unknowns + k] * others.x[k];
    }
  }
  return errors;
}

std::string model_of(const StepRow& row) {
  const Transformer& t = row.scenario.transformer;
  return fmt::format("{} {} {} {} {}", t.layers, t.hidden, t.heads, t.ffn, t.vocabulary);
}

}  // namespace clusterwright
